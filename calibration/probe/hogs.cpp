#include "calibration/probe/hogs.hpp"

#include "calibration/probe/clock.hpp"
#include "calibration/probe/workers.hpp"

namespace jostle::calibration::probe {
namespace {

// A gap between two readings that is longer is a time in which others had the core. Interrupts take less.
constexpr std::int64_t shortest_gap_ns = 100'000;

struct HogNotes {
  static constexpr std::uint32_t most = 1U << 15U;
  WorkerSignals signals;
  std::atomic<std::uint32_t> count;
  Stretch stretches[most];

  void add(const Stretch& stretch) {
    const std::uint32_t at = count.fetch_add(1);
    if (at < most) stretches[at] = stretch;
  }
};

void note_stretches(HogNotes& notes, int hog) {
  std::int64_t start = now_ns(), last = start;
  while (!notes.signals.stop) {
    const std::int64_t now = now_ns();
    if (now - last > shortest_gap_ns) {
      notes.add({hog, start, last - start});
      start = now;
    }
    last = now;
  }
  notes.add({hog, start, last - start});
}

}  // namespace

std::vector<Stretch> run_hogs(const CpuBench& bench, int hogs, double seconds) {
  const Shared<HogNotes> notes;
  Workers workers;
  for (int hog = 0; hog < hogs; ++hog)
    workers.start(bench.core(), [&, hog] {
      ++notes->signals.ready;
      while (notes->signals.ready < hogs && !notes->signals.stop) continue;
      note_stretches(*notes, hog);
    });
  wait_until(now_ns() + static_cast<std::int64_t>(1e9 * seconds), bench.session.interrupted);
  notes->signals.stop = true;
  workers.wait(0.6, bench.session.interrupted);
  std::vector<Stretch> stretches;
  if (bench.session.interrupted) return stretches;
  std::vector<bool> began(static_cast<std::size_t>(hogs), false);
  for (std::uint32_t i = 0; i < std::min(notes->count.load(), HogNotes::most); ++i) {
    const Stretch& stretch = notes->stretches[i];
    const auto hog = static_cast<std::size_t>(stretch.hog);
    if (began[hog]) stretches.push_back(stretch);
    began[hog] = true;
  }
  return stretches;
}

Convolution::Convolution(int channels, int side)
    : channels_(channels),
      side_(side),
      input_(static_cast<std::size_t>(channels * (side + 2) * (side + 2)), 0.5F),
      weights_(static_cast<std::size_t>(channels * channels * 9), 0.01F),
      output_(static_cast<std::size_t>(channels * side * side)) {}

float Convolution::run() {
  const auto side = static_cast<std::size_t>(side_), row = side + 2, plane = row * row;
  const auto channels = static_cast<std::size_t>(channels_);
  for (std::size_t out = 0; out < channels; ++out) {
    float* const result = output_.data() + out * side * side;
    for (std::size_t i = 0; i < side * side; ++i) result[i] = 0;
    for (std::size_t in = 0; in < channels; ++in)
      for (std::size_t k = 0; k < 9; ++k) {
        const float weight = weights_[(out * channels + in) * 9 + k];
        const float* const from = input_.data() + in * plane + k / 3 * row + k % 3;
        for (std::size_t y = 0; y < side; ++y)
          for (std::size_t x = 0; x < side; ++x) result[y * side + x] += weight * from[y * row + x];
      }
  }
  input_[row + 1] = output_[0] * 1e-3F;
  return output_[0];
}

}  // namespace jostle::calibration::probe
