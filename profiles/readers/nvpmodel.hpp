// NVIDIA's nvpmodel.conf: the clocks, cores and TPCs that each power mode of a Jetson allows.
//
//   < PARAM TYPE=CLOCK NAME=CPU_A78_0 >          describes a setting: a file of the kernel for each argument
//   MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
//   < POWER_MODEL ID=1 NAME=MODE_15W >           a mode, followed by its settings
//   CPU_ONLINE CORE_4 0
//   CPU_A78_0 MAX_FREQ 1113600                   in kHz; for GPU, EMC and DLA in Hz; -1: no limit
//   < PM_CONFIG DEFAULT=1 >
//
// `#` begins a comment. Other kinds of sections (FAN_CONFIG) are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/problems.hpp"
#include "models/board/spec.hpp"

namespace jostle::profiles {

// A setting, such as "CPU_A78_0 MAX_FREQ 1113600".
struct NvpSetting {
  std::string parameter, argument, value;
  input::Location location;  // location of the value
};
struct NvpMode {
  std::int64_t id = 0;
  std::string name;
  std::vector<NvpSetting> settings;  // in file order; a later one overrides an earlier one
};
struct NvpParameter {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;  // each with its path, or the text in its place
};
struct NvpFile {
  std::vector<NvpMode> modes;  // not empty; ids and names are unique
  std::vector<NvpParameter> parameters;
  std::optional<std::int64_t> default_id;  // id of one of the modes
  std::vector<std::string> passed_over;    // names of ignored kinds of sections
  std::uint64_t hash = 0;                  // hash of the text
};

inline constexpr std::size_t max_nvpmodel_bytes = 1 << 20;
inline constexpr std::size_t max_nvpmodel_modes = 256;

// Parses the file. Absent if problems were added. `origin` names the text in messages.
[[nodiscard]] std::optional<NvpFile> parse_nvpmodel(const std::string& text, const std::string& origin,
                                                    input::Problems& problems);
[[nodiscard]] std::optional<NvpFile> read_nvpmodel(const std::string& path, input::Problems& problems);

// The name in common use: "15W" for "MODE_15W" and for "15W (desktop)".
[[nodiscard]] std::string plain_mode_name(std::string name);
// The mode with that name, or with the id `name`; null if there is no such mode.
[[nodiscard]] const NvpMode* find_mode(const NvpFile& file, const std::string& name);

struct ModeOnBoard {
  board::PowerMode mode;           // has the name in the file
  std::vector<std::string> notes;  // values that were clamped or ignored, one line each, for the user
};

// The mode. Absent, with the reason in `problems`, if a relevant setting is invalid, or if no core or no TPC
// remains.
[[nodiscard]] std::optional<ModeOnBoard> mode_on_board(const NvpFile& file, const NvpMode& mode,
                                                       const board::DeviceSpec& device,
                                                       input::Problems& problems);

}  // namespace jostle::profiles
