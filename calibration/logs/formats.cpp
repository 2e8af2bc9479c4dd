#include "calibration/logs/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "calibration/logs/log_text.hpp"
#include "calibration/logs/nsys_columns.hpp"
#include "calibration/logs/tegrastats_line.hpp"

namespace jostle {
[[nodiscard]] std::string_view looks_text();  // looks.txt
}

namespace jostle::calibration {
namespace {

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

std::string_view first_line(std::string_view head) {
  while (!head.empty() && (head.front() == '\n' || head.front() == '\r')) head.remove_prefix(1);
  return trimmed(head.substr(0, std::min(head.find('\n'), head.size())));
}

char first_letter(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : head[at];
}

template <class F>
bool any_line(std::string_view head, F holds) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (holds(line)) return true;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return false;
}

// Recognised by the first non-blank character, so that nested text cannot mislead.
bool is_json(std::string_view head) {
  return first_letter(head) == '{' || first_letter(head) == '[';
}
bool is_utf16(std::string_view head) {
  return head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
}
bool is_tegrastats(std::string_view head) {
  std::size_t lines = 0;
  return any_line(head, [&](std::string_view text) {
    return ++lines <= 1000 && tegrastats_start(text) != std::string_view::npos &&
           (has(text, "CPU [") || has(text, "cpu ["));
  });
}
bool is_jtop(std::string_view head) {
  std::string line(first_line(head));
  std::ranges::transform(line, line.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (line.starts_with("<key>")) return has(head, "jetson_clocks") || has(head, "nvp model");
  return has(line, ",") && (has(line, "nvp model") || has(line, "jetson_clocks") ||
                            has(line, "cpu_util_core_0") || has(line, "temp cpu"));
}
bool has_nsys_heading(std::string_view head) {
  return any_line(head, is_nsys_heading);
}

constexpr std::pair<std::string_view, bool (*)(std::string_view head)> tests[]{
    {"json", is_json},
    {"utf-16", is_utf16},
    {"tegrastats", is_tegrastats},
    {"jtop", is_jtop},
    {"nsys-heading", has_nsys_heading}};

std::vector<std::string_view> parted(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + (end == std::string_view::npos ? 0 : at.size())));
  }
  return parts;
}

// A kind of files, as looks.txt has it.
struct Look {
  KnownFile file;
  std::string_view name;
  std::vector<std::string_view> ways;
};
// The kinds; those with a word in place of ways are what an unknown file resembles.
const std::vector<Look>& looks() {
  static const std::vector<Look> all = [] {
    std::vector<Look> read;
    for (const std::string_view line : parted(looks_text(), "\n")) {
      if (line.empty() || line.starts_with("# ")) continue;
      const bool kind = line.starts_with("= "), word = line.starts_with("~ ");
      if (!kind && !word) {
        read.back().ways.push_back(line);
        continue;
      }
      auto cells = parted(line.substr(2), " | ");
      cells.resize(3);
      read.push_back({{cells[1], cells[2]}, word ? "" : cells[0], {}});
      if (word) read.back().ways.push_back(cells[0]);
    }
    return read;
  }();
  return all;
}

bool holds(std::string_view condition, std::string_view head, std::string_view name) {
  if (condition == "[" || condition == "{") return first_letter(head) == condition.front();
  if (condition == "0") return has(head, std::string_view("\0", 1));
  const std::string_view rest = condition.substr(1);
  switch (condition.front()) {
    case '!':
      return !holds(rest, head, name);
    case '@':
      return std::ranges::find(tests, rest, [](const auto& test) { return test.first; })->second(head);
    case '^':
      return head.starts_with(rest);
    case '|':
      return any_line(head, [&](std::string_view line) { return trimmed(line).starts_with(rest); });
    case '<':
      return has(head.substr(0, 200), rest);
    case '1':
      return holds(rest, first_line(head), name);
    case '$':
      return name.ends_with(rest) || name.ends_with(std::string(rest) + ".gz");
    case '?':
      return has(head, rest);
    default:
      return has(head, condition);
  }
}
bool looks_like(const Look& look, std::string_view head, std::string_view name) {
  return std::ranges::any_of(look.ways, [&](std::string_view way) {
    return std::ranges::all_of(parted(way, " & "),
                               [&](std::string_view condition) { return holds(condition, head, name); });
  });
}
bool looks_like(const Format& format, std::string_view head) {
  return looks_like(*std::ranges::find(looks(), format.name, &Look::name), head, {});
}

constexpr std::array<Format, 14> table{{
    {"trtexec", "text log of trtexec, TensorRT 7 to 10", read_trtexec_log},
    {"trtexec-times", "trtexec --exportTimes", read_trtexec_times},
    {"trtexec-profile", "trtexec --exportProfile", read_trtexec_profile},
    {"tegrastats", "log of tegrastats", read_tegrastats},
    {"jtop", "CSV log of jtop", read_jtop},
    {"nsys-sqlite", "nsys export --type sqlite", read_nsys_sqlite},
    {"nsys-stats", "CSV, text, tables or JSON of nsys stats", read_nsys_stats},
    {"chrome-trace", "trace of the PyTorch profiler, or another in Chrome's JSON", read_chrome_trace},
    {"perf-analyzer", "CSV of Triton's perf_analyzer or perf_client", read_perf_analyzer},
    {"perf-analyzer-text", "what perf_analyzer prints", read_perf_analyzer_text},
    {"llama-bench", "table (Markdown) or JSON of llama-bench", read_llama_bench},
    {"serving", "JSON or text of vLLM's and SGLang's bench_serving", read_serving},
    {"genai-perf", "JSON, CSV or tables of genai-perf", read_genai_perf},
    {"ollama", "timings of ollama run --verbose", read_ollama},
}};

}  // namespace

std::string unknown_hint(std::string_view head) {
  std::string text;
  std::string_view before;
  for (const Look& one : looks()) {
    if (!one.name.empty() || one.file.what == before || !has(head, one.ways.front())) continue;
    before = one.file.what;
    text += fmt::format("{}{}: import {}", text.empty() ? "it resembles " : "; or ", before, one.file.to_do);
  }
  return text.empty() ? "jostle import --help lists the formats" : text;
}

std::span<const Format> formats() {
  return table;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Format::name);
  return found == table.end() ? nullptr : &*found;
}

const Format* detect_format(std::string_view head) {
  if (has(head, "\x1b[")) return detect_format(without_colours(head));
  const auto found =
      std::ranges::find_if(table, [head](const Format& format) { return looks_like(format, head); });
  return found == table.end() ? nullptr : &*found;
}

std::vector<Import> import_log(Source& source, const Format* format, input::Problems& problems) {
  const std::string_view head = source.peek();
  if (head.empty()) {
    source.fail(problems, 0, source.failure().empty() ? "the file is empty" : source.failure());
    return {};
  }
  if (const KnownFile* const known = known_file(head, source.origin())) {
    source.fail(problems, 0, std::string(known->what), std::string(known->to_do));
    return {};
  }
  const Format* const detected = detect_format(head);
  if (format == nullptr && detected == nullptr) {
    source.fail(problems, 0,
                is_json(head) ? "JSON, but not in a supported format" : "not a supported log format",
                unknown_hint(head));
    return {};
  }
  if (format != nullptr && detected != nullptr && format != detected && !looks_like(*format, head)) {
    source.fail(problems, 0,
                fmt::format("not {}: it looks like {} ({})", format->name, detected->name, detected->what));
    return {};
  }
  return (format != nullptr ? format : detected)->read(source, problems);
}

const KnownFile* known_file(std::string_view head, std::string_view name) {
  const auto found = std::ranges::find_if(looks(), [&](const Look& look) {
    return !look.file.to_do.empty() && !look.name.empty() && looks_like(look, head, name);
  });
  return found == looks().end() ? nullptr : &found->file;
}

}  // namespace jostle::calibration
