// Random numbers that are equal on every machine, from own generators and distributions. Each source has a
// stream named after it, so adding a source does not change the numbers of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace jostle::sim {

// xoshiro256++ (Blackman and Vigna 2019), its state filled by splitmix64 from the seed and the name.
class RandomStream {
 public:
  // Streams with different names or seeds are independent for all purposes of this simulator.
  RandomStream(std::uint64_t seed, std::string_view name);

  // 64 random bits.
  [[nodiscard]] std::uint64_t bits();
  // Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform();
  // Exponentially distributed, like the gaps of a Poisson process. mean > 0.
  [[nodiscard]] double exponential(double mean);
  [[nodiscard]] double normal(double mean, double standard_deviation);
  // A lognormal factor of mean 1 and coefficient of variation cv ≥ 0 (0: exactly 1, and nothing is drawn).
  [[nodiscard]] double lognormal_unit_mean(double cv);
  // Uniform in 0 … n-1, without bias. n ≥ 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  friend class LognormalFactors;
  struct Polar {
    double x, y, square;
  };
  [[nodiscard]] Polar polar();

  std::array<std::uint64_t, 4> state_;
  std::optional<double> second_normal_;  // the polar method gives two numbers at a time
  // Parameters of the last lognormal factor: most sources request the same cv every time.
  double cv_ = 0, log_mean_ = 0, log_deviation_ = 0;
};

// Lognormal factors of one coefficient of variation: the same that RandomStream::lognormal_unit_mean would
// draw from the stream one after another. They are computed eight at a time, faster than one by one.
class LognormalFactors {
 public:
  LognormalFactors(const RandomStream& stream, double cv);

  [[nodiscard]] double next() {
    if (next_ == drawn_.size()) draw();
    return drawn_[next_++];
  }

 private:
  void draw();

  RandomStream stream_;
  double log_mean_, log_deviation_;
  std::array<double, 8> drawn_;
  std::size_t next_;
};

}  // namespace jostle::sim
