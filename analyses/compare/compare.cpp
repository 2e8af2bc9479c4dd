#include "analyses/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/verdict/verdict.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/in_words.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/replications.hpp"

namespace jostle::analyses {
namespace {

template <class Of>
struct Row {
  const char* metric;
  const char* unit;
  scenarios::Metric (*get)(const Of&);
};

// Reads a metric of a language model; none for other processes.
template <scenarios::Metric scenarios::TokenResult::*which>
scenarios::Metric of_tokens(const scenarios::ProcessResult& process) {
  return process.tokens ? (*process.tokens).*which : std::nullopt;
}
template <scenarios::Times scenarios::TokenResult::*times, scenarios::Metric scenarios::Times::*which>
scenarios::Metric of_tokens(const scenarios::ProcessResult& process) {
  return process.tokens ? (*process.tokens).*times.*which : std::nullopt;
}

using OfProcess = Row<scenarios::ProcessResult>;
using P = const scenarios::ProcessResult&;
constexpr std::array process_rows{
    OfProcess{"throughput", "images/s", [](P p) { return p.throughput.mean; }},
    OfProcess{"latency mean", "ms", [](P p) { return p.latency_ms.mean; }},
    OfProcess{"latency p50", "ms", [](P p) { return p.latency_ms.p50; }},
    OfProcess{"latency p99", "ms", [](P p) { return p.latency_ms.p99; }},
    OfProcess{"decode", "tokens/s", of_tokens<&scenarios::TokenResult::decode_per_s>},
    OfProcess{"prefill", "tokens/s", of_tokens<&scenarios::TokenResult::prefill_per_s>},
    OfProcess{"TTFT p50", "ms", of_tokens<&scenarios::TokenResult::ttft_ms, &scenarios::Times::p50>},
    OfProcess{"ITL p50", "ms", of_tokens<&scenarios::TokenResult::itl_ms, &scenarios::Times::p50>},
    OfProcess{"ITL p99", "ms", of_tokens<&scenarios::TokenResult::itl_ms, &scenarios::Times::p99>},
};

scenarios::Metric percent(const scenarios::Metric& share) {
  return share ? scenarios::Metric(100 * *share) : std::nullopt;
}
using OfBoard = Row<scenarios::SystemResult>;
using S = const scenarios::SystemResult&;
constexpr std::array system_rows{
    OfBoard{"throughput", "images/s", [](S s) { return s.throughput; }},
    OfBoard{"power", "W", [](S s) { return s.power_w.mean; }},
    OfBoard{"peak power", "W", [](S s) { return s.power_w.peak; }},
    OfBoard{"energy", "mJ/image", [](S s) { return s.energy_per_image_mj; }},
    OfBoard{"GPU busy", "%", [](S s) { return percent(s.gpu.busy); }},
    OfBoard{"SM active", "%", [](S s) { return percent(s.gpu.array.sm_active); }},
    OfBoard{"GPU switches", "/s", [](S s) { return s.gpu.switches_per_s; }},
    OfBoard{"GPU clock", "MHz", [](S s) { return s.gpu.clock_mhz; }},
    OfBoard{"memory clock", "MHz", [](S s) { return s.memory.clock_mhz; }},
    OfBoard{"cores busy", "", [](S s) { return s.cpu.busy_cores; }},
    OfBoard{"memory traffic", "GB/s", [](S s) { return s.memory.bandwidth_gb_s; }},
    OfBoard{"memory used", "MB", [](S s) { return s.memory.used_mb; }},
    OfBoard{"temperature", "degC", [](S s) { return s.temperature_c; }},
};

// Adds the difference over the pairs in which both sides have the metric. `all_a`, `all_b`: one per seed.
template <class Of, class Get>
void add_difference(const std::vector<Of>& all_a, const std::vector<Of>& all_b, Difference difference,
                    const Get& get, std::vector<Difference>& to) {
  std::vector<double> differences;
  double sum_a = 0, sum_b = 0, sum = 0;
  for (std::size_t i = 0; i < all_a.size(); ++i) {
    const scenarios::Metric a = get(all_a[i]), b = get(all_b[i]);
    if (!a || !b) continue;
    sum_a += *a;
    sum_b += *b;
    sum += *b - *a;
    differences.push_back(*b - *a);
  }
  if (differences.empty()) return;
  const auto count = static_cast<double>(differences.size());
  difference.a = sum_a / count;
  difference.b = sum_b / count;
  difference.difference = sum / count;
  difference.half_width = half_width_95(differences);
  to.push_back(std::move(difference));
}

// The process, or the stream with what is measured of a stream, in each run.
std::vector<scenarios::ProcessResult> runs_of(const Unit& unit,
                                              const std::vector<scenarios::Result>& results) {
  std::vector<scenarios::ProcessResult> runs;
  for (const scenarios::Result& result : results) {
    scenarios::ProcessResult& run = runs.emplace_back(result.processes[unit.process]);
    if (!unit.stream || *unit.stream >= run.instances.size()) continue;  // none if it does not fit
    const scenarios::InstanceResult& stream = result.processes[unit.process].instances[*unit.stream];
    run.throughput = stream.throughput;
    run.latency_ms = stream.latency_ms;
    run.tokens = stream.tokens;
    run.offered = stream.offered;
    run.stable = stream.stable;
    run.stable_rate.reset();
  }
  return runs;
}

// Processes or streams that are compared together, each with its runs.
using RunsOfUnits = std::vector<std::vector<scenarios::ProcessResult>>;

// A metric in each run: rates are added, of times the worst counts.
std::vector<scenarios::Metric> in_each_run(const RunsOfUnits& units, const OfProcess& row) {
  const bool adds = std::string_view(row.unit).ends_with("/s");
  std::vector<scenarios::Metric> values;
  for (std::size_t run = 0; run < units.front().size(); ++run) {
    scenarios::Metric& all = values.emplace_back(row.get(units.front()[run]));
    for (std::size_t unit = 1; unit < units.size(); ++unit) {
      const scenarios::Metric one = row.get(units[unit][run]);
      all = all && one ? scenarios::Metric(adds ? *all + *one : std::max(*all, *one)) : std::nullopt;
    }
  }
  return values;
}

OverloadedRuns overload_of(const RunsOfUnits& units) {
  OverloadedRuns overload;
  double offered = 0;
  scenarios::Metric served = 0.0;
  for (std::size_t run = 0; run < units.front().size(); ++run) {
    bool any = false;
    for (const auto& runs : units) {
      const scenarios::ProcessResult& process = runs[run];
      if (process.stable != false) continue;
      any = true;
      offered += process.offered.value_or(0);
      served =
          served && process.stable_rate ? scenarios::Metric(*served + *process.stable_rate) : std::nullopt;
    }
    overload.runs += any ? 1 : 0;
  }
  if (offered > 0 && served) overload.stable_share = *served / offered;
  return overload;
}

std::string description_of(const scenarios::ProcessEntry& process) {
  std::string text = scenarios::model_name(process);
  if (!process.instances.empty()) return text;
  if (process.work.training) text += " training";
  if (const auto precision = scenarios::precision_name(process)) text += " " + *precision;
  return text + fmt::format(" b{}", process.work.batch);
}

std::string label_of(const scenarios::ProcessEntry& process) {
  return process.name.empty() ? description_of(process) : process.name;
}

// A unit that looks for its counterpart.
struct Seeker {
  Unit unit;
  std::string name;                        // empty: none
  std::string key;                         // name, or model without one
  std::pair<std::size_t, std::size_t> at;  // entry, and place among its processes
  bool instances = false, found = false;
};

// The processes; as its streams, one with instances of which one has a key among `others`.
std::vector<Seeker> seekers(const scenarios::Scenario& scenario, const std::set<std::string>& others) {
  std::vector<Seeker> all;
  std::map<std::size_t, std::size_t> place;
  for (const scenarios::ProcessInstance& instance : scenarios::expand(scenario)) {
    const scenarios::ProcessEntry& process = scenario.processes[instance.entry];
    const std::pair at(instance.entry, place[instance.entry]++);
    const auto add = [&](const scenarios::ProcessEntry& part, std::optional<std::size_t> stream) {
      all.push_back({.unit = {instance.index, stream, label_of(part)},
                     .name = part.name,
                     .key = scenarios::called(part),
                     .at = at,
                     .instances = !process.instances.empty()});
    };
    if (std::ranges::none_of(process.instances, [&](const scenarios::ProcessEntry& part) {
          return others.contains(scenarios::called(part));
        })) {
      add(process, std::nullopt);
      continue;
    }
    std::size_t stream = 0;
    for (const scenarios::ProcessEntry& part : process.instances)
      for (std::int64_t i = 0; i < part.count; ++i) add(part, stream++);
  }
  return all;
}

// The keys of processes without instances.
std::set<std::string> plain_keys(const scenarios::Scenario& scenario) {
  std::set<std::string> keys;
  for (const Seeker& one : seekers(scenario, {}))
    if (!one.instances) keys.insert(one.key);
  return keys;
}

}  // namespace

scenarios::Metric Difference::relative() const {
  if (!difference || !a || *a == 0) return std::nullopt;
  return *difference / *a;
}
bool Compared::known_to(double share) const {
  const auto known = [share](const std::vector<Difference>& rows) {
    return std::ranges::all_of(rows, [share](const Difference& row) {
      return row.metric != std::string_view("throughput") ||
             (row.half_width && *row.half_width <= share * row.a.value_or(0));
    });
  };
  return known(system) && std::ranges::all_of(processes, [&](const ComparedProcess& process) {
           return known(process.metrics);
         });
}
bool Difference::significant() const {
  return difference && half_width && std::abs(*difference) > *half_width;
}

std::string Unit::place() const {
  return stream ? fmt::format("{}.{}", process, *stream) : fmt::format("{}", process);
}

Pairing pairing(const scenarios::Scenario& a, const scenarios::Scenario& b) {
  std::vector<Seeker> in_a = seekers(a, plain_keys(b)), in_b = seekers(b, plain_keys(a));
  Pairing pairing;
  const auto pair_by = [&](const auto& same) {
    for (Seeker& one : in_a) {
      const auto other = std::ranges::find_if(
          in_b, [&](const Seeker& each) { return !one.found && !each.found && same(one, each); });
      if (other == in_b.end()) continue;
      one.found = other->found = true;
      pairing.both.emplace_back(one.unit, other->unit);
    }
  };
  pair_by([](const Seeker& x, const Seeker& y) { return !x.name.empty() && x.name == y.name; });
  pair_by([](const Seeker& x, const Seeker& y) {
    return x.at == y.at && x.unit.stream == y.unit.stream && x.instances == y.instances;
  });
  pair_by([](const Seeker& x, const Seeker& y) { return x.key == y.key; });
  std::ranges::sort(pairing.both, {},
                    [](const auto& pair) { return std::pair(pair.first.process, pair.first.stream); });
  const auto add_left = [](const std::vector<Seeker>& all, std::vector<Unit>& to) {
    for (const Seeker& one : all)
      if (!one.found) to.push_back(one.unit);
  };
  add_left(in_a, pairing.only_a);
  add_left(in_b, pairing.only_b);
  return pairing;
}

namespace {

// Units that are compared together: of one label and one status, in A and in B.
struct Together {
  std::string key_a, key_b;
  std::vector<Unit> a, b;
};

std::vector<Together> groups_of(const Pairing& pairs, const Compared& all) {
  const auto key = [](const std::vector<scenarios::Result>& results, const Unit& unit) {
    return unit.label + " " + results.front().processes[unit.process].status;
  };
  std::vector<Together> groups;
  for (const auto& [in_a, in_b] : pairs.both) {
    const std::pair keys(key(all.a, in_a), key(all.b, in_b));
    auto same =
        std::ranges::find(groups, keys, [](const auto& one) { return std::pair(one.key_a, one.key_b); });
    if (same == groups.end()) same = groups.insert(same, {keys.first, keys.second, {}, {}});
    same->a.push_back(in_a);
    same->b.push_back(in_b);
  }
  for (const Unit& unit : pairs.only_a)
    if (const auto same = std::ranges::find(groups, key(all.a, unit), &Together::key_a); same != groups.end())
      same->a.push_back(unit);
  for (const Unit& unit : pairs.only_b)
    if (const auto same = std::ranges::find(groups, key(all.b, unit), &Together::key_b); same != groups.end())
      same->b.push_back(unit);
  return groups;
}

ComparedProcess compared(const std::vector<Unit>& a, const std::vector<Unit>& b, const Compared& all) {
  const Unit &in_a = a.front(), &in_b = b.front();
  RunsOfUnits runs_a, runs_b;
  for (const Unit& unit : a) runs_a.push_back(runs_of(unit, all.a));
  for (const Unit& unit : b) runs_b.push_back(runs_of(unit, all.b));
  ComparedProcess process{.a = in_a,
                          .b = in_b,
                          .of_a = a.size(),
                          .of_b = b.size(),
                          .label = in_a.label == in_b.label ? in_a.label : in_a.label + " -> " + in_b.label,
                          .overload_a = overload_of(runs_a),
                          .overload_b = overload_of(runs_b)};
  for (std::size_t run = 0; run < all.a.size(); ++run) {
    const auto grows = [run](const auto& runs) { return runs[run].stable == false; };
    process.with_latency += std::ranges::any_of(runs_a, grows) || std::ranges::any_of(runs_b, grows) ? 0 : 1;
  }
  for (const auto& row : process_rows)
    add_difference(
        in_each_run(runs_a, row), in_each_run(runs_b, row), {.metric = row.metric, .unit = row.unit},
        [](const scenarios::Metric& value) { return value; }, process.metrics);
  return process;
}

std::optional<scenarios::Verdict> verdict_of_both(AskedLimits of_a, AskedLimits of_b, const Compared& runs) {
  if (of_b.constraints.empty()) of_b = of_a;
  if (of_a.constraints.empty()) of_a = of_b;
  if (of_a.constraints.empty()) return std::nullopt;
  const auto side = [](const AskedLimits& limits, const std::vector<scenarios::Result>& results) {
    return verdict_of(judged(limits, results), {},
                      [&](const std::string& metric) { return grade_of_metric(metric, results.front()); });
  };
  scenarios::Verdict verdict = side(of_b, runs.b);
  verdict.text = fmt::format("B: {}; A: {}", verdict.text, side(of_a, runs.a).text);
  return verdict;
}

}  // namespace

Compared compared(const scenarios::Scenario& a, const scenarios::Scenario& b,
                  std::vector<scenarios::Result> results_a, std::vector<scenarios::Result> results_b) {
  const Pairing pairs = pairing(a, b);
  Compared all{.a = std::move(results_a),
               .b = std::move(results_b),
               .only_a = pairs.only_a,
               .only_b = pairs.only_b,
               .isolation_a = scenarios::isolation_of({&a}),
               .isolation_b = scenarios::isolation_of({&b})};
  for (const auto& [in_a, in_b] : pairs.both) all.processes.push_back(compared({in_a}, {in_b}, all));
  for (const Together& group : groups_of(pairs, all)) all.groups.push_back(compared(group.a, group.b, all));
  for (const auto& row : system_rows)
    add_difference(
        all.a, all.b, {.metric = row.metric, .unit = row.unit},
        [&](const scenarios::Result& result) { return row.get(result.system); }, all.system);
  all.verdict = verdict_of_both(limits_of(a), limits_of(b), all);
  return all;
}

Compared compare(const scenarios::Scenario& a, const scenarios::Scenario& b, const Pairs& pairs,
                 const scenarios::RunControl& control) {
  const auto profile_of = [](const scenarios::Scenario& scenario) {
    input::Problems problems;
    auto profile = scenarios::device_profile(scenario, problems);
    if (!profile) throw scenarios::RunError(problems.text());
    return std::move(*profile);
  };
  const profiles::Profile profile_a = profile_of(a), profile_b = profile_of(b);
  const std::size_t most = pairs.most.value_or(pairs.until ? 100 : 10);
  std::vector<scenarios::Result> results_a, results_b;
  std::mutex guard;
  std::size_t done = 0;
  const auto run_pairs = [&](std::size_t begin, std::size_t end) {
    results_a.resize(end);
    results_b.resize(end);
    scenarios::parallel_for(2 * (end - begin), [&](std::size_t i) {
      const bool first = i % 2 == 0;
      const std::size_t pair = begin + i / 2;
      scenarios::Scenario scenario = first ? a : b;
      scenario.run.seed = scenarios::replication_seed(a.run.seed, pair);
      scenario.run.replications = 1;
      auto result =
          run(scenario, first ? profile_a : profile_b,
              {.interrupt = control.interrupt, .trace = nullptr, .every_percentile = true, .progress = {}});
      if (!result) throw scenarios::Interrupted();
      (first ? results_a : results_b)[pair] = std::move(*result);
      const std::lock_guard lock(guard);
      if (control.progress) control.progress(static_cast<double>(++done) / static_cast<double>(2 * most));
    });
  };
  for (std::size_t next = pairs.until ? Pairs::least : most;; next += 2) {
    next = std::min(next, most);
    run_pairs(results_a.size(), next);
    Compared all = compared(a, b, std::move(results_a), std::move(results_b));
    all.until = pairs.until;
    if (next == most || all.known_to(*pairs.until)) {
      find_room(all.a.front(), a, control);
      find_room(all.b.front(), b, control);
      return all;
    }
    results_a = std::move(all.a);
    results_b = std::move(all.b);
  }
}

}  // namespace jostle::analyses
