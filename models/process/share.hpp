// The shares of a process's time: one table with the name, phrases and resource of each share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/process/resource.hpp"

namespace jostle::process {

// The order is that of results (docs/result.md: time_share). TimeAccount tells which share an instant belongs
// to. A new share needs a value here, a row of share_rows and a condition in TimeAccount::cause().
enum class Share : std::uint8_t {
  gpu_running,     // a kernel of its own is executing
  gpu_switch,      // the GPU is being switched to it
  gpu_slice_wait,  // it has work, and another process has the GPU
  dla_running,
  copying,           // a copy of its own is in progress
  link,              // a request to it, or its answer, is in transit over the network
  cache_refill,      // it is on a core, paying a cache debt
  launching,         // it is on a core inside an enqueue call, or the GPU is between two of its kernels
  cpu_compute,       // it is on a core between the calls
  sync_wakeup,       // its batch is done and it does not know yet
  waiting_for_core,  // it is runnable, but not running
  idle,              // it has nothing to do
  dla_wait,          // it has work for a DLA that is executing another's
  engine_running,    // nvdec, nvjpeg, vic or nvenc works on its pictures
  engine_wait,       // it has pictures for an engine that works on another's
  launch_wait,       // it waits in an enqueue call for another of its threads that launches
  barrier_spin,      // its threads spin at a barrier for another of them that has no core
  count              // not a share
};
inline constexpr auto share_count = static_cast<std::size_t>(Share::count);

[[nodiscard]] constexpr std::size_t index_of(Share share) {
  return static_cast<std::size_t>(share);
}

struct ShareRow {
  Share share;
  std::string_view name;    // used in results
  std::string_view header;  // heading of its column in tables
  std::string_view words;   // follows a percentage: "53.6 % waiting for another process's slice"
  std::string_view past;    // follows "it": "waited for a core"
  bool productive = false;  // the process does its own work, or has none: executing, idle
  Resource resource;        // the resource that the time is counted against
};

inline constexpr std::array<ShareRow, share_count> share_rows{{
    // Analyses split this share further, by what bounds the kernels.
    {.share = Share::gpu_running,
     .name = "gpu_running",
     .header = "gpu",
     .words = "executing on the GPU",
     .past = "executed on the GPU",
     .productive = true,
     .resource = Resource::gpu},
    {.share = Share::gpu_switch,
     .name = "gpu_switch",
     .header = "switch",
     .words = "while the GPU is switched to it",
     .past = "waited for the GPU to be switched to it",
     .resource = Resource::gpu},
    {.share = Share::gpu_slice_wait,
     .name = "gpu_slice_wait",
     .header = "gpu wait",
     .words = "waiting for another process's slice",
     .past = "waited for another process's slice",
     .resource = Resource::gpu},
    {.share = Share::dla_running,
     .name = "dla_running",
     .header = "dla",
     .words = "executing on the DLA",
     .past = "executed on the DLA",
     .productive = true,
     .resource = Resource::dla},
    {.share = Share::copying,
     .name = "copying",
     .header = "copy",
     .words = "copying to and from the GPU",
     .past = "copied to and from the GPU",
     .resource = Resource::copies},
    {.share = Share::link,
     .name = "link",
     .header = "link",
     .words = "on the network",
     .past = "waited for the network",
     .resource = Resource::link},
    {.share = Share::cache_refill,
     .name = "cache_refill",
     .header = "cache",
     .words = "refilling caches on a core",
     .past = "refilled caches on a core",
     .resource = Resource::cpu_cores},
    {.share = Share::launching,
     .name = "launching",
     .header = "launch",
     .words = "launching kernels",
     .past = "launched kernels",
     .resource = Resource::host_speed},
    {.share = Share::cpu_compute,
     .name = "cpu_compute",
     .header = "cpu",
     .words = "computing on the cores",
     .past = "computed on the cores",
     .productive = true,
     .resource = Resource::host_speed},
    {.share = Share::sync_wakeup,
     .name = "sync_wakeup",
     .header = "wake-up",
     .words = "until it sees that its batch is done",
     .past = "waited to see that its batch was done",
     .resource = Resource::host_speed},
    {.share = Share::waiting_for_core,
     .name = "waiting_for_core",
     .header = "core wait",
     .words = "waiting for a core",
     .past = "waited for a core",
     .resource = Resource::cpu_cores},
    {.share = Share::idle,
     .name = "idle",
     .header = "idle",
     .words = "idle between requests",
     .past = "was idle between requests",
     .productive = true,
     .resource = Resource::requests},
    {.share = Share::dla_wait,
     .name = "dla_wait",
     .header = "dla wait",
     .words = "waiting for another process's work on the DLA",
     .past = "waited for another process's work on the DLA",
     .resource = Resource::dla},
    {.share = Share::engine_running,
     .name = "engine_running",
     .header = "engine",
     .words = "on a video or picture engine",
     .past = "waited for its pictures on an engine",
     .productive = true,
     .resource = Resource::engines},
    {.share = Share::engine_wait,
     .name = "engine_wait",
     .header = "engine wait",
     .words = "waiting for another process's pictures on an engine",
     .past = "waited for another process's pictures on an engine",
     .resource = Resource::engines},
    {.share = Share::launch_wait,
     .name = "launch_wait",
     .header = "lock",
     .words = "waiting for its other threads to launch",
     .past = "waited for its other threads to launch",
     .resource = Resource::host_speed},
    {.share = Share::barrier_spin,
     .name = "barrier_spin",
     .header = "barrier",
     .words = "spinning at barriers for threads of its own that have no core",
     .past = "spun at barriers for threads of its own that had no core",
     .resource = Resource::cpu_cores},
}};

[[nodiscard]] consteval bool share_rows_are_in_order() {
  for (std::size_t i = 0; i < share_count; ++i)
    if (index_of(share_rows.at(i).share) != i) return false;
  return true;
}
static_assert(share_rows_are_in_order(), "every Share has one row, in its place");

}  // namespace jostle::process
