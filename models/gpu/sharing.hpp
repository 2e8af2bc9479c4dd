// The ways in which processes share the GPU: one table, with the name and the properties of each way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "models/gpu/gpu.hpp"
#include "models/gpu/steady_loops.hpp"
#include "sim/engine.hpp"

namespace jostle::gpu {

struct Spec;

// A new way is a value here and a row in sharing.cpp.
enum class Sharing : std::uint8_t {
  time_slicing,  // one context at a time, in turns
  mps,           // kernels of all contexts at once
};

struct SharingSetup {
  Sharing sharing = Sharing::time_slicing;
  bool streams = false;  // some process has several streams, or a partition of the SMs
  bool every_kernel =
      false;  // kernels of all batches are simulated, also once loops are steady (steady_loops.hpp)
  LoopPrecision loops = {};  // with which loops are steady
};

struct SharingWay {
  Sharing sharing;
  std::string_view name;   // its name in a scenario
  std::string_view label;  // for people: "MPS"
  bool takes_turns;        // contexts wait for each other, and a switch may cost time
  bool needs_mps;          // only boards with MPS have it (DeviceSpec::mps)
  bool limits_threads;     // a process may be given a share of the SMs (`mps_threads`)
  // Value of the scenario's key `mps` that also means this way; none: no value does.
  std::optional<bool> alias;
};

// All ways, in the order of the enum.
[[nodiscard]] std::span<const SharingWay> sharing_ways();
[[nodiscard]] const SharingWay& way_of(Sharing sharing);

// The engine must outlive the GPU. `seed` is for random draws.
[[nodiscard]] std::unique_ptr<Gpu> make_gpu(const SharingSetup& setup, sim::Engine& engine, const Spec& spec,
                                            std::uint64_t seed);

}  // namespace jostle::gpu
