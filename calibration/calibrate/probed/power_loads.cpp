#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "calibration/calibrate/bench.hpp"
#include "calibration/calibrate/probed/probed_figure.hpp"
#include "calibration/fit/least_squares.hpp"
#include "input/csv.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/power/energy.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

using calibration::probe::ProbeFolder;
using input::CsvTable;

// A parameter that the loads may tell, and the width of what is known of it before (sd of the logarithm).
struct LoadParameter {
  const char* path;
  double& (*of)(power::Spec& spec);
  bool card, board;  // fitted on a card, on a board whose memory GPU and cores share
  double sd, range;
};
// On a card all that it draws at any load is in the clock tree; on a board in the module's base. The energy
// of warps stays the base's: six loads do not tell it from that of SMs.
constexpr std::array load_parameters{
    LoadParameter{"power.gpu.clock_tree", [](power::Spec& s) -> double& { return s.gpu.clock_tree_f; }, true,
                  true, 0.5, 6},
    LoadParameter{"power.gpu.sm", [](power::Spec& s) -> double& { return s.gpu.sm_f; }, true, true, 0.7, 10},
    LoadParameter{"power.gpu.tensor", [](power::Spec& s) -> double& { return s.gpu.tensor_f; }, true, true,
                  0.7, 10},
    LoadParameter{"power.gpu.issue", [](power::Spec& s) -> double& { return s.gpu.issue_f; }, true, true, 0.7,
                  10},
    LoadParameter{"power.gpu.per_byte", [](power::Spec& s) -> double& { return s.gpu.byte_j; }, true, true,
                  0.7, 10},
    LoadParameter{"power.cpu.core", [](power::Spec& s) -> double& { return s.cpu.core_f; }, false, true, 0.7,
                  10},
    LoadParameter{"power.module.base", [](power::Spec& s) -> double& { return s.base_w; }, false, true, 0.5,
                  6},
};

// Instructions of these loops have the same operands again and again, so that little switches: on an H100 a
// multiply-add of `fma` draws a fifth of the energy of a network's mean instruction (evidence/h100-probe,
// power.csv, against the profile that networks told). `issue` is the energy of those.
constexpr double of_repeated = 0.2;
// A kernel that reads the clock in a loop draws for its instructions too; how many it issues is not known,
// and fitted beside the parameters: the share of the issue slots.
constexpr double spin_issue = 0.3, spin_issue_sd = 1, spin_issue_range = 3.3;
// `fma4` has some three other instructions for each 32 multiply-adds (kernels.cu: eight rounds of four
// chains).
constexpr double fma_loop = 1 + 3.0 / 32;
constexpr double fma_lanes_of_issue = 4 * 32, flop_per_fma = 2;
constexpr double flop_per_mma = 4096, schedulers_of_sm = 4;  // an mma of 16 x 8 x 16

struct LoadRow {
  std::string load;
  double watts = 0, sd_w = 0, reported_hz = 0, effective_hz = 0;
};

// How a load occupies the GPU, as shares of it, and the cores.
struct Occupied {
  double working = 0, issue = 0, tensor = 0, bytes_per_s = 0;
  double warps = 0;     // resident, over those that all SMs hold
  double spinning = 0;  // share of the SMs on which `spin` runs
  double cores = 0;
  bool context = false;  // the GPU is open
};

// Why the fit does not use a load, or how it occupies the machine.
struct Described {
  Occupied occupied;
  std::string left_out;
};

class Loads {
 public:
  Loads(const ProbeFolder& folder, const board::DeviceSpec& spec) : folder_(folder), spec_(spec) {}

  [[nodiscard]] Described describe(const LoadRow& row) const {
    const double sms = std::max(1, spec_.gpu.sm_count);
    const double warps_of_sm = std::max(1, spec_.gpu.max_threads_per_sm / 32);  // share of those of a load
    Occupied gpu;
    gpu.context = true;
    if (row.load == "idle") return idle();
    if (row.load == "one core" || row.load == "all cores") return cores(row.load == "one core" ? 1 : 1e9);
    if (!spec_.has_gpu()) return {{}, "the profile has no GPU"};
    if (row.load == "context") {
      gpu.working = gpu.spinning = 1 / sms;
      gpu.warps = 1 / sms / warps_of_sm;
    } else if (row.load == "spin") {
      gpu.working = gpu.spinning = 1;
      gpu.warps = 32 / warps_of_sm;
    } else if (row.load == "spin on half of the SMs") {
      gpu.working = gpu.spinning = std::floor(sms / 2) / sms;
      gpu.warps = gpu.working * 32 / warps_of_sm;
    } else if (row.load == "fma") {
      const auto rate = seen("fp32_flop_per_clock_and_sm");
      if (!rate) return {{}, "the part kernels has no rate of multiply-adds"};
      gpu.working = 1;
      gpu.warps = 32 / warps_of_sm;
      gpu.issue = of_repeated * std::min(1.0, *rate / flop_per_fma / fma_lanes_of_issue * fma_loop);
    } else if (row.load == "read") {
      const auto rate = seen("dram_read");
      if (!rate) return {{}, "the part gpu_memory has no rate of reads"};
      gpu.working = gpu.warps = 1;
      gpu.bytes_per_s = *rate * 1e9;
    } else if (row.load == "tensor") {
      const auto share = tensor_share(row);
      if (!share) return {{}, "the part kernels has no rate of products on tensor cores"};
      gpu.working = 1;
      gpu.warps = 16 / warps_of_sm;
      gpu.tensor = *share;
      gpu.issue = *share * spec_.gpu.tensor_cores.fp16 / flop_per_mma / schedulers_of_sm;
    } else if (row.load == "read in L2") {
      return {{}, "profiles have no energy of bytes that come from L2"};
    } else {
      return {{}, "two loads at once, whose rates the probe does not keep"};
    }
    return {gpu, {}};
  }

  // The activity of a second; `spin_share`: of the issue slots while `spin` runs.
  [[nodiscard]] power::Activity activity(const LoadRow& row, const Occupied& by, double spin_share) const {
    power::Activity second;
    second.seconds = 1;
    double left = by.cores;
    for (const cpu::ClusterSpec& cluster : spec_.cpu->clusters) {
      const double busy = std::min<double>(left, cluster.cores);
      left -= busy;
      second.clusters.push_back(
          {.hz = cluster.max_clock_hz, .pulses = 1, .online = cluster.cores, .busy_core_s = busy});
    }
    second.emc_hz = spec_.memory.max_clock_hz;
    if (!spec_.has_gpu()) return second;
    second.sms = spec_.gpu.sm_count;
    second.gpu_hz = row.reported_hz > 0 ? row.reported_hz : row.effective_hz;
    if (!(second.gpu_hz > 0)) second.gpu_hz = spec_.gpu.max_clock_hz;
    const bool off = !by.context && spec_.power->gpu.gated_after_s > 0;
    second.gpu_gated_s = off ? 1 : 0;
    second.gpu_busy_s = by.working > 0 ? 1 : 0;
    second.working_s = by.working;
    second.issue_s = by.issue + of_repeated * by.spinning * spin_share;
    second.tensor_s = by.tensor;
    second.warps_s = by.warps;
    second.gpu_dram_bytes = second.dram_bytes = by.bytes_per_s;
    return second;
  }

 private:
  [[nodiscard]] Described idle() const {
    if (spec_.has_gpu() && !(spec_.power->gpu.gated_after_s > 0))
      return {{}, "nobody has the card open, and the profile's clocks stand"};
    return {};
  }
  [[nodiscard]] Described cores(double most) const {
    if (!spec_.memory.unified) return {{}, "the sensor is the card's, and the cores are not on it"};
    Described found = idle();
    found.occupied.cores = std::min<double>(most, spec_.core_count());
    return found;
  }
  [[nodiscard]] std::optional<double> seen(const std::string& name) const {
    for (const auto& row : folder_.parameters)
      if (row.measured.parameter == "seen." + name && row.measured.value > 0) return row.measured.value;
    return std::nullopt;
  }
  // The share of the reported clock's cycles in which the tensor pipes work.
  [[nodiscard]] std::optional<double> tensor_share(const LoadRow& row) const {
    const double peak = spec_.gpu.tensor_cores.fp16, hz = row.reported_hz;
    const auto rate = seen("tensor_fp16_flop_per_clock_and_sm");
    if (!rate || !(peak > 0)) return std::nullopt;
    return std::min(1.0, *rate / peak * (hz > 0 && row.effective_hz > 0 ? row.effective_hz / hz : 1));
  }

  const ProbeFolder& folder_;
  const board::DeviceSpec& spec_;
};

std::vector<LoadRow> load_rows(const fs::path& file) {
  constexpr std::array<std::string_view, 5> columns{"load", "power_w", "power_sd_w", "reported_clock_mhz",
                                                    "effective_clock_mhz"};
  const input::CsvTable table = input::CsvTable::read(file, columns);
  std::vector<LoadRow> rows;
  for (const input::CsvTable::Row row : table) {
    const auto number = [&](std::size_t of) { return row.number(table.column(columns[of])); };
    rows.push_back({row.text("load"), number(1), number(2), 1e6 * number(3), 1e6 * number(4)});
    if (!(rows.back().watts > 0)) row.fail("power_w is not positive");
  }
  return rows;
}

// The problem that is fitted: rows, and parameters with their quantities in the base. The last value of a
// point is the share of the issue slots of `spin`.
struct PowerFitTable {
  const Loads& loads;
  const power::Spec& spec;
  std::vector<std::pair<LoadRow, Occupied>> rows;
  std::vector<const LoadParameter*> parameters;

  [[nodiscard]] std::vector<double> watts(std::span<const double> point) const {
    power::Spec changed = spec;
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i]->of(changed) *= point[i];
    std::vector<double> found;
    for (const auto& [row, occupied] : rows)
      found.push_back(power::sum_of(
          power::energy_of(changed, loads.activity(row, occupied, point.back()), changed.reference_c)));
    return found;
  }
};

calibration::LogFit fit_table(const PowerFitTable& table) {
  std::vector<calibration::Parameter> parameters;
  for (const LoadParameter* one : table.parameters)
    parameters.push_back({one->path, 1, one->sd, 1 / one->range, one->range});
  parameters.push_back({"spin", spin_issue, spin_issue_sd, spin_issue / 30, spin_issue * spin_issue_range});
  std::vector<calibration::Measured> measured;
  for (const auto& [row, occupied] : table.rows)
    measured.push_back({row.watts, std::hypot(model_sd("power"), row.sd_w / row.watts)});
  return calibration::fit(parameters, measured, [&](std::span<const std::vector<double>> points) {
    std::vector<std::vector<double>> predicted;
    for (const std::vector<double>& point : points) predicted.push_back(table.watts(point));
    return predicted;
  });
}

// Parameters that the profile writes as a positive quantity. Others, such as a part that draws nothing, stay.
std::vector<const LoadParameter*> parameters_for(const profiles::BaseProfile& base,
                                                 std::vector<input::Written>& quantities) {
  std::vector<const LoadParameter*> found;
  const bool unified = base.profile.spec->memory.unified;
  for (const LoadParameter& one : load_parameters) {
    if (unified ? !one.board : !one.card) continue;
    const auto known = std::ranges::find(base.profile.figures, one.path, &profiles::ProfileParameter::path);
    if (known == base.profile.figures.end()) continue;
    const auto quantity = input::quantity(std::string_view(known->value));
    if (!quantity || !(quantity->number > 0)) continue;
    quantities.push_back(*quantity);
    found.push_back(&one);
  }
  return found;
}

}  // namespace

ProbedPower fit_probed_power(const ProbeFolder& folder, const profiles::BaseProfile& base) {
  ProbedPower found;
  std::error_code error;
  const fs::path file = folder.path / "power.csv";
  const board::DeviceSpec& device = *base.profile.spec;
  if (!device.power || !fs::exists(file, error)) return found;
  const Loads loads(folder, device);
  std::vector<input::Written> quantities;
  PowerFitTable table{loads, *device.power, {}, parameters_for(base, quantities)};
  std::vector<std::size_t> used;
  for (const LoadRow& row : load_rows(file)) {
    const Described described = loads.describe(row);
    found.loads.push_back({row.load, row.watts, 0, 0, described.left_out});
    if (!described.left_out.empty()) continue;
    used.push_back(found.loads.size() - 1);
    table.rows.emplace_back(row, described.occupied);
  }
  if (table.rows.empty() || table.parameters.empty()) return found;
  const calibration::LogFit fit = fit_table(table);
  std::vector<double> unchanged(table.parameters.size() + 1, 1);
  unchanged.back() = fit.values.back();
  const std::vector<double> before = table.watts(unchanged);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < used.size(); ++i) {
    found.loads[used[i]].base = before[i];
    found.loads[used[i]].fitted = fit.predicted[i];
    names.push_back(found.loads[used[i]].load);
  }
  std::vector<std::size_t> told;
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    const LoadParameter& one = *table.parameters[i];
    constexpr double near = 1.005;
    const double value = fit.values[i];
    if (!calibration::identified(fit.variance_left[i]) || value * near >= one.range ||
        value <= near / one.range)
      continue;
    told.push_back(i);
    found.figures.push_back(
        {one.path,
         {},
         {},
         quantities[i].times(value),
         "fitted",
         std::sqrt(fit.covariance[i * fit.values.size() + i]),
         fmt::format("jostle probe, power: watts of the loads {}, fitted together", fmt::join(names, ", "))});
  }
  for (const std::size_t i : told)
    for (const std::size_t j : told) found.covariance.push_back(fit.covariance[i * fit.values.size() + j]);
  return found;
}

}  // namespace jostle::calibration
