// Draws profiles according to the uncertainty of their parameters.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "input/units.hpp"
#include "profiles/profile/priors.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/profile/sobol.hpp"
#include "profiles/profile/uncertainty.hpp"
#include "sim/math.hpp"
#include "sim/random.hpp"

namespace jostle::profiles {
namespace {

// A matrix R with R Rᵀ = covariance. Of all such matrices, it is the one whose independent variables are
// nearest to the parameters, in units of their standard deviations (Kessy, Lewin and Strimmer 2018, ZCA-cor).
// Eigenvalues that are negative because of rounding count as zero.
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

// True if the factor has that name: "factor int8" for all networks, "factor resnet int8" for a family,
// "factor resnet50 int8" for one network.
bool is_of(const std::string& name, const dnn::Factor& factor) {
  const std::string precision = dnn::to_string(factor.precision);
  return name == "factor " + precision || name == "factor " + factor.family + " " + precision ||
         (!factor.model.empty() && name == "factor " + factor.model + " " + precision);
}

const ProfileParameter* parameter_at(const Profile& profile, const std::string& path) {
  const auto known = std::ranges::find(profile.figures, path, &ProfileParameter::path);
  return known != profile.figures.end() ? &*known : nullptr;
}

// A parameter that the covariance does not contain.
struct Unmeasured {
  std::string path;
  const Range* range = nullptr;             // null: drawn from its prior
  double sd = 0;                            // standard deviation of the prior
  std::optional<input::Written> value, of;  // the profile's value, and the value that the range refers to
};

std::optional<Unmeasured> unmeasured(const Profile& profile, const ProfileParameter& parameter) {
  const ParameterGrade grade = parameter.from.grade;
  if (grade == ParameterGrade::measured || grade == ParameterGrade::fitted) return std::nullopt;
  Unmeasured found{parameter.path, range_of(parameter.path), 0, input::amount(parameter.value), std::nullopt};
  if (found.range != nullptr) {
    const ProfileParameter* const of = parameter_at(profile, found.range->of);
    if (of != nullptr) found.of = input::amount(of->value);
    if (found.value && at_score(*found.range, *found.value, found.of, 0)) return found;
    return std::nullopt;
  }
  const Prior* const prior = prior_of(parameter.path);
  if (prior == nullptr || !prior->drawn || grade != ParameterGrade::assumed) return std::nullopt;
  found.sd = prior->sd;
  return found;
}

// The value of a parameter whose ratio to the profile's was drawn; empty for a factor.
std::string within_prior(const Profile& profile, const std::string& path, double ratio) {
  const ProfileParameter* const known = parameter_at(profile, path);
  const Prior* const prior = prior_of(path);
  const auto value = known != nullptr ? input::quantity(known->value) : std::nullopt;
  if (prior == nullptr || !value) return {};
  const double most = prior->most(value->number, value->unit);
  return value->times(std::clamp(ratio, 1 / prior->range, most));
}

std::string written(double number, const std::string& unit) {
  return input::Written{number, unit}.times(1);
}

// Adds the parameters that the covariance does not contain; their scores follow those of the others.
void add_unmeasured(Draw& draw, const std::vector<Unmeasured>& all, const Profile& profile) {
  const std::size_t before = draw.ratios.size();
  const auto ratio_of = [&](const std::string& path) {
    const auto known = static_cast<std::size_t>(std::ranges::find(draw.names, path) - draw.names.begin());
    if (path.empty() || known == draw.names.size()) return 1.0;
    if (known < before) return draw.ratios[known];
    const Unmeasured& own = all[known - before];
    if (own.range == nullptr || !(own.value->number > 0)) return 1.0;
    return *at_score(*own.range, *own.value, own.of, draw.scores[known]) / own.value->number;
  };
  for (std::size_t j = 0; j < all.size(); ++j) {
    const Unmeasured& own = all[j];
    const double score = draw.scores[before + j];
    draw.ratios.push_back(own.range != nullptr ? 1 : sim::exp(own.sd * normal_quantile(score)));
    draw.values.push_back(own.range != nullptr ? written(*at_score(*own.range, *own.value, own.of, score) *
                                                             ratio_of(own.range->of),
                                                         own.value->unit)
                                               : within_prior(profile, own.path, draw.ratios.back()));
  }
}

}  // namespace

std::vector<Draw> draws(const Uncertainty& uncertainty, const Profile& profile, std::uint64_t seed) {
  std::vector<std::string> names = uncertainty.figures;
  std::vector<Unmeasured> rest;
  for (const ProfileParameter& parameter : profile.figures) {
    if (std::ranges::find(uncertainty.figures, parameter.path) != uncertainty.figures.end()) continue;
    if (auto own = unmeasured(profile, parameter)) {
      names.push_back(parameter.path);
      rest.push_back(std::move(*own));
    }
  }
  std::vector<std::uint64_t> keys;
  for (const std::string& name : names) keys.push_back(sim::RandomStream(seed, "draw " + name).bits());
  const auto points = sobol_points(uncertainty_draws, keys);

  const auto n = static_cast<Eigen::Index>(uncertainty.figures.size());
  const Eigen::MatrixXd connected = n > 0 ? root(uncertainty.covariance, n) : Eigen::MatrixXd();
  std::vector<Draw> found(uncertainty_draws);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Draw& draw = found[i];
    draw.names = names;
    for (const auto& of_parameter : points) draw.scores.push_back(of_parameter[i]);
    Eigen::VectorXd normal(n);
    for (Eigen::Index j = 0; j < n; ++j)
      normal[j] = normal_quantile(draw.scores[static_cast<std::size_t>(j)]);
    const Eigen::VectorXd logs = n > 0 ? Eigen::VectorXd(connected * normal) : Eigen::VectorXd();
    for (Eigen::Index j = 0; j < n; ++j) {
      draw.ratios.push_back(sim::exp(logs[j]));
      draw.values.push_back(within_prior(profile, names[static_cast<std::size_t>(j)], draw.ratios.back()));
    }
    add_unmeasured(draw, rest, profile);
  }
  return found;
}

Profile drawn(const input::Node& document, const Profile& profile, const Draw& draw) {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < draw.names.size(); ++i)
    if (!draw.values[i].empty())
      set.push_back(
          fmt::format("{}={{value: {}, grade: fitted, source: drawn}}", draw.names[i], draw.values[i]));
  input::Problems problems;
  auto found = profile_of(document, problems, set);
  if (!found) throw std::runtime_error(problems.text());
  found->factors = profile.factors;
  for (dnn::Factor& factor : found->factors) {
    for (std::size_t i = 0; i < draw.names.size(); ++i)
      if (is_of(draw.names[i], factor)) factor.drawn *= draw.ratios[i];
  }
  return std::move(*found);
}

}  // namespace jostle::profiles
