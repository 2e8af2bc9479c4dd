#include "analyses/interval/model_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "input/counted.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

using profiles::Residual;

constexpr std::array<const char*, 6> bases{"measured", "network", "family",
                                           "laws",     "single",  "model"};  // best first

// Leaves out rows that repeat a value on the same basis.
std::vector<const HeldOutRow*> without_twins(const std::vector<HeldOutRow>& rows) {
  std::set<std::tuple<std::string, std::string, std::string>> known;
  std::vector<const HeldOutRow*> found;
  for (const HeldOutRow& row : rows)
    if (row.value.empty() || known.emplace(row.quantity, row.basis, row.value).second) found.push_back(&row);
  return found;
}

// The wider of `known` and `other` (null: none).
Residual wider(const Residual& known, const Residual* other) {
  return other != nullptr && other->half_width > known.half_width ? *other : known;
}

std::optional<Residual> widest(const profiles::Uncertainty& uncertainty, const std::string& device,
                               const std::string& quantity) {
  std::optional<Residual> found;
  for (const Residual& known : uncertainty.residuals)
    if (known.quantity == quantity && (known.device.empty() || known.device == device))
      found = found ? wider(*found, &known) : known;
  return found;
}

// The residual on exactly this basis: of this device, or, if `device` is empty, of all devices.
const Residual* known_on(const profiles::Uncertainty& uncertainty, const std::string& device,
                         const std::string& quantity, const std::string& basis) {
  const auto found = std::ranges::find_if(uncertainty.residuals, [&](const Residual& known) {
    return known.device == device && known.quantity == quantity && known.basis == basis;
  });
  return found != uncertainty.residuals.end() ? &*found : nullptr;
}

// The residual on this basis or a weaker one. The board's own residuals come first: its own on a weaker basis
// is more relevant than that of all boards on this one. Measured kernels, runtimes and neighbours are the
// exception, because what is left of their error is common to all boards.
std::optional<Residual> on_basis(const profiles::Uncertainty& uncertainty, const std::string& device,
                                 const std::string& quantity, const std::string& basis) {
  const std::string kernels = basis.substr(0, basis.find(' '));
  const std::string runtime = basis.substr(kernels.size());
  if (kernels == bases.front() || !runtime.empty())
    if (const auto* known = uncertainty.residual(device, quantity, basis)) return *known;
  // The host time of a framework is modelled equally badly on every device, so that the residual is at least
  // that measured with this framework elsewhere.
  const Residual* const of_host =
      runtime.empty() ? nullptr : uncertainty.residual(device, quantity, bases.front() + runtime);
  for (const std::string& of : {device, std::string()}) {
    for (const auto* from = std::ranges::find(bases, kernels); from != bases.end(); ++from) {
      if (!runtime.empty())
        if (const auto* known = known_on(uncertainty, of, quantity, *from + runtime)) return *known;
      if (const auto* known = known_on(uncertainty, of, quantity, *from)) return wider(*known, of_host);
    }
  }
  return of_host != nullptr ? std::optional(*of_host) : std::nullopt;
}

}  // namespace

double HeldOutRow::needed() const {
  const double error = sim::log(measured / spread.middle.value_or(predicted));
  const double side = error < 0 ? spread.below : spread.above;
  return std::sqrt(std::max(0.0, error * error - side * side - spread.chance * spread.chance));
}

std::vector<Residual> residuals_of(const std::vector<HeldOutRow>& rows) {
  std::vector<Residual> any, own;
  const std::vector<const HeldOutRow*> once = without_twins(rows);
  const auto add = [&once](std::vector<Residual>& to, const HeldOutRow& like, const std::string& device) {
    for (const Residual& known : to)
      if (known.device == device && known.quantity == like.quantity && known.basis == like.basis) return;
    std::vector<Needed> needed;
    std::set<std::string> devices;
    for (const HeldOutRow* row : once)
      if (row->quantity == like.quantity && row->basis == like.basis &&
          (device.empty() || row->device == device)) {
        needed.push_back({row->needed(), row->configuration});
        devices.insert(row->device);
      }
    const std::size_t runs = runs_in(needed);
    if (const auto half_width = conformal_half_width(std::move(needed)))
      to.push_back({device, like.quantity, like.basis, *half_width, runs,
                    fmt::format("{}", fmt::join(devices, ", "))});
  };
  for (const HeldOutRow* row : once) {
    add(any, *row, {});
    if (!row->device.empty()) add(own, *row, row->device);
  }
  // If one device has all the runs, its residual equals that of all devices.
  std::erase_if(own, [&any](const Residual& of_device) {
    return std::ranges::any_of(any, [&](const Residual& of_all) {
      return of_all.quantity == of_device.quantity && of_all.basis == of_device.basis &&
             of_all.rows == of_device.rows;
    });
  });
  any.insert(any.end(), own.begin(), own.end());
  return any;
}

std::optional<Residual> residual_for(const profiles::Uncertainty& uncertainty, const std::string& device,
                                     const std::string& quantity, const std::string& basis) {
  if (const auto known = on_basis(uncertainty, device, quantity, basis)) return known;
  const auto of_any = widest(uncertainty, device, quantity);
  if (quantity != "latency p99") return of_any;
  const auto of_mean = residual_for(uncertainty, device, "latency", basis);
  return of_mean && of_any ? wider(*of_mean, &*of_any) : of_mean ? of_mean : of_any;
}

std::optional<Residual> beyond_tables(std::optional<Residual> residual, double octaves) {
  if (residual) residual->half_width = std::hypot(residual->half_width, batch_error(octaves));
  return residual;
}

std::string origin_of(const Residual& residual) {
  const std::string& of = residual.device.empty() ? residual.of : residual.device;
  return fmt::format("{} of {} ({}, {})", input::counted(residual.rows, "run"),
                     of.empty() ? "all boards" : of, residual.quantity, residual.basis);
}

namespace {

constexpr double wanted = 0.9;
constexpr double rounding = 1e-9;  // tolerance for sums of weights like 1/3

std::map<std::string, double> values_of_runs(const std::vector<Needed>& needed) {
  std::map<std::string, double> found;
  for (const Needed& value : needed) ++found[value.run];
  return found;
}

}  // namespace

std::optional<double> conformal_half_width(std::vector<Needed> needed) {
  const std::map<std::string, double> values = values_of_runs(needed);
  const double enough = wanted * static_cast<double>(values.size() + 1) - rounding;
  std::ranges::stable_sort(needed, {}, &Needed::half_width);
  double weight = 0;
  for (const Needed& value : needed) {
    weight += 1 / values.at(value.run);
    if (weight >= enough) return value.half_width;
  }
  return std::nullopt;
}

std::size_t runs_in(const std::vector<Needed>& needed) {
  return values_of_runs(needed).size();
}

}  // namespace jostle::analyses
