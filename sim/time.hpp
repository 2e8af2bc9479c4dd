// Simulated time in integer picoseconds: an instant (Time) and a span (Duration).
//
// Both are signed 64-bit integers, so a run may last 106 days. Neither converts implicitly to or from double.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace jostle::sim {

// A span of simulated time.
class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t picoseconds) : ps_(picoseconds) {}

  [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }
  [[nodiscard]] static constexpr Duration zero() { return Duration{0}; }
  [[nodiscard]] static constexpr Duration max() { return Duration{std::numeric_limits<std::int64_t>::max()}; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) {
    ps_ += other.ps_;
    return *this;
  }
  constexpr Duration& operator-=(Duration other) {
    ps_ -= other.ps_;
    return *this;
  }
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration{a.ps_ + b.ps_}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration{a.ps_ - b.ps_}; }
  friend constexpr Duration operator-(Duration a) { return Duration{-a.ps_}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return Duration{a.ps_ * n}; }
  friend constexpr Duration operator*(std::int64_t n, Duration a) { return a * n; }
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return Duration{a.ps_ / n}; }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ps_ / b.ps_; }
  friend constexpr Duration operator%(Duration a, Duration b) { return Duration{a.ps_ % b.ps_}; }

 private:
  std::int64_t ps_ = 0;
};

// An instant of simulated time since the start of the run.
class Time {
 public:
  constexpr Time() = default;
  constexpr explicit Time(std::int64_t picoseconds) : ps_(picoseconds) {}

  [[nodiscard]] constexpr std::int64_t ps() const { return ps_; }
  [[nodiscard]] static constexpr Time zero() { return Time{0}; }
  // Later than any event; "not scheduled".
  [[nodiscard]] static constexpr Time never() { return Time{std::numeric_limits<std::int64_t>::max()}; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Duration d) {
    ps_ += d.ps();
    return *this;
  }
  friend constexpr Time operator+(Time t, Duration d) { return Time{t.ps_ + d.ps()}; }
  friend constexpr Time operator-(Time t, Duration d) { return Time{t.ps_ - d.ps()}; }
  friend constexpr Duration operator-(Time a, Time b) { return Duration{a.ps_ - b.ps_}; }

 private:
  std::int64_t ps_ = 0;
};

// Replaces std::llround() without the call: rounds to the nearest whole number, halves away from zero.
[[nodiscard]] constexpr std::int64_t rounded(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  const double rest = value - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// Conversions from and to real numbers, rounded to the nearest picosecond.
[[nodiscard]] inline Duration picoseconds(double value) {
  return Duration{rounded(value)};
}
[[nodiscard]] inline Duration nanoseconds(double value) {
  return Duration{rounded(value * 1e3)};
}
[[nodiscard]] inline Duration microseconds(double value) {
  return Duration{rounded(value * 1e6)};
}
[[nodiscard]] inline Duration milliseconds(double value) {
  return Duration{rounded(value * 1e9)};
}
// The result is limited to 26 days either way, beyond any run, so that a time plus one of these never
// overflows.
[[nodiscard]] inline Duration seconds(double value) {
  constexpr double most = 0x1p61;
  return Duration{rounded(std::clamp(value * 1e12, -most, most))};
}
[[nodiscard]] constexpr double to_us(Duration d) {
  return static_cast<double>(d.ps()) / 1e6;
}
[[nodiscard]] constexpr double to_ms(Duration d) {
  return static_cast<double>(d.ps()) / 1e9;
}
[[nodiscard]] constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.ps()) / 1e12;
}

// The time that `work` takes at `rate` times the reference speed (rate > 0), and the work done in a time.
// Rounded to the nearest picosecond.
[[nodiscard]] inline Duration time_for(Duration work, double rate) {
  return rate == 1.0 ? work : Duration{rounded(static_cast<double>(work.ps()) / rate)};
}
[[nodiscard]] inline Duration work_in(Duration elapsed, double rate) {
  return rate == 1.0 ? elapsed : Duration{rounded(static_cast<double>(elapsed.ps()) * rate)};
}

}  // namespace jostle::sim
