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
using Reader = std::vector<Import> (*)(Source&, input::Problems&);

struct Format {
  std::string_view name;                      // "trtexec"
  std::string_view what;                      // "text log of trtexec, TensorRT 7 to 10"
  bool (*looks_like)(std::string_view head);  // checks the first bytes, up to Source::max_peeked
  Reader read;
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

// The readers, one file each.
[[nodiscard]] std::vector<Import> read_trtexec_log(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_trtexec_times(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_trtexec_profile(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_tegrastats(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_jtop(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_nsys_sqlite(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_nsys_stats(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_chrome_trace(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_perf_analyzer(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_perf_analyzer_text(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_llama_bench(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_serving(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_genai_perf(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_ollama(Source& source, input::Problems& problems);

// Files that people try to import, but that hold no readable measurements: their kind, and
// what to do.
struct KnownFile {
  std::string_view what;  // "a Git LFS pointer, not the file itself"
  std::string_view to_do;
};

// Recognises a file by its first bytes and its name. Null if it is none of these.
[[nodiscard]] const KnownFile* known_file(std::string_view head, std::string_view name);

}  // namespace jostle::calibration
