// Reads what a tool printed in a run, and makes evidence of it.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/run_logs.hpp"
#include "calibration/record/tools.hpp"
#include "profiles/onnx/network_files.hpp"

namespace jostle::calibration::record {

// A run that gave nothing, with the reason for the user.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A setting of a tool's runs.
struct Combination {
  std::string precision;
  std::int64_t batch = 0;    // 0: as in the file
  std::int64_t threads = 0;  // 0: the tool's own
};

// A word for the run in this setting, "cpu-fp32-b4-t2": the name of its files, and of its run in evidence.
[[nodiscard]] std::string label_of(const ToolRun& run, const Combination& setting);

// The text of a small file; empty if there is none.
[[nodiscard]] std::string text_in(const std::filesystem::path& file);
// The last line with letters in it: what a program that fails says.
[[nodiscard]] std::string last_words(const std::filesystem::path& file);

struct OutputReading {
  std::string_view tool, placement;
  std::span<const Pattern> patterns;  // for runs without a format
};
// The measurements that the tool printed into a file. Throws Failed if nothing in it can be read.
[[nodiscard]] LogFile read_log(const OutputReading& reading, const ToolRun& run, const Combination& setting,
                               const std::filesystem::path& log);
// Adds what it wrote into another file, if that can be read.
void add_file(const ToolRun& run, const Combination& setting, const std::filesystem::path& file,
              std::vector<LogFile>& logs);

inline constexpr const char* mixes_header =
    "run,process,sharing,cores,hogs,model,input,precision,batch,runtime,sync,arrivals,per_s,images_per_s,"
    "p50_ms,enqueue_ms,power_w\n";
// Rows of mixes.csv: each of equal processes with its rate.
[[nodiscard]] std::string mix_rows(const std::string& model, const ToolRun& of, const Combination& setting,
                                   const std::vector<LogFile>& logs, double watts);

// The rows of evidence of a model's runs, with a column `threads`. `model`: its name, or its file among
// `networks`. Throws Failed if the logs contradict each other.
[[nodiscard]] std::string rates_csv(std::vector<LogFile> logs, const std::string& model,
                                    profiles::NetworkFiles& networks);

}  // namespace jostle::calibration::record
