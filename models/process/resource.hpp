// The resources that processes take time for, and may want more of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jostle::process {

enum class Resource : std::uint8_t {
  gpu,
  memory_bandwidth,
  cpu_cores,
  host_speed,
  copies,
  dla,
  engines,
  power_limits,
  clock_governors,
  profiler,
  link,
  requests,
  count  // not a resource
};
inline constexpr auto resource_count = static_cast<std::size_t>(Resource::count);

[[nodiscard]] constexpr std::size_t index_of(Resource resource) {
  return static_cast<std::size_t>(resource);
}

struct ResourceRow {
  Resource resource;
  std::string_view name;   // used in results
  std::string_view words;  // phrase for people
};
inline constexpr std::array<ResourceRow, resource_count> resource_rows{{
    {Resource::gpu, "gpu", "the GPU"},
    {Resource::memory_bandwidth, "memory_bandwidth", "memory bandwidth"},
    {Resource::cpu_cores, "cpu_cores", "CPU cores"},
    {Resource::host_speed, "host_speed", "the speed of a core"},
    {Resource::copies, "copies", "copies to and from the GPU"},
    {Resource::dla, "dla", "the DLA"},
    {Resource::engines, "engines", "a video or picture engine"},
    {Resource::power_limits, "power_limits", "power and temperature limits"},
    {Resource::clock_governors, "clock_governors", "the clock governors"},
    {Resource::profiler, "profiler", "the profiler"},
    {Resource::link, "link", "the network link"},
    {Resource::requests, "requests", "requests: the board waits for them"},
}};

[[nodiscard]] consteval bool resource_rows_are_in_order() {
  for (std::size_t i = 0; i < resource_count; ++i)
    if (index_of(resource_rows.at(i).resource) != i) return false;
  return true;
}
static_assert(resource_rows_are_in_order(), "every Resource has one row, in its place");

[[nodiscard]] constexpr std::string_view to_string(Resource resource) {
  return resource_rows.at(index_of(resource)).name;
}
[[nodiscard]] constexpr std::string_view in_words(Resource resource) {
  return resource_rows.at(index_of(resource)).words;
}

}  // namespace jostle::process
