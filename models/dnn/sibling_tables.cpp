#include "models/dnn/sibling_tables.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "models/dnn/kernel_class.hpp"

namespace jostle::dnn {
namespace {

constexpr std::size_t octaves = 10;  // octaves of the duration, from 1 microsecond
constexpr int enough = 10;           // kernels needed to determine a share

std::size_t octave_of(sim::Duration duration) {
  return std::min(static_cast<std::size_t>(std::ilogb(std::max(sim::to_us(duration), 1.0))), octaves - 1);
}

// Ratio of the time of a class's kernels here to their time on the sibling, by octave of the latter.
class Shares {
 public:
  void add(sim::Duration here, sim::Duration there) {
    Sum& sum = sums_.at(octave_of(there));
    sum.here += sim::to_us(here);
    sum.there += sim::to_us(there);
    ++sum.kernels;
  }
  // The share for kernels of about this duration; if there are too few, that of the nearest octave with
  // enough, the shorter one first.
  [[nodiscard]] std::optional<double> of(sim::Duration there) const {
    const std::size_t own = octave_of(there);
    for (std::size_t away = 0; away < octaves; ++away) {
      if (away <= own && sums_.at(own - away).kernels >= enough) return sums_.at(own - away).share();
      if (own + away < octaves && sums_.at(own + away).kernels >= enough) return sums_.at(own + away).share();
    }
    return {};
  }

 private:
  struct Sum {
    double here = 0, there = 0;
    int kernels = 0;
    [[nodiscard]] double share() const { return here / there; }
  };
  std::array<Sum, octaves> sums_;
};

struct SharesByClass {
  Shares compute, memory;
  [[nodiscard]] Shares& of(KernelClass kind) { return kind == KernelClass::compute ? compute : memory; }
};

void add_common(const MeasuredBatch& here, const MeasuredBatch& there, SharesByClass& shares) {
  if (here.names.size() != there.names.size()) return;
  for (std::size_t i = 0; i < here.names.size(); ++i)
    if (here.names[i] == there.names[i])
      shares.of(classify_kernel(here.names[i])).add(here.kernels[i].duration, there.kernels[i].duration);
}

SharesByClass shares_of(const KernelTables& own, const KernelTables& sibling) {
  SharesByClass shares;
  for (const MeasuredNetwork& network : own.networks) {
    const MeasuredNetwork* const other = sibling.find(network.model, network.precision, network.input);
    if (other == nullptr) continue;
    for (const MeasuredBatch& here : network.batches) {
      const auto there = std::ranges::find(other->batches, here.batch, &MeasuredBatch::batch);
      if (there != other->batches.end()) add_common(here, *there, shares);
    }
  }
  return shares;
}

// The batch with its times on this device; none if the share of one of its kernels is unknown.
std::optional<MeasuredBatch> converted(const MeasuredBatch& there, SharesByClass& shares) {
  MeasuredBatch here = there;
  for (std::size_t i = 0; i < here.kernels.size(); ++i) {
    gpu::Kernel& kernel = here.kernels[i];
    const KernelClass kind = classify_kernel(here.names[i]);
    const std::optional<double> share = shares.of(kind).of(kernel.duration);
    if (!share) return {};
    kernel.duration = sim::microseconds(sim::to_us(kernel.duration) * *share);
    split_shares(kernel, kind);
  }
  return here;
}

}  // namespace

KernelTables with_batches_of(const KernelTables& own, const KernelTables& sibling) {
  SharesByClass shares = shares_of(own, sibling);
  KernelTables all = own;
  for (MeasuredNetwork& network : all.networks) {
    const MeasuredNetwork* const other = sibling.find(network.model, network.precision, network.input);
    if (other == nullptr) continue;
    for (const MeasuredBatch& there : other->batches) {
      if (std::ranges::find(network.batches, there.batch, &MeasuredBatch::batch) != network.batches.end())
        continue;
      std::optional<MeasuredBatch> here = converted(there, shares);
      if (!here) continue;
      here->measured_on = sibling.source;
      network.batches.push_back(std::move(*here));
    }
    std::ranges::sort(network.batches, {}, &MeasuredBatch::batch);
  }
  return all;
}

}  // namespace jostle::dnn
