// Reads what servers and benchmarks of language models print: llama-bench, vLLM's and SGLang's bench_serving,
// genai-perf, and `ollama run --verbose`.
//
// Metrics: `prefill` and `decode` in tokens/s, of all requests that run at once; `requests` in requests/s;
// `ttft`, the time to the first token, `itl`, from token to token, `tpot`, its mean over an answer, and
// `latency` of a request, ms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "calibration/logs/flat_json.hpp"
#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

Import begun(const Source& source, const char* format, std::string tool) {
  Import result{.format = format, .origin = source.origin()};
  result.setting.tool = std::move(tool);
  return result;
}

std::vector<Import> refused(const Source& source, input::Problems& problems, const std::string& why) {
  source.fail(problems, source.line(), source.failure().empty() ? why : source.failure());
  return {};
}

// ------------------------------------------------------------------------------------------------------
// llama-bench

// The name of a model as the built-in ones are written: "qwen3_8b" of "Qwen/Qwen3-8B", "qwen2_1.5b" of "qwen2
// 1.5B Q4_K - Medium".
std::string model_word(std::string_view text) {
  std::string word(text.substr(text.rfind('/') == std::string_view::npos ? 0 : text.rfind('/') + 1));
  const std::size_t size = word.find(' ');
  if (size != std::string::npos) word = word.substr(0, word.find(' ', size + 1));
  for (char& c : word)
    c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view ending : {"_instruct", "_chat", "_it", "_hf"})
    if (word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
  return word;
}

// "q4_k_m" of "qwen2 1.5B Q4_K - Medium", fp16 of "… F16".
std::string weights_of(const std::string& model) {
  const std::size_t size = std::min(model.rfind(" - "), model.size());
  const std::size_t begin = model.rfind(' ', size == 0 ? 0 : size - 1);
  std::string word = metric_word(model.substr(begin == std::string::npos ? 0 : begin + 1, size - begin - 1));
  if (size < model.size()) word += fmt::format("_{:c}", static_cast<char>(std::tolower(model[size + 3])));
  return word == "f16" ? "fp16" : word == "f32" ? "fp32" : word;
}

std::string test_name(double prompt, double made, double depth) {
  std::string name;
  if (prompt > 0) name += fmt::format("pp{:.0f}", prompt);
  if (made > 0) name += fmt::format("{}tg{:.0f}", name.empty() ? "" : "+", made);
  return depth > 0 ? fmt::format("{} @ d{:.0f}", name, depth) : name;
}

// A test, by the keys of the JSON. One that reads and writes tokens at once is neither of the two rates.
Import llama_import(const FlatObject& one, const Source& source) {
  const std::string build = one.text("build_commit");
  Import result = begun(source, "llama-bench", "llama-bench" + (build.empty() ? "" : " " + build));
  result.setting.model = model_word(one.text("model_type"));
  result.setting.precision = weights_of(one.text("model_type"));
  result.setting.runtime = "llama.cpp";
  result.setting.gpu = one.text("gpu_info");
  std::string test = one.text("test");
  if (test.empty())
    test = test_name(one.number("n_prompt").value_or(0), one.number("n_gen").value_or(0),
                     one.number("n_depth").value_or(0));
  const bool reads = test.starts_with("pp"), writes = test.find("tg") != std::string::npos;
  if (const auto rate = one.number("avg_ts"); rate && *rate > 0)
    result.rows.push_back({.metric = reads && writes ? "tokens"
                                     : writes        ? "decode"
                                                     : "prefill",
                           .value = *rate,
                           .unit = "tokens/s",
                           .sd = one.number("stddev_ts")});
  for (const auto& [key, words] :
       {std::pair("n_threads", ", threads "), std::pair("n_gpu_layers", ", layers on the GPU "),
        std::pair("backends", ", ")})
    if (const std::string text = one.text(key); !text.empty()) test += words + text;
  result.notes.push_back(input::printable(test, 200));
  return result;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line = trimmed(line);
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    cells.emplace_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

// The rows of the table as objects with the keys of the JSON.
std::vector<Import> llama_table(Source& source, input::Problems& problems) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> names{{{"model", "model_type"},
                                                                           {"test", "test"},
                                                                           {"threads", "n_threads"},
                                                                           {"ngl", "n_gpu_layers"},
                                                                           {"backend", "backends"}}};
  std::vector<FlatObject> rows;
  std::vector<std::string> header;
  std::string gpu, build;
  for (std::string_view line; source.next_line(line);) {
    const std::string_view text = trimmed(line);
    if (const auto of = after(text, "Device 0: ")) gpu = of->substr(0, of->find(','));
    if (const auto of = after(text, "build: ")) build = of->substr(0, of->find(' '));
    if (!text.starts_with('|') || text.find("---") != std::string_view::npos) continue;
    const std::vector<std::string> cells = cells_of(text);
    if (header.empty()) header = cells;
    if (cells == header) continue;
    if (cells.size() != header.size())
      return refused(
          source, problems,
          fmt::format("{} cells where the header has {}: is it truncated?", cells.size(), header.size()));
    FlatObject& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto& [name, key] : names)
        if (header[i] == name) row.set(key, cells[i]);
      if (header[i] != "t/s") continue;
      const std::size_t sign = std::min(cells[i].find("±"), cells[i].size());
      row.set("avg_ts", std::string(trimmed(cells[i].substr(0, sign))));
      if (sign < cells[i].size())
        row.set("stddev_ts", std::string(trimmed(cells[i].substr(sign + std::string_view("±").size()))));
    }
  }
  std::vector<Import> found;
  for (FlatObject& row : rows) {
    row.set("gpu_info", gpu);
    row.set("build_commit", build);
    found.push_back(llama_import(row, source));
    if (found.back().rows.empty()) return refused(source, problems, "a row has no rate");
  }
  if (found.empty() || !source.failure().empty())
    return refused(source, problems, "the file contains no table of llama-bench");
  return found;
}

// ------------------------------------------------------------------------------------------- servers, by
// their JSON

// A time with its statistics, by the word in its keys: mean_ttft_ms of vLLM and SGLang,
// time_to_first_token.avg of genai-perf.
struct ServerTime {
  const char* metric;
  const char* word;    // bench_serving
  const char* object;  // genai-perf
};
constexpr std::array server_times{
    ServerTime{"ttft", "ttft", "time_to_first_token"}, ServerTime{"tpot", "tpot", ""},
    ServerTime{"itl", "itl", "inter_token_latency"}, ServerTime{"latency", "e2el", "request_latency"},
    ServerTime{"latency", "e2e_latency", ""}};

void add_time(const char* metric, const std::optional<double>& mean,
              const std::array<std::optional<double>, 4>& rest, Import& result) {
  if (!mean || !(*mean >= 0)) return;
  result.rows.push_back({.metric = metric,
                         .value = *mean,
                         .unit = "ms",
                         .sd = rest[0],
                         .median = rest[1],
                         .p90 = rest[2],
                         .p99 = rest[3],
                         .count = 1});
}

void add_rate(const char* metric, const std::optional<double>& rate, const char* unit, Import& result) {
  if (rate && *rate > 0) result.rows.push_back({.metric = metric, .value = *rate, .unit = unit});
}

std::string load_of(const FlatObject& one) {
  std::string note;
  const auto add = [&](const char* key, const char* words) {
    if (const std::string text = one.text(key); !text.empty() && text != "null")
      note += fmt::format("{}{} {}", note.empty() ? "" : ", ", words, text);
  };
  add("max_concurrency", "at most at once:");
  add("request_rate", "requests/s offered:");
  add("completed", "answers:");
  add("total_input_tokens", "tokens read:");
  add("total_output_tokens", "tokens written:");
  return note;
}

Import serving_import(const FlatObject& one, const Source& source) {
  const bool of_vllm = !one.text("model_id").empty();
  Import result = begun(source, "serving", of_vllm ? "vLLM's benchmark" : "SGLang's benchmark");
  result.setting.model = model_word(of_vllm ? one.text("model_id") : one.text("model"));
  result.setting.runtime = of_vllm ? "vllm" : "";
  add_rate("decode", one.number("output_throughput"), "tokens/s", result);
  add_rate("prefill", one.number("input_throughput"), "tokens/s", result);
  add_rate("requests", one.number("request_throughput"), "requests/s", result);
  for (const ServerTime& time : server_times) {
    const auto of = [&](const char* statistic) {
      return one.number(fmt::format("{}_{}_ms", statistic, time.word));
    };
    add_time(time.metric, of("mean"), {of("std"), of("median"), of("p90"), of("p99")}, result);
  }
  if (const std::string load = load_of(one); !load.empty())
    result.notes.push_back(input::printable(load, 300));
  return result;
}

// The key in the JSON of a line's name in the text: mean_ttft_ms of "Mean TTFT (ms)".
std::string serving_key(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> rates{
      {{"Output token throughput (tok/s)", "output_throughput"},
       {"Input token throughput (tok/s)", "input_throughput"},
       {"Request throughput (req/s)", "request_throughput"},
       {"Successful requests", "completed"}}};
  for (const auto& [text, key] : rates)
    if (name == text) return key;
  const std::size_t unit = name.find(" (ms)");
  return unit == std::string_view::npos ? std::string() : metric_word(name.substr(0, unit)) + "_ms";
}

// The table that bench_serving prints at its end, or several of them in one file.
std::vector<Import> serving_text(Source& source, input::Problems& problems) {
  std::vector<FlatObject> blocks;
  for (std::string_view line; source.next_line(line);) {
    if (line.find("Serving Benchmark Result") != std::string_view::npos) blocks.emplace_back();
    const std::size_t colon = line.find(':');
    if (blocks.empty() || colon == std::string_view::npos) continue;
    const std::string key = serving_key(trimmed(line.substr(0, colon)));
    const auto value = parse_number(trimmed(line.substr(colon + 1)));
    if (!key.empty() && value) blocks.back().set(key, *value);
  }
  std::vector<Import> found;
  for (const FlatObject& block : blocks) {
    found.push_back(serving_import(block, source));
    found.back().setting.tool = "bench_serving of vLLM or SGLang";
    if (found.back().rows.empty())
      return refused(source, problems, "a result without figures: is it truncated?");
  }
  if (found.empty() || !source.failure().empty())
    return refused(source, problems, "no result of bench_serving");
  return found;
}

double to_ms(const std::string& unit) {
  return unit == "ns" ? 1e-6 : unit == "us" ? 1e-3 : unit == "s" || unit == "sec" ? 1e3 : 1;
}

Import genai_import(const FlatObject& one, const Source& source) {
  Import result = begun(source, "genai-perf", "genai-perf");
  result.setting.model = model_word(one.text("input_config.formatted_model_name"));
  add_rate("decode", one.number("output_token_throughput.avg"), "tokens/s", result);
  add_rate("requests", one.number("request_throughput.avg"), "requests/s", result);
  for (const ServerTime& time : server_times) {
    if (*time.object == '\0') continue;
    const double scale = to_ms(one.text(fmt::format("{}.unit", time.object)));
    const auto of = [&](const char* statistic) {
      const auto value = one.number(fmt::format("{}.{}", time.object, statistic));
      return value ? std::optional(*value * scale) : value;
    };
    add_time(time.metric, of("avg"), {of("std"), of("p50"), of("p90"), of("p99")}, result);
  }
  return result;
}

std::vector<Import> server_objects(Source& source, input::Problems& problems,
                                   Import (*import)(const FlatObject&, const Source&)) {
  std::vector<Import> found;
  for (const FlatObject& one : read_flat_objects(source, problems)) {
    found.push_back(import(one, source));
    if (found.back().rows.empty()) return refused(source, problems, "the summary holds no rate and no time");
  }
  return found;
}

// --------------------------------------------------------------------------------------- genai-perf, CSV and
// tables

// A line of a table: cells between commas, or between bars of any kind.
std::vector<std::string> table_cells(std::string_view line) {
  std::vector<std::string> cells;
  const auto has = [line](std::string_view bar) { return line.find(bar) != std::string_view::npos; };
  if (!has("│") && !has("┃") && !has("|")) {
    if (!split_fields(line, cells)) cells.clear();
    return cells;
  }
  std::string plain(line);
  for (const std::string_view bar : {"│", "┃"})
    for (std::size_t at = 0; (at = plain.find(bar, at)) != std::string::npos;)
      plain.replace(at, bar.size(), "|");
  cells = cells_of(plain);
  if (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

// The tables as an object with the keys of the JSON: time_to_first_token.p99, of the row's name and the
// column's.
std::vector<Import> genai_table(Source& source, input::Problems& problems) {
  FlatObject all;
  std::vector<std::string> header;
  for (std::string_view line; source.next_line(line);) {
    const std::vector<std::string> cells = table_cells(line);
    if (cells.size() < 2) continue;
    if (cells.front() == "Metric" || cells.front() == "Statistic") {
      header = cells;
      continue;
    }
    const std::size_t open = cells.front().find(" ("), close = cells.front().find(')');
    if (header.empty() || open == std::string::npos || close == std::string::npos) continue;
    const std::string key = metric_word(cells.front().substr(0, open));
    all.set(key + ".unit", cells.front().substr(open + 2, close - open - 2));
    for (std::size_t i = 1; i < std::min(cells.size(), header.size()); ++i) {
      std::string value = cells[i];
      std::erase(value, ',');
      all.set(fmt::format("{}.{}", key, header[i] == "Value" ? "avg" : header[i]), std::move(value));
    }
  }
  Import result = genai_import(all, source);
  if (!source.failure().empty() || result.rows.empty())
    return refused(source, problems, "the file contains no table of genai-perf");
  return {std::move(result)};
}

// ---------------------------------------------------------------------------------------------------------
// ollama

// Milliseconds of a duration of Go: "1m4.5s", "130.2ms", "12µs".
std::optional<double> go_duration_ms(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 7> units{
      {{"ms", 1}, {"µs", 1e-3}, {"us", 1e-3}, {"ns", 1e-6}, {"h", 3.6e6}, {"m", 6e4}, {"s", 1e3}}};
  double sum = 0;
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto value = take_number(text);
    const auto unit = std::ranges::find_if(units, [&](const auto& of) { return text.starts_with(of.first); });
    if (!value || unit == units.end()) return std::nullopt;
    sum += *value * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return sum;
}

}  // namespace

std::vector<Import> read_llama_bench(Source& source, input::Problems& problems) {
  const std::string_view head = trimmed(source.peek());
  return head.starts_with('[') || head.starts_with('{') ? server_objects(source, problems, llama_import)
                                                        : llama_table(source, problems);
}

std::vector<Import> read_serving(Source& source, input::Problems& problems) {
  const std::string_view head = trimmed(source.peek());
  return head.starts_with('[') || head.starts_with('{') ? server_objects(source, problems, serving_import)
                                                        : serving_text(source, problems);
}

std::vector<Import> read_genai_perf(Source& source, input::Problems& problems) {
  return trimmed(source.peek()).starts_with('{') ? server_objects(source, problems, genai_import)
                                                 : genai_table(source, problems);
}

std::vector<Import> read_ollama(Source& source, input::Problems& problems) {
  std::vector<Import> found;
  double load_ms = 0;
  for (std::string_view line; source.next_line(line);) {
    const std::string_view text = trimmed(line);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, colon);
    std::string_view value = trimmed(text.substr(colon + 1));
    if (name == "total duration") {
      const auto total = go_duration_ms(value);
      if (!total) return refused(source, problems, "a duration is none");
      found.push_back(begun(source, "ollama", "ollama"));
      found.back().setting.runtime = "ollama";
      add_time("latency", total, {}, found.back());
    }
    if (found.empty()) continue;
    if (name == "load duration") load_ms = go_duration_ms(value).value_or(0);
    if (name == "prompt eval duration")
      if (const auto prompt = go_duration_ms(value)) add_time("ttft", load_ms + *prompt, {}, found.back());
    if (name != "prompt eval rate" && name != "eval rate") continue;
    const auto rate = take_number(value);
    if (!rate) return refused(source, problems, "a rate is none");
    add_rate(name == "eval rate" ? "decode" : "prefill", rate, "tokens/s", found.back());
  }
  if (!source.failure().empty() || found.empty())
    return refused(source, problems, "the file contains no timings of ollama");
  return found;
}

}  // namespace jostle::calibration
