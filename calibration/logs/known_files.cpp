#include "calibration/logs/known_files.hpp"

#include <algorithm>
#include <array>

#include "calibration/logs/log_text.hpp"

namespace jostle::calibration {
namespace {

bool holds(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

// True if a line of the text begins so, behind blanks.
bool holds_line(std::string_view head, std::string_view begin) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (trimmed(line).starts_with(begin)) return true;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return false;
}

bool has_zero_byte(std::string_view head) {
  return head.find('\0') != std::string_view::npos;
}

bool name_ends_in(std::string_view name, std::string_view ending) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(ending);
}

struct KnownKind {
  KnownFile file;
  bool (*is)(std::string_view head, std::string_view name);
};

bool is_lfs(std::string_view head, std::string_view) {
  return head.starts_with("version https://git-lfs.github.com/spec/");
}
bool is_nsys_report(std::string_view head, std::string_view name) {
  return has_zero_byte(head) && !head.starts_with("SQLite format 3") &&
         (name_ends_in(name, ".nsys-rep") || name_ends_in(name, ".qdrep") || name_ends_in(name, ".qdstrm"));
}
bool is_ncu_report(std::string_view head, std::string_view name) {
  return has_zero_byte(head) &&
         (name_ends_in(name, ".ncu-rep") || head.starts_with(std::string_view("NVR\0", 4)));
}
bool is_deepstream(std::string_view head, std::string_view) {
  return holds_line(head, "[tiled-display]") || holds_line(head, "[streammux]") ||
         holds_line(head, "[primary-gie]") || holds_line(head, "primary-gie:") ||
         holds_line(head, "streammux:") ||
         (holds_line(head, "[property]") &&
          (holds(head, "net-scale-factor") || holds(head, "gie-unique-id"))) ||
         (holds_line(head, "property:") && holds(head, "gie-unique-id"));
}
bool is_triton(std::string_view head, std::string_view name) {
  if (has_zero_byte(head)) return false;
  return name_ends_in(name, "config.pbtxt") || holds_line(head, "max_batch_size:") ||
         holds_line(head, "instance_group") || holds_line(head, "dynamic_batching {") ||
         ((holds_line(head, "platform:") || holds_line(head, "backend:")) && holds(head, "TYPE_FP"));
}
bool is_engine(std::string_view head, std::string_view name) {
  return has_zero_byte(head) &&
         (head.starts_with("ftrt") || name_ends_in(name, ".engine") || name_ends_in(name, ".plan"));
}
bool is_network(std::string_view head, std::string_view name) {
  return has_zero_byte(head) && name_ends_in(name, ".onnx");
}

bool is_utf16(std::string_view head, std::string_view) {
  return head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
}

constexpr std::array<KnownKind, 8> known_kinds{{
    {{"a Git LFS pointer, not the file itself", "git lfs pull fetches it"}, is_lfs},
    {{"text in UTF-16, as PowerShell's > writes", "convert it to UTF-8: iconv -f utf-16 -t utf-8"}, is_utf16},
    {{"a report of Nsight Systems in its own binary format", "export it: nsys export --type sqlite REPORT"},
     is_nsys_report},
    {{"a report of Nsight Compute, which replays kernels one by one",
      "record the run with nsys profile, then: nsys export --type sqlite REPORT"},
     is_ncu_report},
    {{"a configuration of DeepStream, which holds no measurement",
      "import the log of its engine from trtexec, and tegrastats beside the pipeline; docs/scenario.md has "
      "cameras and batching"},
     is_deepstream},
    {{"a configuration of a Triton model, which holds no measurement",
      "import the CSV of perf_analyzer -f FILE; docs/scenario.md has instances and batching"},
     is_triton},
    {{"a TensorRT engine, which holds no measurement",
      "time it: trtexec --loadEngine=ENGINE > trtexec.log, and import the log"},
     is_engine},
    {{"a network, not a log", "give it with --onnx FILE or --model FILE beside the logs"}, is_network},
}};

}  // namespace

const KnownFile* known_file(std::string_view head, std::string_view name) {
  const auto found =
      std::ranges::find_if(known_kinds, [&](const KnownKind& kind) { return kind.is(head, name); });
  return found == known_kinds.end() ? nullptr : &found->file;
}

}  // namespace jostle::calibration
