#include "models/gpu/sharing.hpp"

#include <array>

#include "models/gpu/space_sharing.hpp"
#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {
namespace {

constexpr std::array ways{
    SharingWay{.sharing = Sharing::time_slicing,
               .name = "time-slicing",
               .label = "time slicing",
               .takes_turns = true,
               .needs_mps = false,
               .limits_threads = false,
               .alias = false},
    SharingWay{.sharing = Sharing::mps,
               .name = "mps",
               .label = "MPS",
               .takes_turns = false,
               .needs_mps = true,
               .limits_threads = true,
               .alias = true},
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

std::unique_ptr<Gpu> make_gpu(const SharingSetup& setup, sim::Engine& engine, const Spec& spec,
                              std::uint64_t seed) {
  const bool turns = way_of(setup.sharing).takes_turns;
  if (turns && !setup.streams) return std::make_unique<TimeSharedGpu>(engine, spec, seed);
  return std::make_unique<SpaceSharedGpu>(engine, spec,
                                          turns ? SpaceOf::each_process : SpaceOf::all_processes, seed,
                                          setup.every_kernel ? std::nullopt : std::optional(setup.loops));
}

}  // namespace jostle::gpu
