#include "sim/random.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "sim/math.hpp"

namespace jostle::sim {
namespace {

// splitmix64 (Steele, Lea and Flood 2014): the step of its counter, and its output function.
constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

// 64-bit FNV-1a.
[[nodiscard]] constexpr std::uint64_t hash(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : state_{} {
  // Both are mixed before they are combined, so that similar (seed, name) pairs do not collide.
  std::uint64_t counter = mix(seed + golden_gamma) ^ mix(hash(name) + 2 * golden_gamma);
  for (std::uint64_t& word : state_) word = mix(counter += golden_gamma);
}

std::uint64_t RandomStream::bits() {
  auto& [a, b, c, d] = state_;
  const std::uint64_t result = std::rotl(a + d, 23) + a;
  const std::uint64_t shifted = b << 17U;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = std::rotl(d, 45);
  return result;
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11U) * 0x1p-53;
}

double RandomStream::exponential(double mean) {
  return -mean * log(1 - uniform());
}

double RandomStream::normal(double mean, double standard_deviation) {
  if (second_normal_) {
    const double z = *second_normal_;
    second_normal_.reset();
    return mean + standard_deviation * z;
  }
  const Polar drawn = polar();
  const double scale = std::sqrt(-2 * log(drawn.square) / drawn.square);
  second_normal_ = drawn.y * scale;
  return mean + standard_deviation * (drawn.x * scale);
}

// Marsaglia's polar method: x and y times sqrt(-2 log(square) / square) are two normal numbers. (sqrt is
// exact to the last bit by IEEE 754.)
RandomStream::Polar RandomStream::polar() {
  for (;;) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square < 1 && square != 0) return {x, y, square};
  }
}

double RandomStream::lognormal_unit_mean(double cv) {
  if (cv == 0) return 1;
  if (cv != cv_) {
    const double variance = log(1 + cv * cv);
    cv_ = cv;
    log_mean_ = -0.5 * variance;
    log_deviation_ = std::sqrt(variance);
  }
  return exp(normal(log_mean_, log_deviation_));
}

LognormalFactors::LognormalFactors(const RandomStream& stream, double cv)
    : stream_(stream), log_mean_(-0.5 * log(1 + cv * cv)), log_deviation_(std::sqrt(log(1 + cv * cv))) {
  drawn_.fill(1);
  next_ = cv == 0 ? 0 : drawn_.size();
}

void LognormalFactors::draw() {
  next_ = 0;
  if (log_deviation_ == 0) return;
  constexpr std::size_t pairs = 4;
  std::array<RandomStream::Polar, pairs> polar;
  std::array<double, pairs> logarithms;
  for (std::size_t i = 0; i < pairs; ++i) {
    polar[i] = stream_.polar();
    logarithms[i] = polar[i].square;
  }
  log_each(logarithms);
  for (std::size_t i = 0; i < pairs; ++i) {
    const double scale = std::sqrt(-2 * logarithms[i] / polar[i].square);
    drawn_[2 * i] = log_mean_ + log_deviation_ * (polar[i].x * scale);
    drawn_[2 * i + 1] = log_mean_ + log_deviation_ * (polar[i].y * scale);
  }
  exp_each(drawn_);
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("RandomStream::below: n must be at least 1");
  // Rejects the few values that would make some results more likely (2^64 mod n of them).
  const std::uint64_t reject = (0 - n) % n;
  std::uint64_t drawn = bits();
  while (drawn < reject) drawn = bits();
  return drawn % n;
}

}  // namespace jostle::sim
