// Random draws of profiles, according to the uncertainty of their parameters.
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
#include "calibration/profile/uncertainty.hpp"
#include "input/quantity.hpp"
#include "sim/math.hpp"
#include "sim/random.hpp"

namespace jostle::calibration {
namespace {

constexpr auto count = static_cast<Eigen::Index>(uncertainty_draws);

// Standard normal numbers, one for each draw: pairs of equal size and opposite sign, scaled to a variance of
// exactly 1.
Eigen::VectorXd scores(const std::string& name) {
  sim::RandomStream random(1, "draw " + first_path(name));
  Eigen::VectorXd found(count);
  for (Eigen::Index i = 0; i < count / 2; ++i) {
    found[i] = random.normal(0, 1);
    found[i + count / 2] = -found[i];
  }
  return found / std::sqrt(found.squaredNorm() / static_cast<double>(count));
}

// A matrix R with R Rᵀ = covariance, by LDLᵀ. Pivots that are negative because of rounding count as zero.
Eigen::MatrixXd root(const std::vector<double>& covariance, Eigen::Index n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(covariance.data(), n, n);
  const Eigen::LDLT<Eigen::MatrixXd> parts(matrix);
  const Eigen::VectorXd scale = parts.vectorD().cwiseMax(0).cwiseSqrt();
  const Eigen::MatrixXd lower = Eigen::MatrixXd(parts.matrixL()) * scale.asDiagonal();
  return parts.transpositionsP().transpose() * lower;
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

std::vector<Draw> draws(const Uncertainty& uncertainty, const Profile& profile) {
  std::vector<Draw> found(uncertainty_draws);
  const auto add = [&](const std::string& name, const Eigen::VectorXd& logs) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].names.push_back(name);
      found[i].ratios.push_back(sim::exp(logs[static_cast<Eigen::Index>(i)]));
    }
  };
  const auto n = static_cast<Eigen::Index>(uncertainty.figures.size());
  if (n > 0) {
    Eigen::MatrixXd z(n, count);
    for (Eigen::Index i = 0; i < n; ++i) z.row(i) = scores(fmt::format("{}", i)).transpose();
    const Eigen::MatrixXd logs = root(uncertainty.covariance, n) * z;
    for (Eigen::Index i = 0; i < n; ++i)
      add(uncertainty.figures[static_cast<std::size_t>(i)], logs.row(i).transpose());
  }
  for (const ProfileParameter& figure : profile.figures) {
    const Prior* const prior = prior_of(figure.path);
    if (prior == nullptr || !prior->drawn || figure.from.grade != ParameterGrade::assumed ||
        std::ranges::find(uncertainty.figures, figure.path) != uncertainty.figures.end())
      continue;
    add(figure.path, prior->sd * scores(figure.path));
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
