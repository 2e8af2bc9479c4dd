// Parts of the scenario loader, shared by its files; not for use elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"
#include "input/readers.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// Cores are named by numbers below this.
inline constexpr int max_cores = 1024;

struct LoadContext {
  std::string directory;  // files are sought from here; "" = the working directory
  const Catalogue& catalogue;
};

// `path` as seen from the directory of the scenario.
[[nodiscard]] std::string resolved(const LoadContext& context, const std::string& path);

// One entry of `processes`; a file that one of the `earlier` names as well is not read again.
[[nodiscard]] ProcessEntry read_process(const input::Cursor& at, const LoadContext& context,
                                        const std::vector<ProcessEntry>& earlier);

// Of a process, or of an instance: `model`, `precision` and `batch`; `input`, and the model's file.
void read_network(input::Mapping& mapping, const LoadContext& context, ProcessEntry& process);
void read_input(input::Mapping& mapping, ProcessEntry& process, const std::vector<ProcessEntry>& earlier);
// Likewise how requests come and wait: `arrivals`, `after`, `fan_out`, `queue`, `max_queue_delay`.
void read_requests(input::Mapping& mapping, const LoadContext& context, ProcessEntry& process);
// Of a language model, after its runtime and requests: `generate` or `bench`, `users`, `max_batch`; and in
// place of a network's precision that of its weights.
void read_weights(input::Mapping& mapping, ProcessEntry& process);
void read_generation(input::Mapping& mapping, const LoadContext& context, ProcessEntry& process);
// `arrivals` alone.
void read_arrivals(const input::Cursor& at, const LoadContext& context, ProcessEntry& process);

// `instances` of a process; and of one without them `streams`, `priority` and `mps_threads`.
void read_instances(input::Mapping& mapping, const LoadContext& context, ProcessEntry& process,
                    const std::vector<ProcessEntry>& earlier);
void read_streams(input::Mapping& mapping, ProcessEntry& process);
// What only the whole scenario tells of them: MPS is on, nothing comes over a link, and who comes after whom.
void check_streams(const Scenario& scenario, const input::Cursor& root);

// What one request at the begin of a cascade may make, and how many may be made in a second.
inline constexpr double max_fan_out = 1000;
void check_offered(const Scenario& scenario, const input::Cursor& root);

// `link` of a scenario; and of a study those of its keys that do not vary there, into `link`.
[[nodiscard]] Link read_link(const input::Cursor& at);
[[nodiscard]] std::optional<double> read_bandwidth(const input::Cursor& at);
[[nodiscard]] std::optional<sim::Duration> read_round_trip(const input::Cursor& at);
[[nodiscard]] std::optional<Payload> read_payload(const input::Cursor& at);
void read_link_quality(input::Mapping& mapping, Link& link);

// A co-runner, `behind` apart.
[[nodiscard]] LoadEntry read_load(const input::Cursor& at);

// `cpus`, `nice`, `policy` and `container` of a process or a load.
[[nodiscard]] ThreadSettings read_thread_settings(input::Mapping& mapping);
// `gpu_timeslice` and `gpu_interleave` of a process.
void read_turns(input::Mapping& mapping, ProcessEntry& process);
// Of all entries in the order of the scenario, what each of those in one container may leave out.
// `containers`: of each entry.
void unite_containers(const std::vector<input::Cursor>& entries,
                      const std::vector<std::optional<cpu::ContainerSpec>*>& containers);
[[nodiscard]] Interrupts read_interrupts(const input::Cursor& at);
[[nodiscard]] std::optional<DesktopCompositor> read_compositor(const input::Cursor& at);

// A list of distinct core numbers, sorted.
[[nodiscard]] std::optional<std::vector<int>> read_cpus(const input::Cursor& at);

// What only the board can tell: cores that exist, clocks in range, power modes by name (which is made the
// profile's own, and the default filled in). `root` is the document, for locations.
void check_against_device(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root);

}  // namespace jostle::scenarios
