// NVIDIA's nvpmodel.conf: which clocks, cores and TPCs each power mode of a Jetson leaves.
//
//   < PARAM TYPE=CLOCK NAME=CPU_A78_0 >          what a setting is of: a file of the kernel for each argument
//   MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
//   < POWER_MODEL ID=1 NAME=MODE_15W >           a mode, then its settings
//   CPU_ONLINE CORE_4 0
//   CPU_A78_0 MAX_FREQ 1113600                   kHz; of GPU, EMC and DLA in Hz; -1: no limit
//   < PM_CONFIG DEFAULT=1 >
//
// `#` begins a comment. Sections of other kinds (FAN_CONFIG) are passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/problems.hpp"

namespace jostle::calibration {

// "CPU_A78_0 MAX_FREQ 1113600"
struct NvpSetting {
  std::string parameter, argument, value;
  input::Location location;  // of the value
};
struct NvpMode {
  std::int64_t id = 0;
  std::string name;
  std::vector<NvpSetting> settings;  // in the order of the file; a later one holds
};
struct NvpParameter {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;  // with the path, or what else stands there
};
struct NvpFile {
  std::vector<NvpMode> modes;  // not empty; ids and names once each
  std::vector<NvpParameter> parameters;
  std::optional<std::int64_t> default_id;  // of one of the modes
  std::vector<std::string> passed_over;    // names of sections of other kinds
  std::uint64_t hash = 0;                  // of the text
};

inline constexpr std::size_t max_nvpmodel_bytes = 1 << 20;
inline constexpr std::size_t max_nvpmodel_modes = 256;

// None if `problems` grew. `origin` names the text in messages.
[[nodiscard]] std::optional<NvpFile> parse_nvpmodel(const std::string& text, const std::string& origin,
                                                    input::Problems& problems);
[[nodiscard]] std::optional<NvpFile> read_nvpmodel(const std::string& path, input::Problems& problems);

// "15W" of "MODE_15W" and of "15W (desktop)": as people name a mode.
[[nodiscard]] std::string plain_mode_name(std::string name);
// The mode of that name, or whose id is the number `name`; none for an unknown one.
[[nodiscard]] const NvpMode* find_mode(const NvpFile& file, const std::string& name);

}  // namespace jostle::calibration
