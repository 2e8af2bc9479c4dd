// The logs that can be imported: what they are called, how they are told apart, and who reads them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "calibration/readers/measurement.hpp"
#include "calibration/readers/source.hpp"

namespace jostle::calibration {

// A reader takes a source to its end. It gives a run or more, or none and a problem for each thing that is
// wrong; never both.
using Reader = std::vector<Import> (*)(Source&, input::Problems&);

struct Format {
  std::string_view name;                      // "trtexec"
  std::string_view what;                      // "text log of trtexec, TensorRT 7 to 10"
  bool (*looks_like)(std::string_view head);  // of the first bytes, up to Source::max_peeked
  Reader read;
};

[[nodiscard]] std::span<const Format> formats();
[[nodiscard]] const Format* find_format(std::string_view name);
// The format these first bytes are of; null if it is none that is known.
[[nodiscard]] const Format* detect_format(std::string_view head);

// Reads with `format`, or with the one that is detected if it is null. A file that is plainly of another
// format is a problem.
[[nodiscard]] std::vector<Import> import_log(Source& source, const Format* format, input::Problems& problems);

// The readers, a file each.
[[nodiscard]] std::vector<Import> read_trtexec_log(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_trtexec_times(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_trtexec_profile(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_trtexec_layers(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_tegrastats(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_jtop(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_nsys_sqlite(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_nsys_stats(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_chrome_trace(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_perf_analyzer(Source& source, input::Problems& problems);
[[nodiscard]] std::vector<Import> read_nvpmodel_log(Source& source, input::Problems& problems);

}  // namespace jostle::calibration
