#include "models/gpu/partitions.hpp"

#include <algorithm>
#include <array>

#include "models/gpu/spec.hpp"

namespace jostle::gpu {
namespace {

// Sizes by the first architecture that has them.
struct Row {
  int from;  // compute capability, times ten
  PartitionSizes sizes;
};
constexpr std::array rows{Row{90, {.least = 8, .multiple = 8}}, Row{80, {.least = 4, .multiple = 2}},
                          Row{70, {.least = 2, .multiple = 2}}, Row{60, {.least = 1, .multiple = 1}}};

// Their last JetPack has CUDA 10.2 or 11.4.
constexpr std::array<int, 3> jetsons_before_orin{53, 62, 72};

}  // namespace

int capability(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  if (!architecture.starts_with(prefix)) return 0;
  int value = 0;
  for (const char digit : architecture.substr(prefix.size())) {
    if (digit < '0' || digit > '9') break;
    value = 10 * value + (digit - '0');
  }
  return value;
}

std::optional<PartitionSizes> partition_sizes(const Spec& gpu) {
  const int own = capability(gpu.architecture);
  if (std::ranges::find(jetsons_before_orin, own) != jetsons_before_orin.end()) return std::nullopt;
  const auto row = std::ranges::find_if(rows, [own](const Row& each) { return own >= each.from; });
  return row == rows.end() ? std::nullopt : std::optional(row->sizes);
}

int partition_for(const PartitionSizes& sizes, int sms) {
  const int multiple = std::max(sizes.multiple, 1);
  return (std::max(sms, sizes.least) + multiple - 1) / multiple * multiple;
}

}  // namespace jostle::gpu
