// A quantity that changes at instants (a queue length, a clock, a power) and its integral over time.
#pragma once

#include <optional>

#include "sim/time.hpp"

namespace jostle::sim {

class TimeWeighted {
 public:
  explicit TimeWeighted(double value = 0, Time at = Time::zero()) : start_(at), since_(at), value_(value) {}

  // Sets the quantity to `value` from `at` on. `at` must not be earlier than in the last call.
  void set(Time at, double value) {
    advance(at);
    value_ = value;
  }
  void add(Time at, double change) { set(at, value_ + change); }
  // Discards the history (end of the warm-up), keeps the current value.
  void restart(Time at) {
    start_ = since_ = at;
    integral_ = 0;
  }

  [[nodiscard]] double value() const { return value_; }
  // Integral from the start to `at`, in the quantity's unit times seconds.
  [[nodiscard]] double integral(Time at) const { return integral_ + value_ * to_seconds(at - since_); }
  // Mean from the start to `at`; undefined over a time of zero length.
  [[nodiscard]] std::optional<double> mean(Time at) const {
    if (at <= start_) return std::nullopt;
    return integral(at) / to_seconds(at - start_);
  }

 private:
  void advance(Time at) {
    integral_ += value_ * to_seconds(at - since_);
    since_ = at;
  }

  Time start_;
  Time since_;
  double value_;
  double integral_ = 0;
};

}  // namespace jostle::sim
