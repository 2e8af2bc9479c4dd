// Reads how requests come to a process or an instance (periodically, at random, from a trace, from clients
// that wait for answers, or from another's results), and how they wait: queue limit, drops and batching.
#include <fmt/format.h>

#include "input/readers.hpp"
#include "profiles/profile/time_span.hpp"
#include "scenarios/language/arrival_trace.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/language/load_parts.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::scenarios {
namespace {

constexpr std::int64_t max_queue = 1'000'000'000;
constexpr double max_clock_drift = 0.01;
constexpr std::int64_t max_sources = 1024;
constexpr std::int64_t max_clients = 100'000;
constexpr std::int64_t max_burst = 100'000;

// Reads a queue: `queue: 8` drops the ninth request; {limit: 8, drop: oldest} drops the request that has
// waited longest.
void read_queue(const Cursor& at, process::Arrivals& arrivals) {
  if (!at.is(Kind::mapping)) {
    arrivals.queue_limit = Integer{0, max_queue}(at);
    return;
  }
  Mapping queue(at, "a queue: {limit: 8, drop: oldest}");
  std::int64_t limit = 0;
  if (queue.required("limit", limit, Integer{0, max_queue})) arrivals.queue_limit = limit;
  queue.optional("drop", arrivals.drop, Choice<process::Drop>{"which request to drop", drop_names()});
}

void read_fan_out(const Cursor& at, process::FanOut& fan_out) {
  Mapping mapping(at, "a fan-out: {mean: 2.5}");
  fan_out = {.mean = 1, .kind = process::FanOutKind::poisson};
  mapping.required("mean", fan_out.mean, Real{0, max_fan_out, true});
  mapping.optional("distribution", fan_out.kind,
                   Choice<process::FanOutKind>{"a distribution", fan_out_names()});
  const auto whole = static_cast<double>(static_cast<std::int64_t>(fan_out.mean));
  if (fan_out.kind == process::FanOutKind::fixed && fan_out.mean != whole)
    at.problem(fmt::format("{} requests an image cannot be fixed", fan_out.mean),
               "a whole number, or distribution: poisson");
}

// Reads `after` and `fan_out`: requests that the results of another process or instance cause.
void read_cascade(Mapping& mapping, ProcessEntry& process) {
  const auto after = mapping.find("after");
  const auto fan_out = mapping.find("fan_out");
  if (fan_out) read_fan_out(*fan_out, process.arrivals.fan_out);
  mapping.needs("fan_out", {"after"}, "for example after: detector");
  if (!after) return;
  if (const auto name = Text{200}(*after)) process.arrivals.after = *name;
  process.arrivals.kind = process::ArrivalKind::cascade;
  mapping.keep_one("arrivals", {"after"});
  process.arrivals.max_delay = sim::Duration::zero();  // a batch takes whatever has arrived
}

// Reads `clients` and how long they think.
void read_clients(const Cursor& at, Mapping& mapping, process::Arrivals& arrivals) {
  arrivals.kind = process::ArrivalKind::clients;
  arrivals.clients = Integer{1, max_clients}(at).value_or(1);
  if (const auto think = mapping.find("think"))
    arrivals.think_at_random = read_think(*think, "10 ms", arrivals.think);
}

// Reads `wait`: how a source waits for its next request.
void read_wait(Mapping& mapping, process::Arrivals& arrivals) {
  const auto at = mapping.find("wait");
  if (!at) return;
  arrivals.wait = Section<process::PollingWait>{"how it waits"}(*at);
}

// Reads `burst`, after the other keys of `arrivals`.
void read_burst(Mapping& mapping, process::Arrivals& arrivals) {
  const auto at = mapping.find("burst");
  if (!at) return;
  arrivals.burst = Integer{1, max_burst}(*at).value_or(1);
}

}  // namespace

void read_arrivals(const Cursor& at, const LoadContext& context, ProcessEntry& process) {
  process::Arrivals& arrivals = process.arrivals;
  Mapping mapping(at, "arrivals: {periodic: 30 /s}, {poisson: 30 /s}, {trace: FILE} or {clients: 4}");
  const Quantity rate{.dimension = input::rate_dimension(),
                      .least = min_rate,
                      .most = max_rate,
                      .reason = "from 0.000001 /s (one request in the longest run) to 1000000 /s"};
  const auto periodic = mapping.find("periodic");
  const auto poisson = mapping.find("poisson");
  const auto trace = mapping.find("trace");
  const auto clients = mapping.find("clients");
  mapping.exactly_one({"periodic", "poisson", "trace", "clients"});
  for (const char* const key : {"phase", "streams", "drift"}) mapping.needs(key, {"periodic"});
  mapping.needs("think", {"clients"}, "clients: 4");
  if (periodic) {
    arrivals.kind = process::ArrivalKind::periodic;
    if (const auto value = rate(*periodic)) arrivals.rate_per_s = *value;
  } else if (poisson) {
    arrivals.kind = process::ArrivalKind::poisson;
    if (const auto value = rate(*poisson)) arrivals.rate_per_s = *value;
  } else if (trace) {
    arrivals.kind = process::ArrivalKind::trace;
    if (const auto file = Text{}(*trace)) {
      process.trace.file = *file;
      if (auto times = read_arrival_trace(resolved(context, *file), at.problems()))
        arrivals.times = std::move(*times);
      for (const sim::Time time : arrivals.times) {
        process.trace.hash = process.trace.hash * 0x100000001b3ULL + static_cast<std::uint64_t>(time.ps());
      }
    }
  }
  if (clients)
    read_clients(*clients, mapping, arrivals);
  else
    (void)mapping.find("think");
  if (const auto phase_at = mapping.find("phase")) {
    arrivals.phase = TimeSpan{sim::Duration::zero(), sim::seconds(max_run_seconds)}(*phase_at);
  }
  if (const auto queue_at = mapping.find("queue")) read_queue(*queue_at, arrivals);
  if (const auto streams_at = mapping.find("streams"))
    arrivals.streams = Integer{1, max_sources}(*streams_at).value_or(1);
  if (periodic) arrivals.drift = default_clock_drift;
  if (const auto drift_at = mapping.find("drift")) {
    arrivals.drift = Quantity{input::drift_dimension(), 0, max_clock_drift}(*drift_at).value_or(0);
  }
  bool dynamic_batching = false;
  mapping.optional("dynamic_batching", dynamic_batching, Boolean{});
  if (dynamic_batching) arrivals.dynamic_batch = process.work.batch;
  read_burst(mapping, arrivals);
  read_wait(mapping, arrivals);
}

bool read_think(const Cursor& at, const std::string& example, sim::Duration& think) {
  const TimeSpan time{sim::Duration::zero(), sim::seconds(max_run_seconds)};
  if (!at.is(Kind::mapping)) {
    think = time(at).value_or(sim::Duration::zero());
    return false;
  }
  Mapping drawn(at, fmt::format("a random time to think: {{exponential: {}}}", example));
  drawn.required("exponential", think, time);
  return true;
}

void read_requests(Mapping& mapping, const LoadContext& context, ProcessEntry& process) {
  process::Arrivals& arrivals = process.arrivals;
  if (const auto arrivals_at = mapping.find("arrivals")) read_arrivals(*arrivals_at, context, process);
  read_cascade(mapping, process);
  for (const char* const key : {"queue", "max_queue_delay"})
    mapping.needs(key, {"arrivals", "after"}, "for example arrivals: {poisson: 30 /s}");
  if (const auto queue_at = mapping.find("queue")) read_queue(*queue_at, arrivals);
  if (const auto delay_at = mapping.find("max_queue_delay")) {
    arrivals.max_delay = TimeSpan{sim::Duration::zero(), sim::seconds(max_run_seconds)}(*delay_at);
    arrivals.dynamic_batch = 1;  // the queue forms the batches, not the source
  }
  // The cost of a loop that forms batches of requests that wait.
  mapping.needs("server", {"max_queue_delay", "after"}, "add max_queue_delay: 1 ms, or leave out server");
}

void check_offered(const Scenario& scenario, const Cursor& root) {
  double sum = 0;
  for (const auto& [id, offered] : offered(scenario)) {
    const ProcessEntry& process = scenario.processes[id.entry];
    std::string path = fmt::format("processes.{}", place_of_entry(scenario, id.entry));
    if (!process.instances.empty()) path += fmt::format(".instances.{}", id.part);
    sum += offered.per_s;
    if (offered.per_source_image > max_fan_out)
      root.descend(path + ".fan_out")
          .problem(fmt::format("each image at the start of the cascade causes {:g} requests",
                               offered.per_source_image),
                   fmt::format("at most {:g}", max_fan_out));
  }
  if (sum > max_rate)
    root.descend("processes")
        .problem(fmt::format("the requests add up to {:g} /s", sum),
                 fmt::format("at most {:g} /s for all processes together", max_rate));
}

}  // namespace jostle::scenarios
