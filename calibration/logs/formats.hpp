// The log formats that can be imported: their names, how they are detected, and their readers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/measurement.hpp"
#include "calibration/logs/source.hpp"

namespace jostle::calibration {

// Reads a source to its end. Returns at least one run, or none and a problem for each error; never both.
using Reader = std::vector<Import>(Source&, input::Problems&);

struct Format {
  std::string_view name;  // "trtexec"; looks.txt says what it looks like
  std::string_view what;  // "text log of trtexec, TensorRT 7 to 10"
  Reader* read;
};

[[nodiscard]] std::span<const Format> formats();
[[nodiscard]] const Format* find_format(std::string_view name);
// The format of a file that begins with `head`; null if unknown.
[[nodiscard]] const Format* detect_format(std::string_view head);

// The tools that a log of unknown format resembles, with what of them can be imported.
[[nodiscard]] std::string unknown_hint(std::string_view head);

// Reads with `format`, or with the detected format if it is null. A file that is clearly in another format is
// a problem.
[[nodiscard]] std::vector<Import> import_log(Source& source, const Format* format, input::Problems& problems);

Reader read_trtexec_log, read_trtexec_times, read_trtexec_profile, read_tegrastats, read_jtop,
    read_nsys_sqlite, read_nsys_stats, read_chrome_trace, read_perf_analyzer, read_perf_analyzer_text,
    read_llama_bench, read_serving, read_genai_perf, read_ollama;

// Files that people try to import, but that hold no readable measurements: their kind, and
// what to do.
struct KnownFile {
  std::string_view what;  // "a Git LFS pointer, not the file itself"
  std::string_view to_do;
};

// Recognises a file by its first bytes and its name. Null if it is none of these.
[[nodiscard]] const KnownFile* known_file(std::string_view head, std::string_view name);

}  // namespace jostle::calibration
