#include "models/gpu/sharing.hpp"

#include <array>

#include "models/gpu/spatial_sharing.hpp"
#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {
namespace {

std::unique_ptr<Gpu> time_shared(sim::Engine& engine, const Spec& spec, std::uint64_t seed) {
  return std::make_unique<TimeSharedGpu>(engine, spec, seed);
}

std::unique_ptr<Gpu> spatially_shared(sim::Engine& engine, const Spec& spec, std::uint64_t /*seed*/) {
  return std::make_unique<SpatiallySharedGpu>(engine, spec);
}

constexpr std::array ways{
    SharingWay{.sharing = Sharing::time_slicing,
               .name = "time-slicing",
               .label = "time slicing",
               .warning = "",
               .takes_turns = true,
               .make = time_shared},
    SharingWay{.sharing = Sharing::mps,
               .name = "mps",
               .label = "MPS (unvalidated)",
               .warning = "mps is a what-if: no measurement stands behind its law",
               .takes_turns = false,
               .make = spatially_shared},
};

consteval bool rows_are_in_the_order_of_the_enum() {
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (static_cast<std::size_t>(ways.at(i).sharing) != i) return false;
  return true;
}
static_assert(rows_are_in_the_order_of_the_enum());

}  // namespace

std::span<const SharingWay> sharing_ways() {
  return ways;
}

const SharingWay& way_of(Sharing sharing) {
  return ways.at(static_cast<std::size_t>(sharing));
}

std::unique_ptr<Gpu> make_gpu(Sharing sharing, sim::Engine& engine, const Spec& spec, std::uint64_t seed) {
  return way_of(sharing).make(engine, spec, seed);
}

}  // namespace jostle::gpu
