#include "models/dnn/interpolate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "models/dnn/kernel_class.hpp"
#include "sim/math.hpp"

namespace jostle::dnn {
namespace {

// A batch size for which the sum of kernel times is known.
struct Knot {
  double batch;
  double total_ps;
};

const SoloBatch* find_solo(const std::vector<SoloBatch>& solo, std::int64_t batch) {
  const auto found = std::ranges::find(solo, batch, &SoloBatch::batch);
  return found == solo.end() ? nullptr : &*found;
}

// The value at `batch` on the line through a and b.
double on_line(const Knot& a, const Knot& b, double batch) {
  return a.total_ps + (b.total_ps - a.total_ps) * (batch - a.batch) / (b.batch - a.batch);
}

// Piecewise linear interpolation through the knots (ascending, at least two), constant outside.
double affine_flat(const std::vector<Knot>& knots, double batch) {
  if (batch <= knots.front().batch) return knots.front().total_ps;
  for (std::size_t i = 1; i < knots.size(); ++i) {
    if (batch <= knots[i].batch) return on_line(knots[i - 1], knots[i], batch);
  }
  return knots.back().total_ps;
}

// The gaps of a lone process at a batch with a table and a solo time.
sim::Duration gap_of(const MeasuredBatch& table, const SoloBatch& solo) {
  const sim::Duration most = sim::microseconds(widest_gap_us * static_cast<double>(table.kernels.size()));
  return std::clamp(solo.time - table.total(), sim::Duration::zero(), most);
}

// The sum of the kernels of a table. A graph that takes longer than these and the widest gaps runs other
// kernels than were traced, so they are stretched to its time.
double total_ps(const MeasuredNetwork& network, const MeasuredBatch& table) {
  const SoloBatch* const solo = find_solo(network.solo_graph, table.batch);
  if (solo == nullptr) return static_cast<double>(table.total().ps());
  return static_cast<double>(std::max(table.total(), solo->time - gap_of(table, *solo)).ps());
}

// Launch gaps of a process alone, per batch: measured where there is both a table and a solo time.
double gap_at(const MeasuredNetwork& network, double batch) {
  std::vector<Knot> gaps;
  for (const MeasuredBatch& table : network.batches) {
    if (const SoloBatch* solo = find_solo(network.solo_graph, table.batch)) {
      gaps.push_back({static_cast<double>(table.batch), static_cast<double>(gap_of(table, *solo).ps())});
    }
  }
  return gaps.empty() ? 0 : affine_flat(gaps, batch);
}

std::vector<Knot> known_totals(const MeasuredNetwork& network) {
  std::vector<Knot> knots;
  for (const MeasuredBatch& table : network.batches) {
    knots.push_back({static_cast<double>(table.batch), total_ps(network, table)});
  }
  for (const SoloBatch& solo : network.solo_graph) {
    if (std::ranges::find(network.batches, solo.batch, &MeasuredBatch::batch) != network.batches.end())
      continue;
    const auto batch = static_cast<double>(solo.batch);
    knots.push_back({batch, static_cast<double>(solo.time.ps()) - gap_at(network, batch)});
  }
  std::ranges::sort(knots, {}, &Knot::batch);
  return knots;
}

double sum_ps(const std::vector<gpu::Kernel>& kernels) {
  double sum = 0;
  for (const gpu::Kernel& kernel : kernels) sum += static_cast<double>(kernel.duration.ps());
  return sum;
}

// The sum beyond the known points, where `law` gives it but for a factor: it follows the law from the last
// point on. Where two points are known, their sums differ by a power of what the law says, and it goes on
// with a power half way to that: sums at 4 times the batch are then 6 to 12 % off, on the line through the
// two 9 to 17 %, and by the law alone 9 to 11 % (29 configurations of the H100 with three batches).
double total_beyond(const std::vector<Knot>& knots, double batch, const SumPs& law) {
  const auto ratio_of = [&](double to, double from) {
    return law(static_cast<std::int64_t>(to)) / law(static_cast<std::int64_t>(from));
  };
  const bool above = batch > knots.front().batch;
  const Knot& last = above ? knots.back() : knots.front();
  double power = 1;
  if (knots.size() > 1) {
    const Knot& before = above ? knots[knots.size() - 2] : knots[1];
    const double by_law = ratio_of(last.batch, before.batch);
    const double slope = sim::log(last.total_ps / before.total_ps) / sim::log(by_law);
    if (std::abs(by_law - 1) > 0.01) power = (1 + std::clamp(slope, 0.0, 2.0)) / 2;
  }
  const double found = last.total_ps * sim::exp(power * sim::log(ratio_of(batch, last.batch)));
  return above ? std::max(last.total_ps, found) : std::min(last.total_ps, found);
}

bool is_beyond(const std::vector<Knot>& knots, double batch) {
  return batch < knots.front().batch || batch > knots.back().batch;
}

double total_at(const std::vector<Knot>& knots, double batch, const SumPs& law) {
  if (is_beyond(knots, batch)) return total_beyond(knots, batch, law);
  return knots.size() == 1 ? knots.front().total_ps : affine_flat(knots, batch);
}

// The measured tables around a batch size: below and above if there are two, otherwise the same table twice.
struct Neighbours {
  const MeasuredBatch* lower;
  const MeasuredBatch* upper;
};

Neighbours neighbours(const MeasuredNetwork& network, std::int64_t batch) {
  const auto& tables = network.batches;
  if (tables.size() == 1) return {&tables.front(), &tables.front()};
  auto upper = std::ranges::lower_bound(tables, batch, {}, &MeasuredBatch::batch);
  if (upper == tables.end()) --upper;
  if (upper == tables.begin()) ++upper;
  return {&*(upper - 1), &*upper};
}

// True if two tables have the same operators in the same positions: the same number of kernels, nearly all of
// the same class (an operator may use another kind of kernel at another batch size).
bool agree(const MeasuredBatch& a, const MeasuredBatch& b) {
  if (a.names.size() != b.names.size() || a.launched_whole() != b.launched_whole()) return false;
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    if (classify_kernel(a.names[i]) == classify_kernel(b.names[i])) ++same;
  }
  return 10 * same >= 9 * a.names.size();
}

std::uint32_t affine_blocks(const gpu::Kernel& a, const gpu::Kernel& b, double weight) {
  const double blocks = static_cast<double>(a.blocks) +
                        (static_cast<double>(b.blocks) - static_cast<double>(a.blocks)) * weight;
  return static_cast<std::uint32_t>(std::clamp(std::round(blocks), 1.0, 4e9));
}

// Interpolates position by position. The geometry is that of the nearer table, `kernels` at this batch;
// blocks are interpolated if the kernels are the same.
std::vector<gpu::Kernel> by_position(const MeasuredBatch& lower, const MeasuredBatch& upper,
                                     std::vector<gpu::Kernel> kernels, double batch) {
  const double weight =
      (batch - static_cast<double>(lower.batch)) / static_cast<double>(upper.batch - lower.batch);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const gpu::Kernel& a = lower.kernels[i];
    const gpu::Kernel& b = upper.kernels[i];
    const double ps =
        static_cast<double>(a.duration.ps()) + static_cast<double>((b.duration - a.duration).ps()) * weight;
    const auto floor = std::min({a.duration, b.duration, kernel_floor()});
    kernels[i].duration = std::max(floor, sim::picoseconds(ps));
    if (lower.names[i] == upper.names[i]) kernels[i].blocks = affine_blocks(a, b, weight);
  }
  return kernels;
}

// Scales the durations so that they sum to `total` exactly; the longest kernel takes the rounding error.
void scale_to(std::vector<gpu::Kernel>& kernels, sim::Duration total) {
  const double sum = sum_ps(kernels);
  const double factor = sum > 0 ? static_cast<double>(total.ps()) / sum : 0;
  sim::Duration rest = total;
  for (gpu::Kernel& kernel : kernels) {
    kernel.duration = sim::picoseconds(static_cast<double>(kernel.duration.ps()) * factor);
    rest -= kernel.duration;
  }
  std::ranges::max_element(kernels, {}, &gpu::Kernel::duration)->duration += rest;
}

// Keeps the class of each kernel, and the fixed part at the floor.
void split_again(std::vector<gpu::Kernel>& kernels) {
  for (gpu::Kernel& kernel : kernels) {
    split_shares(kernel, kernel.compute_share > 0 ? KernelClass::compute : KernelClass::memory);
  }
}

std::string label(const MeasuredNetwork& network, std::int64_t batch) {
  return network.model + " " + to_string(network.precision) + " batch " + std::to_string(batch);
}

gpu::KernelSequence measured(const MeasuredNetwork& network, const MeasuredBatch& table) {
  gpu::KernelSequence sequence;
  sequence.kernels = table.kernels;
  sequence.names = std::make_shared<const std::vector<std::string>>(table.names);
  sequence.lone_gap = sim::picoseconds(gap_at(network, static_cast<double>(table.batch)));
  sequence.launched_whole = table.launched_whole();
  const bool own = table.measured_on.empty();
  sequence.grade = own ? gpu::Grade::measured : gpu::Grade::interpolated;
  sequence.provenance = own ? "measured: " + label(network, table.batch)
                            : "from " + table.measured_on + ": " + label(network, table.batch) +
                                  ", each kernel by what kernels as long take on both";
  if (const double total = total_ps(network, table); total > sum_ps(table.kernels)) {
    scale_to(sequence.kernels, sim::picoseconds(total));
    sequence.grade = gpu::Grade::interpolated;
    sequence.provenance += ", stretched to its solo time: its graph runs other kernels than were traced";
  }
  sequence.rebuild_finish();
  return sequence;
}

bool graph_runs_other_kernels(const MeasuredNetwork& network) {
  return std::ranges::any_of(network.batches, [&](const MeasuredBatch& table) {
    return total_ps(network, table) > static_cast<double>(table.total().ps());
  });
}

}  // namespace

gpu::KernelSequence sequence_at(const MeasuredNetwork& network, std::int64_t batch, const BatchLaw& law,
                                bool replayed) {
  if (!replayed && graph_runs_other_kernels(network)) {
    MeasuredNetwork traced = network;
    traced.solo_graph.clear();
    return sequence_at(traced, batch, law);
  }
  if (const auto table = std::ranges::find(network.batches, batch, &MeasuredBatch::batch);
      table != network.batches.end()) {
    return measured(network, *table);
  }
  const auto size = static_cast<double>(batch);
  const auto [lower, upper] = neighbours(network, batch);
  const bool lower_is_nearer = size * size <= static_cast<double>(lower->batch * upper->batch);
  const MeasuredBatch& nearer = lower_is_nearer ? *lower : *upper;
  const std::vector<Knot> knots = known_totals(network);

  gpu::KernelSequence sequence;
  const bool positions = lower != upper && agree(*lower, *upper);
  sequence.kernels = law.at_batch(nearer, batch);
  sequence.names = std::make_shared<const std::vector<std::string>>(nearer.names);
  if (positions) sequence.kernels = by_position(*lower, *upper, std::move(sequence.kernels), size);
  const auto sum = [&](std::int64_t at) { return sum_ps(law.at_batch(nearer, at)); };
  scale_to(sequence.kernels, sim::picoseconds(total_at(knots, size, sum)));
  split_again(sequence.kernels);
  sequence.lone_gap = sim::picoseconds(gap_at(network, size));
  sequence.launched_whole = nearer.launched_whole();
  const bool beyond = is_beyond(knots, size);
  sequence.grade = beyond ? gpu::Grade::fitted : gpu::Grade::interpolated;
  const std::string whence = find_solo(network.solo_graph, batch) != nullptr ? "from its solo time"
                             : beyond                                        ? "by the law of batches"
                                                                             : "affine in the batch";
  sequence.provenance =
      (beyond ? "extrapolated: " : "interpolated: ") + label(network, batch) + ", sum " + whence +
      (positions ? ", kernels by position" : ", kernels from batch " + std::to_string(nearer.batch));
  sequence.rebuild_finish();
  return sequence;
}

sim::Duration rated_total(const MeasuredNetwork& network, std::int64_t batch, const SumPs& computed) {
  std::vector<Knot> knots;
  for (const SoloBatch& solo : network.solo_graph)
    knots.push_back({static_cast<double>(solo.batch), static_cast<double>(solo.time.ps())});
  return sim::picoseconds(total_at(knots, static_cast<double>(batch), computed));
}

std::optional<sim::Duration> host_time(const MeasuredNetwork& network, std::int64_t batch,
                                       sim::Duration gpu) {
  constexpr double slack = 1.2;
  const auto ratio = [batch](const SoloBatch& run) {
    return static_cast<double>(run.batch) / static_cast<double>(batch);
  };
  const auto nearest = std::ranges::min_element(
      network.solo_eager, {}, [&](const SoloBatch& run) { return std::max(ratio(run), 1 / ratio(run)); });
  if (nearest == network.solo_eager.end()) return std::nullopt;
  // A smaller batch may keep the GPU busy for as long, a larger one for no longer than in proportion.
  if (nearest->time < sim::work_in(gpu, slack * std::max(ratio(*nearest), 1.0))) return std::nullopt;
  return nearest->time;
}

const MeasuredBatch* counted_near(const MeasuredNetwork& network, std::int64_t batch) {
  const MeasuredBatch* nearest = nullptr;
  const auto ratio = [batch](const MeasuredBatch& table) {
    const double of = static_cast<double>(table.batch) / static_cast<double>(batch);
    return std::max(of, 1 / of);
  };
  for (const MeasuredBatch& table : network.batches)
    if (table.operators.launching > 0 && (nearest == nullptr || ratio(table) < ratio(*nearest)))
      nearest = &table;
  return nearest;
}

double octaves_beyond(const MeasuredNetwork& network, std::int64_t batch) {
  const std::vector<Knot> knots = known_totals(network);
  const auto size = static_cast<double>(batch);
  if (knots.empty() || !is_beyond(knots, size)) return 0;
  const Knot& nearest = size < knots.front().batch ? knots.front() : knots.back();
  return std::abs(sim::log(size / nearest.batch)) / std::numbers::ln2;
}

}  // namespace jostle::dnn
