// Parts of the scenario loader, shared by its files; not for use elsewhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"
#include "input/readers.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

using input::Cursor;
using input::Kind;
using input::Mapping;

struct LoadContext {
  std::string directory;  // folder in which named files are looked up; "": the working directory
  const Catalogue& catalogue;
  const Scenario* scenario = nullptr;  // the part read so far: its device, before its processes
};

// The path from the working directory; `path` is relative to the directory of the scenario.
[[nodiscard]] std::string resolved(const LoadContext& context, const std::string& path);

// Reads one entry of `processes`. A model file that one of the `earlier` entries names as well is not read
// again.
[[nodiscard]] ProcessEntry read_process(const Cursor& at, const LoadContext& context,
                                        const std::vector<ProcessEntry>& earlier);

// The runtime of a process that names none.
[[nodiscard]] Runtime default_runtime(const Mapping& mapping, bool language);
// Settles what the keys of the host leave to each other: `runtime` is one of the cores if and only if
// `placement` is cpu. Then, when the streams have been read, `host_threads`.
void settle_host(Mapping& mapping, ProcessEntry& process);
void settle_host_threads(Mapping& mapping, ProcessEntry& process);
// Refuses keys that the runtime or the place of an entry has no use for.
void refuse_unable(Mapping& mapping, const ProcessEntry& process, Kinds place);

// Refuses keys that rule each other out, or that have no use in such an entry; `of`: its place.
void check_rules(const Mapping& mapping, const ProcessEntry& process, Kinds of);
// Refuses more than `most` of `what`, "streams in one process".
void at_most(std::int64_t most, std::int64_t given, const char* what, const Cursor& at);

// Reads two whole numbers, the smaller one first: "two numbers of layers, such as [0, 20]".
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> read_ends(const Cursor& at,
                                                                             const char* what,
                                                                             std::int64_t least,
                                                                             std::int64_t most);
// Reports a name that is none of these.
void not_among(const Cursor& at, std::string message, std::vector<std::string> names,
               const char* or_else = "");

// Reads how the requests of a process or an instance come and wait: `arrivals`, `after`, `fan_out`, `queue`,
// `max_queue_delay`.
void read_requests(Mapping& mapping, const LoadContext& context, ProcessEntry& process);
// Read keys of a language model: the precision of its weights, in place of a network's; and, after its
// runtime and requests, `generate` or `bench`, `users` and `max_batch`.
void read_weights(Mapping& mapping, ProcessEntry& process);
void read_generation(Mapping& mapping, const LoadContext& context, ProcessEntry& process);
// Reads `gpu_layers` and `cpu_moe` of a language model.
void read_offload(Mapping& mapping, ProcessEntry& process);
// Reads the time that somebody thinks between an answer and the next request: `10 ms`, or `{exponential: 10
// ms}`, for which it returns true. `example`: such a time, for messages.
[[nodiscard]] bool read_think(const Cursor& at, const std::string& example, sim::Duration& think);
// Reads `arrivals` alone.
void read_arrivals(const Cursor& at, const LoadContext& context, ProcessEntry& process);

// Reads `stages` of a process, and checks `overlap`.
void read_stages(Mapping& mapping, ProcessEntry& process);

// Checks streams and instances against the whole scenario: MPS must be on, no requests may come over a link,
// and cascades must have sources and a beginning.
void check_streams(const Scenario& scenario, const Cursor& root);

// The limit on requests that one image at the beginning of a cascade may cause; checks it, and the total
// rate.
inline constexpr double max_fan_out = 1000;
void check_offered(const Scenario& scenario, const Cursor& root);

// Reads a co-runner, except `behind`.
[[nodiscard]] LoadEntry read_load(const Cursor& at);

// Reads `policy` of a process or a load, after its other keys.
void read_policy(Mapping& mapping, ThreadSettings& settings);
// Completes containers that are given by name alone from the first entry of that name. `entries` are all
// entries in the order of the scenario, and `containers` the container of each.
void unite_containers(const std::vector<Cursor>& entries,
                      const std::vector<std::optional<cpu::ContainerSpec>*>& containers);

// Checks what needs the board: existing cores, clocks in range, known power modes (replaced by the profile's
// spelling; the default is filled in). `root` is the document, for locations.
void check_against_device(Scenario& scenario, const board::DeviceSpec& device, const Cursor& root);

struct Offered {
  double per_s = 0;  // rate of all processes of the entry; 0 if a closed loop or a trace starts the cascade
  double per_source_image = 1;  // mean number of requests that one image at the start of its cascade causes
};
// The rates of every part. The scenario's cascades must have a beginning.
[[nodiscard]] std::map<PartId, Offered> offered(const Scenario& scenario);

// The default length of a run: 4 s, and as long as p99 of its slowest periodic or Poisson source takes, of
// those with 20 requests/s or more, at the most 25 s.
[[nodiscard]] sim::Duration default_duration(const Scenario& scenario);

}  // namespace jostle::scenarios
