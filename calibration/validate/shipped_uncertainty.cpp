
#include <algorithm>
#include <iterator>
#include <utility>

#include "calibration/calibrate/held_out.hpp"
#include "calibration/calibrate/traces.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/validate/validate.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

std::vector<analyses::HeldOutRow> held_out_on_h200(const profiles::Profile& profile) {
  const auto of = [](const ComparisonGroup& group, const char* from, const char* quantity,
                     const char* basis) {
    return held_out_rows(group, from, "nvidia-h200", quantity, basis);
  };
  std::vector<analyses::HeldOutRow> rows =
      of(compare_contended(profile, "graph"), "images/s per process", "throughput", "measured");
  for (const auto& more : {of(compare_contended(profile, "eager"), "images/s per process, by rank",
                              "throughput", "measured eager"),
                           of(compare_open_loop(profile), "p50", "latency", "measured"),
                           of(compare_open_loop(profile), "p99", "latency p99", "measured")})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

// The rows with their coverage, each value once, by board and quantity.
std::vector<ComparisonGroup> coverage_of(const std::vector<analyses::HeldOutRow>& rows) {
  const auto inside = covered(rows);
  std::vector<ComparisonGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const analyses::HeldOutRow& row = rows[i];
    auto group = std::ranges::find(groups, row.device, &ComparisonGroup::name);
    if (group == groups.end()) group = groups.insert(group, {row.device, "", "", {}, {}});
    const std::string quantity = row.quantity + ", " + row.basis;
    const bool known = std::ranges::any_of(group->comparisons, [&](const Comparison& other) {
      return other.run == row.value && other.quantity == quantity;
    });
    if (!known) group->comparisons.push_back({row.value, quantity, row.measured, row.predicted, inside[i]});
  }
  return groups;
}

}  // namespace

ShippedUncertainty shipped_uncertainty(const std::function<void(double)>& progress) {
  constexpr const char* well_measured = "jetson-orin-nano-super";
  std::string text = profiles::uncertainty_csv_header();
  std::vector<analyses::HeldOutRow> rows =
      held_out_on_h200(profiles::shipped_base_profile("nvidia-h200").profile);

  std::vector<RunConfiguration> all;
  std::ranges::copy_if(shipped_run_configurations(), std::back_inserter(all), &RunConfiguration::on_gpu);
  std::vector<std::string> devices;
  for (const RunConfiguration& configuration : all)
    if (std::ranges::find(devices, configuration.device) == devices.end())
      devices.push_back(configuration.device);
  CalibrationControl hold;
  hold.hold = true;
  for (const std::string& device : devices) {
    std::vector<RunConfiguration> own;
    std::ranges::copy_if(all, std::back_inserter(own),
                         [&](const RunConfiguration& s) { return s.device == device; });
    const profiles::BaseProfile base = profiles::shipped_base_profile(device);
    text += profiles::uncertainty_csv(calibrate(base, own, PriorsFrom::profile, hold).uncertainty(), device);
    if (device == well_measured) {
      const Calibration fitted = calibrate(base, own, PriorsFrom::reference);
      const HeldOut validation = held_out(base, own, PriorsFrom::reference, fitted);
      rows.insert(rows.end(), validation.rows.begin(), validation.rows.end());
    }
    if (progress) progress(0.1 + (device == well_measured ? 0.6 : 0.05));
  }
  const Calibration h100 = calibrate_traces(profiles::shipped_base_profile("nvidia-h200"),
                                            calibration::embedded_traces("h100"), PriorsFrom::profile);
  text += profiles::uncertainty_csv(h100.uncertainty(), "nvidia-h100");
  for (analyses::HeldOutRow& row : validate_boards().held_out)
    if (row.device != well_measured) rows.push_back(std::move(row));
  for (analyses::HeldOutRow& row : validate_frameworks().held_out) rows.push_back(std::move(row));
  const std::vector<ComparisonGroup> clients = validate_clients();
  for (const auto& [group, basis] :
       {std::pair(&clients.front(), "measured beside"), std::pair(&clients.back(), "single beside")})
    for (const auto& [from, quantity] : {std::pair("images/s", "throughput"), std::pair("watts", "power")})
      for (analyses::HeldOutRow& row : held_out_rows(*group, from, "nvidia-h200", quantity, basis))
        rows.push_back(std::move(row));
  for (analyses::HeldOutRow& row : language_held_out()) rows.push_back(std::move(row));
  if (progress) progress(1);
  profiles::Uncertainty of_all;
  of_all.residuals = analyses::residuals_of(rows);
  return {text + profiles::uncertainty_csv(of_all, {}), coverage_of(rows)};
}

}  // namespace jostle::calibration
