// Draws of profiles, according to the uncertainty of their parameters.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibration/fit/priors.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/profile/renamed_keys.hpp"
#include "calibration/profile/sobol.hpp"
#include "calibration/profile/uncertainty.hpp"
#include "input/quantity.hpp"
#include "sim/math.hpp"
#include "sim/random.hpp"

namespace jostle::calibration {
namespace {

// A matrix R with R Rᵀ = covariance: of all such, the one whose unknowns are nearest to the parameters, in
// units of their standard deviations (Kessy, Lewin and Strimmer 2018, ZCA-cor). Eigenvalues that are negative
// because of rounding count as zero.
Eigen::MatrixXd root(const std::vector<double>& covariance, Eigen::Index n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(covariance.data(), n, n);
  const Eigen::VectorXd sd = matrix.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd per_sd = (sd.array() > 0).select(sd.cwiseInverse(), 0);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(per_sd.asDiagonal() * matrix *
                                                             per_sd.asDiagonal());
  const Eigen::VectorXd scale = parts.eigenvalues().cwiseMax(0).cwiseSqrt();
  return sd.asDiagonal() * parts.eigenvectors() * scale.asDiagonal() * parts.eigenvectors().transpose();
}

const Prior* prior_of(const std::string& path) {
  const auto known = std::ranges::find(priors(), path, &Prior::path);
  return known != priors().end() ? &*known : nullptr;
}

// "factor int8", "factor resnet int8", "factor resnet50 int8": for all networks, for a family, for one
// network.
bool is_of(const std::string& name, const dnn::Factor& factor) {
  const std::string precision = dnn::to_string(factor.precision);
  return name == "factor " + precision || name == "factor " + factor.family + " " + precision ||
         (!factor.model.empty() && name == "factor " + factor.model + " " + precision);
}

}  // namespace

std::vector<Draw> draws(const Uncertainty& uncertainty, const Profile& profile, std::uint64_t seed) {
  std::vector<std::string> names = uncertainty.figures;
  std::vector<double> sds;  // of those that follow the covariance's
  for (const ProfileParameter& figure : profile.figures) {
    const Prior* const prior = prior_of(figure.path);
    if (prior == nullptr || !prior->drawn || figure.from.grade != ParameterGrade::assumed ||
        std::ranges::find(uncertainty.figures, figure.path) != uncertainty.figures.end())
      continue;
    names.push_back(figure.path);
    sds.push_back(prior->sd);
  }
  std::vector<std::uint64_t> keys;
  for (const std::string& name : names)
    keys.push_back(sim::RandomStream(seed, "draw " + first_path(name)).bits());
  const auto points = sobol_points(uncertainty_draws, keys);

  const auto n = static_cast<Eigen::Index>(uncertainty.figures.size());
  const Eigen::MatrixXd connected = n > 0 ? root(uncertainty.covariance, n) : Eigen::MatrixXd();
  std::vector<Draw> found(uncertainty_draws);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Eigen::VectorXd normal(static_cast<Eigen::Index>(names.size()));
    for (std::size_t j = 0; j < names.size(); ++j) {
      found[i].scores.push_back(points[j][i]);
      normal[static_cast<Eigen::Index>(j)] = normal_quantile(points[j][i]);
    }
    found[i].names = names;
    const Eigen::VectorXd logs = n > 0 ? Eigen::VectorXd(connected * normal.head(n)) : Eigen::VectorXd();
    for (Eigen::Index j = 0; j < n; ++j) found[i].ratios.push_back(sim::exp(logs[j]));
    for (std::size_t j = 0; j < sds.size(); ++j)
      found[i].ratios.push_back(sim::exp(sds[j] * normal[n + static_cast<Eigen::Index>(j)]));
  }
  return found;
}

Profile drawn(const input::Node& document, const Profile& profile, const Draw& draw) {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < draw.names.size(); ++i) {
    const auto known = std::ranges::find(profile.figures, draw.names[i], &ProfileParameter::path);
    if (known == profile.figures.end()) continue;
    const auto value = input::quantity(known->value);
    if (!value) continue;
    const Prior* const prior = prior_of(known->path);
    if (prior == nullptr) continue;
    const double most = prior->most(value->number, value->unit);
    set.push_back(fmt::format("{}={{value: {}, grade: fitted, source: drawn}}", known->path,
                              value->times(std::clamp(draw.ratios[i], 1 / prior->range, most))));
  }
  input::Problems problems;
  auto found = profile_of(document, problems, set);
  if (!found) throw std::runtime_error(problems.text());
  found->factors = profile.factors;
  for (dnn::Factor& factor : found->factors) {
    for (std::size_t i = 0; i < draw.names.size(); ++i)
      if (is_of(draw.names[i], factor)) factor.value *= draw.ratios[i];
  }
  return std::move(*found);
}

}  // namespace jostle::calibration
