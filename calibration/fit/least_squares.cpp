#include "calibration/fit/least_squares.hpp"

#include <ceres/ceres.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace jostle::calibration {
namespace {

constexpr double huber_sd = 1.5;      // standard deviations
constexpr double far_off = 2.302585;  // ln 10, used if the prediction is not positive

// ln(predicted / measured) of all rows, and its derivative by the logarithm of each parameter.
struct Point {
  Eigen::VectorXd logs;
  Eigen::VectorXd off;
  Eigen::MatrixXd jacobian;
  std::vector<double> predicted;
};

class Rows {
 public:
  Rows(std::span<const Parameter> parameters, std::span<const Measured> rows, const Predict& predict,
       double step)
      : parameters_(parameters), rows_(rows), predict_(predict), step_(step) {}

  // Predicts all values around a point in one call, so that the caller may simulate them in parallel.
  // Derivatives are one-sided during the iteration and central (`exact`) at the end.
  const Point& at(const Eigen::VectorXd& logs, bool slopes, bool exact = false) {
    if (!exact && point_.logs.size() == logs.size() && point_.logs == logs &&
        (!slopes || point_.jacobian.cols() == logs.size()))
      return point_;
    std::vector<std::vector<double>> points{exponentials(logs)};
    struct Slope {
      std::size_t above = 0, below = 0;  // indices in `points`
      double span = 0;
    };
    std::vector<Slope> jacobian;
    for (Eigen::Index i = 0; slopes && i < logs.size(); ++i) {
      const Parameter& parameter = parameters_[static_cast<std::size_t>(i)];
      Slope& slope = jacobian.emplace_back();
      // Index of the moved point; 0 if the bound leaves no room.
      const auto moved = [&](double to) -> std::size_t {
        if (std::abs(to - logs[i]) < step_ / 2) return 0;
        Eigen::VectorXd at = logs;
        at[i] = to;
        slope.span += std::abs(to - logs[i]);
        points.push_back(exponentials(at));
        return points.size() - 1;
      };
      slope.above = moved(std::min(logs[i] + step_, std::log(parameter.upper)));
      if (exact || slope.above == 0)
        slope.below = moved(std::max(logs[i] - step_, std::log(parameter.lower)));
    }
    points_ += points.size();
    const auto found = predict_(points);
    point_ = {logs, off(found.front()), {}, found.front()};
    if (slopes) point_.jacobian.setZero(static_cast<Eigen::Index>(rows_.size()), logs.size());
    for (std::size_t i = 0; i < jacobian.size(); ++i) {
      const Slope& slope = jacobian[i];
      if (slope.span > 0)
        point_.jacobian.col(static_cast<Eigen::Index>(i)) =
            (off(found[slope.above]) - off(found[slope.below])) / slope.span;
    }
    return point_;
  }
  [[nodiscard]] std::size_t points() const { return points_; }

 private:
  static std::vector<double> exponentials(const Eigen::VectorXd& logs) {
    std::vector<double> values;
    for (const double log : logs) values.push_back(std::exp(log));
    return values;
  }
  [[nodiscard]] Eigen::VectorXd off(const std::vector<double>& predicted) const {
    Eigen::VectorXd logs(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      logs[static_cast<Eigen::Index>(i)] =
          predicted[i] > 0 ? std::clamp(std::log(predicted[i] / rows_[i].value), -far_off, far_off)
                           : -far_off;
    }
    return logs;
  }

  std::span<const Parameter> parameters_;
  std::span<const Measured> rows_;
  const Predict& predict_;
  double step_;
  Point point_;
  std::size_t points_ = 0;
};

// Predicts all rows in advance, since Ceres evaluates a point row by row.
class Ahead : public ceres::EvaluationCallback {
 public:
  Ahead(Rows& rows, const Eigen::VectorXd& logs) : rows_(rows), logs_(logs) {}
  void PrepareForEvaluation(bool slopes, bool new_point) override {
    if (new_point || slopes) point_ = &rows_.at(logs_, slopes);
  }
  [[nodiscard]] const Point& point() const { return *point_; }

 private:
  Rows& rows_;
  const Eigen::VectorXd& logs_;
  const Point* point_ = nullptr;
};

class Row : public ceres::CostFunction {
 public:
  Row(const Ahead& ahead, std::size_t index, double sd, std::size_t parameters)
      : ahead_(ahead), index_(static_cast<Eigen::Index>(index)), sd_(sd) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(parameters));
  }
  bool Evaluate(double const* const* /*at*/, double* residuals, double** jacobians) const override {
    const Point& point = ahead_.point();
    residuals[0] = point.off[index_] / sd_;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      for (Eigen::Index i = 0; i < point.jacobian.cols(); ++i)
        jacobians[0][i] = point.jacobian(index_, i) / sd_;
    }
    return true;
  }

 private:
  const Ahead& ahead_;
  Eigen::Index index_;
  double sd_;
};

class Priors : public ceres::CostFunction {
 public:
  explicit Priors(std::span<const Parameter> parameters) : parameters_(parameters) {
    set_num_residuals(static_cast<int>(parameters.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(parameters.size()));
  }
  bool Evaluate(double const* const* at, double* residuals, double** jacobians) const override {
    const std::size_t n = parameters_.size();
    for (std::size_t i = 0; i < n; ++i)
      residuals[i] = (at[0][i] - std::log(parameters_[i].prior)) / parameters_[i].prior_sd;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      std::fill_n(jacobians[0], n * n, 0.0);
      for (std::size_t i = 0; i < n; ++i) jacobians[0][i * n + i] = 1 / parameters_[i].prior_sd;
    }
    return true;
  }

 private:
  std::span<const Parameter> parameters_;
};

void check(std::span<const Parameter> parameters, std::span<const Measured> rows) {
  if (parameters.empty()) throw std::invalid_argument("a fit needs at least one parameter");
  for (const Parameter& p : parameters) {
    if (!(p.lower > 0 && p.lower <= p.prior && p.prior <= p.upper && p.prior_sd > 0))
      throw std::invalid_argument("the prior of " + p.name + " is outside its bounds");
  }
  for (const Measured& row : rows)
    if (!(row.value > 0 && row.sd > 0)) throw std::invalid_argument("a measured value must be positive");
}

// The inverse of the information from rows (weighted by Huber's loss) and priors.
Eigen::MatrixXd covariance_of(const Point& point, std::span<const Parameter> parameters,
                              std::span<const Measured> rows) {
  const auto n = static_cast<Eigen::Index>(parameters.size());
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    const double off = std::abs(point.off[row]) / rows[r].sd;
    const double weight = (off <= huber_sd ? 1 : huber_sd / off) / (rows[r].sd * rows[r].sd);
    information += weight * point.jacobian.row(row).transpose() * point.jacobian.row(row);
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double sd = parameters[static_cast<std::size_t>(i)].prior_sd;
    information(i, i) += 1 / (sd * sd);
  }
  return information.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
}

}  // namespace

LogFit fit(std::span<const Parameter> parameters, std::span<const Measured> measured, const Predict& predict,
           const FitOptions& options) {
  check(parameters, measured);
  const std::size_t n = parameters.size();
  Eigen::VectorXd logs(static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i)
    logs[static_cast<Eigen::Index>(i)] = std::log(
        options.start.empty() ? parameters[i].prior
                              : std::clamp(options.start[i], parameters[i].lower, parameters[i].upper));

  Rows rows(parameters, measured, predict, options.step);
  Ahead ahead(rows, logs);
  ceres::Problem::Options settings;
  settings.evaluation_callback = &ahead;
  ceres::Problem problem(settings);
  problem.AddParameterBlock(logs.data(), static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    problem.SetParameterLowerBound(logs.data(), static_cast<int>(i), std::log(parameters[i].lower));
    problem.SetParameterUpperBound(logs.data(), static_cast<int>(i), std::log(parameters[i].upper));
  }
  for (std::size_t i = 0; i < measured.size(); ++i)
    problem.AddResidualBlock(new Row(ahead, i, measured[i].sd, n), new ceres::HuberLoss(huber_sd),
                             logs.data());
  problem.AddResidualBlock(new Priors(parameters), nullptr, logs.data());

  ceres::Solver::Options how;
  how.linear_solver_type = ceres::DENSE_QR;
  how.max_num_iterations = options.max_iterations;
  how.function_tolerance = 1e-3;
  how.parameter_tolerance = 1e-3;
  how.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(how, &problem, &summary);

  const Point& best = rows.at(logs, true, true);
  const Eigen::MatrixXd covariance = covariance_of(best, parameters, measured);
  LogFit fitted;
  fitted.converged = summary.termination_type == ceres::CONVERGENCE;
  fitted.predicted = best.predicted;
  fitted.points = rows.points();
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    fitted.values.push_back(std::exp(logs[at]));
    fitted.variance_left.push_back(covariance(at, at) / (parameters[i].prior_sd * parameters[i].prior_sd));
    for (Eigen::Index j = 0; j < covariance.cols(); ++j) fitted.covariance.push_back(covariance(at, j));
  }
  return fitted;
}

}  // namespace jostle::calibration
