// The effect of a mode of an nvpmodel.conf on a board.
//
// Limits are converted as by the drivers. Limits outside a domain's range are clamped to the range. Then a
// CPU's maximum is rounded down to an operating point and its minimum up (cpufreq); both limits of the GPU
// are rounded up (nvgpu's round_rate: TX2's 1120 MHz become 1122); that of the EMC is rounded down; a DLA has
// no table. If minimum and maximum cross, the maximum wins. -1 means no limit. The paths in PARAM sections
// show which core a CPU setting refers to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

#include "input/printable.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/readers/nvpmodel.hpp"

namespace jostle::profiles {
namespace {

constexpr std::int64_t no_limit = -1;
constexpr double khz = 1e3;

// Number of TPCs of the whole chip, to which masks refer; boards have fewer.
int tpcs_of_chip(const board::DeviceSpec& device, int of_board) {
  if (device.gpu.architecture == "sm_87") return 8;  // T234
  if (device.gpu.architecture == "sm_72") return 4;  // T194
  return of_board;
}

// The operating points of a domain, including its highest clock if that is not in its table.
std::vector<double> points_of(const std::vector<double>& table, double highest) {
  std::vector<double> points;
  for (const double hz : table) {
    if (hz < highest) points.push_back(hz);
  }
  points.push_back(highest);
  return points;
}

enum class Rounding { down, up };

double rounded(const std::vector<double>& points, double hz, Rounding rounding) {
  if (points.size() == 1) return std::min(hz, points[0]);  // no table: any clock is possible
  const auto above = std::ranges::lower_bound(points, hz);
  if (above == points.end()) return points.back();
  if (*above == hz || rounding == Rounding::up || above == points.begin()) return *above;
  return *(above - 1);
}

// The number N in ".../cpu/cpuN/..."; absent if there is none.
std::optional<int> core_in(const std::string& path) {
  const std::size_t at = path.find("/cpu/cpu");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + 8;
  const std::size_t end = path.find('/', begin);
  bool overflow = false;
  const auto number = input::parse_integer(
      std::string_view(path).substr(begin, end == std::string::npos ? end : end - begin), overflow);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

class ModeReader {
 public:
  ModeReader(const NvpFile& file, const NvpMode& mode, const board::DeviceSpec& device,
             input::Problems& problems)
      : file_(file), mode_(mode), device_(device), problems_(problems) {}

  ModeOnBoard run() {
    board::PowerMode& mode = result_.mode;
    mode.name = mode_.name;
    const std::size_t clusters = device_.cpu->clusters.size();
    for (const cpu::ClusterSpec& cluster : device_.cpu->clusters) mode.online_cores.push_back(cluster.cores);
    offline_.assign(static_cast<std::size_t>(device_.core_count()), false);
    cpu_max_.assign(clusters, std::nullopt);
    cpu_min_.assign(clusters, std::nullopt);
    for (const NvpSetting& setting : mode_.settings) read(setting);
    set_cores();
    set_cpu_clocks();
    if (mode.gpu_min_clock_hz) {
      *mode.gpu_min_clock_hz =
          std::min(*mode.gpu_min_clock_hz, mode.gpu_max_clock_hz.value_or(device_.gpu.max_clock_hz));
    }
    if (!ignored_.empty()) {
      const std::size_t shown = std::min<std::size_t>(ignored_.size(), 6);
      note(fmt::format(
          "{}{} {} nothing that is simulated",
          fmt::join(ignored_.begin(), ignored_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
          ignored_.size() > shown ? fmt::format(" and {} more", ignored_.size() - shown) : "",
          ignored_.size() == 1 ? "sets" : "set"));
    }
    return std::move(result_);
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(result_.notes, text) == result_.notes.end())
      result_.notes.push_back(std::move(text));
  }
  void problem(const NvpSetting& setting, std::string message, std::string hint = {}) {
    problems_.add(setting.location,
                  input::printable(fmt::format("{} {} {}", mode_.name, setting.parameter, setting.argument)),
                  std::move(message), std::move(hint));
  }

  void read(const NvpSetting& setting) {
    const std::string& parameter = setting.parameter;
    const bool maximum = setting.argument == "MAX_FREQ", minimum = setting.argument == "MIN_FREQ";
    if (parameter == "CPU_ONLINE") {
      read_online(setting);
    } else if (parameter.starts_with("CPU_") && (maximum || minimum)) {
      read_cpu_clock(setting, maximum);
    } else if (parameter == "GPU" && (maximum || minimum) && device_.has_gpu()) {
      const auto points = points_of(device_.gpu.clock_table_hz, device_.gpu.max_clock_hz);
      (maximum ? result_.mode.gpu_max_clock_hz : result_.mode.gpu_min_clock_hz) =
          clock(setting, points, 1, Rounding::up);
    } else if (parameter == "EMC" && maximum) {
      const auto points = points_of(device_.memory.clock_table_hz, device_.memory.max_clock_hz);
      result_.mode.emc_max_clock_hz = clock(setting, points, 1, Rounding::down);
    } else if ((parameter == "DLA0_CORE" || parameter == "DLA1_CORE") && maximum && device_.dla.count > 0) {
      read_dla(setting);
    } else if (parameter == "TPC_POWER_GATING" && device_.has_gpu()) {
      read_tpc_mask(setting);
    } else if (parameter == "VDDIN_OC_LIMIT" && senses_current()) {
      read_current(setting);
    } else if (!parameter.starts_with("GPU_POWER_CONTROL") &&
               std::ranges::find(ignored_, input::printable(parameter)) == ignored_.end()) {
      ignored_.push_back(input::printable(parameter));
    }
  }

  std::optional<std::int64_t> number(const NvpSetting& setting, std::int64_t least) {
    bool overflow = false;
    const auto value = input::parse_integer(setting.value, overflow);
    if (value && *value >= least) return value;
    problem(setting, fmt::format("'{}' is not a value", input::printable(setting.value)),
            fmt::format("a whole number, at least {}", least));
    return std::nullopt;
  }

  // The clock that the driver sets for a limit; absent if there is no limit.
  std::optional<double> clock(const NvpSetting& setting, const std::vector<double>& points, double unit_hz,
                              Rounding rounding) {
    const auto value = number(setting, no_limit);
    // Files use 0 for "no minimum"; as a maximum, drivers treat it as no limit.
    if (!value || *value == no_limit || *value == 0) return std::nullopt;
    const double hz = static_cast<double>(*value) * unit_hz;
    const double kept = rounded(points, std::min(hz, points.back()), rounding);
    if (hz > points.back() || (points.size() > 1 && hz < points.front())) {
      const auto text = [](double f) { return input::format_quantity(f, input::frequency_dimension()); };
      note(fmt::format("{} {} of {} is outside the range of {} and was set to {}",
                       input::printable(setting.parameter), setting.argument, text(hz), device_.name,
                       text(kept)));
    }
    return kept;
  }

  // The path after an argument in its PARAM section.
  const std::string* path_of(const NvpSetting& setting) const {
    for (const NvpParameter& parameter : file_.parameters) {
      if (parameter.name != setting.parameter) continue;
      for (const auto& [name, path] : parameter.arguments) {
        if (name == setting.argument) return &path;
      }
    }
    return nullptr;
  }

  // The cluster of a core by the kernel's number; absent, with a note, if the board has no such core.
  std::optional<std::size_t> cluster_of(int core) {
    int first = 0;
    for (std::size_t i = 0; i < device_.cpu->clusters.size(); ++i) {
      const cpu::ClusterSpec& cluster = device_.cpu->clusters[i];
      const auto& numbers = cluster.kernel_cpus;
      if (numbers.empty() ? core >= first && core < first + cluster.cores
                          : std::ranges::find(numbers, core) != numbers.end())
        return i;
      first += cluster.cores;
    }
    note(fmt::format("{} has no core {}", device_.name, core));
    return std::nullopt;
  }

  void read_online(const NvpSetting& setting) {
    const std::string* const path = path_of(setting);
    std::optional<int> core = path != nullptr ? core_in(*path) : std::nullopt;
    if (!core)
      core = core_in("/cpu/cpu" + (setting.argument.starts_with("CORE_") ? setting.argument.substr(5) : ""));
    if (!core) {
      problem(setting, "unknown core", "CPU_ONLINE CORE_0 1");
      return;
    }
    const auto online = number(setting, 0);
    const auto cluster = cluster_of(*core);
    if (!online || !cluster) return;
    if (static_cast<std::size_t>(*core) >= offline_.size()) return;
    offline_[static_cast<std::size_t>(*core)] = *online == 0;
  }

  void set_cores() {
    std::vector<int>& online = result_.mode.online_cores;
    int left = 0;
    for (std::size_t core = 0; core < offline_.size(); ++core) {
      const auto cluster = cluster_of(static_cast<int>(core));
      if (!cluster) continue;
      if (offline_[core])
        --online[*cluster];
      else
        ++left;
    }
    if (left == 0) problems_.add({}, input::printable(mode_.name), "no core is online");
  }

  void read_cpu_clock(const NvpSetting& setting, bool maximum) {
    const std::string* const path = path_of(setting);
    const std::optional<int> core = path != nullptr ? core_in(*path) : std::nullopt;
    if (!core) {
      problem(setting, "no PARAM section specifies the core",
              fmt::format("< PARAM TYPE=CLOCK NAME={} >, then {} "
                          "/sys/devices/system/cpu/cpu0/cpufreq/scaling_{}_freq",
                          input::printable(setting.parameter), setting.argument, maximum ? "max" : "min"));
      return;
    }
    const auto index = cluster_of(*core);
    if (!index) return;
    const cpu::ClusterSpec& cluster = device_.cpu->clusters[*index];
    const auto points = points_of(cluster.clock_table_hz, cluster.max_clock_hz);
    (maximum ? cpu_max_ : cpu_min_)[*index] =
        clock(setting, points, khz, maximum ? Rounding::down : Rounding::up);
  }

  void set_cpu_clocks() {
    board::PowerMode& mode = result_.mode;
    const auto set = [](const auto& clock) { return clock.has_value(); };
    const bool maxima = std::ranges::any_of(cpu_max_, set), minima = std::ranges::any_of(cpu_min_, set);
    for (std::size_t i = 0; i < cpu_max_.size(); ++i) {
      const cpu::ClusterSpec& cluster = device_.cpu->clusters[i];
      const double most = cpu_max_[i].value_or(cluster.max_clock_hz);
      const double lowest = cluster.clock_table_hz.empty() ? 0 : cluster.clock_table_hz.front();
      if (maxima) mode.cpu_max_clock_hz.push_back(most);
      if (minima) mode.cpu_min_clock_hz.push_back(std::min(cpu_min_[i].value_or(lowest), most));
    }
  }

  // The model has one clock for all DLAs: that of the first.
  void read_dla(const NvpSetting& setting) {
    const bool second = setting.parameter == "DLA1_CORE";
    if (second && (device_.dla.count < 2 || result_.mode.dla_max_clock_hz)) return;
    result_.mode.dla_max_clock_hz =
        clock(setting, points_of(device_.dla.clock_table_hz, device_.dla.max_clock_hz), 1, Rounding::down);
  }

  void read_tpc_mask(const NvpSetting& setting) {
    if (setting.argument != "TPC_PG_MASK") return;
    const auto mask = number(setting, 0);
    if (!mask) return;
    const int of_board = std::max(1, device_.gpu.sm_count / std::max(1, device_.gpu.sms_per_tpc));
    const int of_chip = tpcs_of_chip(device_, of_board);
    const auto chip = of_chip < 64 ? (std::uint64_t{1} << of_chip) - 1 : ~std::uint64_t{0};
    const int powered = of_chip - std::popcount(static_cast<std::uint64_t>(*mask) & chip);
    if (powered == 0) problem(setting, "no TPC is powered");
    result_.mode.tpcs = std::clamp(powered, 1, of_board);
  }

  [[nodiscard]] bool senses_current() const {
    return device_.power && device_.power->over_current && device_.power->over_current->input_v > 0;
  }

  void read_current(const NvpSetting& setting) {
    const auto milliamperes = number(setting, no_limit);
    if (!milliamperes || *milliamperes <= 0) return;
    const double amperes = static_cast<double>(*milliamperes) / 1e3;
    if (setting.argument == "WARN") result_.mode.over_current.average_a = amperes;
    if (setting.argument == "CRIT") result_.mode.over_current.instantaneous_a = amperes;
  }

  const NvpFile& file_;
  const NvpMode& mode_;
  const board::DeviceSpec& device_;
  input::Problems& problems_;
  ModeOnBoard result_;
  std::vector<bool> offline_;  // indexed by the kernel's core numbers
  std::vector<std::optional<double>> cpu_max_, cpu_min_;
  std::vector<std::string> ignored_;
};

}  // namespace

std::optional<ModeOnBoard> mode_on_board(const NvpFile& file, const NvpMode& mode,
                                         const board::DeviceSpec& device, input::Problems& problems) {
  input::Problems own;
  ModeOnBoard result = ModeReader(file, mode, device, own).run();
  own.sort();
  problems.append(own);
  return own.empty() ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace jostle::profiles
