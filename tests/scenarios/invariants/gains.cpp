#include "tests/scenarios/invariants/gains.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "tests/scenarios/invariants/dice.hpp"
#include "tests/scenarios/invariants/law_parts.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"

namespace jostle::scenarios::testing {
namespace {

constexpr double tolerance = 0.02;

Draft shortly(Draft draft) {
  std::erase_if(draft.run, [](const std::string& key) { return !key.starts_with("seed"); });
  draft.run.insert(draft.run.end(), {"duration: 400 ms", "warmup: 100 ms"});
  return draft;
}

std::optional<Pair> one_entry_more(const Draft& draft, std::uint64_t number) {
  const Draft before = shortly(draft);
  Draft after = before;
  after.processes.push_back(another_entry(draft, number));
  return Pair{before, after, {}};
}

// Of those that a clock of the domain can take, one and a lower one.
std::optional<Pair> lower_clock(const Draft& draft, const std::string& domain,
                                const std::vector<double>& table, std::uint64_t number) {
  if (table.size() < 2) return std::nullopt;
  Dice dice(number);
  const auto high = static_cast<std::size_t>(dice.number(1, static_cast<int>(table.size()) - 1));
  const auto low = static_cast<std::size_t>(dice.number(0, static_cast<int>(high) - 1));
  Draft before = shortly(draft);
  std::erase_if(before.board, [](const std::string& line) { return line.starts_with("clocks"); });
  Draft after = before;
  before.board.push_back(fmt::format("clocks: {{{}: {} MHz}}", domain, table[high] / 1e6));
  after.board.push_back(fmt::format("clocks: {{{}: {} MHz}}", domain, table[low] / 1e6));
  return Pair{before, after, {}};
}

// The duration of equal kernels is that at the clock that is set, so a lower one means less work: 1332/s at
// 810 MHz of an RTX 4090 and at 570. Held at 210 MHz by a cap of its power, it does 350 and 493.
bool has_equal_kernels(const Draft& draft) {
  return std::ranges::any_of(draft.processes, [](const auto& entry) {
    return std::ranges::any_of(entry.keys,
                               [](const std::string& key) { return key.starts_with("model: {kernels"); });
  });
}

std::optional<Pair> lower_gpu_clock(const Draft& draft, std::uint64_t number) {
  if (has_equal_kernels(draft)) return std::nullopt;
  return lower_clock(draft, "gpu", device_of(draft).gpu.clock_table_hz, number);
}
std::optional<Pair> lower_cpu_clock(const Draft& draft, std::uint64_t number) {
  const std::vector<cpu::ClusterSpec>& clusters = device_of(draft).cpu->clusters;
  if (clusters.size() > 1) return std::nullopt;  // of which each may have a table of its own
  return lower_clock(draft, "cpu", clusters[0].clock_table_hz, number);
}

std::optional<Pair> smaller_share(const Draft& draft, std::uint64_t number) {
  const std::string key = "mps_threads: ";
  for (std::size_t entry = 0; entry < draft.processes.size(); ++entry) {
    const Words& keys = draft.processes[entry].keys;
    const auto share = std::ranges::find_if(keys, [&](const auto& word) { return word.starts_with(key); });
    if (share == keys.end()) continue;
    const int percent = std::stoi(share->substr(key.size()));
    if (percent <= 10) continue;
    Dice dice(number);
    Pair pair{shortly(draft), shortly(draft), entry};
    pair.after.processes[entry].keys[static_cast<std::size_t>(share - keys.begin())] =
        fmt::format("{}{} %", key, 10 * dice.number(1, percent / 10 - 1));
    return pair;
  }
  return std::nullopt;
}

// Any clock is higher, so far as means tell.
bool a_clock_rose(const Compared& runs, std::size_t) {
  const SystemResult &before = runs.before.result.system, &after = runs.after.result.system;
  const auto rose = [](const Metric& from, const Metric& to) { return from && to && *to > *from * 1.001; };
  for (std::size_t i = 0; i < before.cpu.clock_mhz.size(); ++i)
    if (after.cpu.clock_mhz[i] > before.cpu.clock_mhz[i] * 1.001) return true;
  return rose(before.gpu.clock_mhz, after.gpu.clock_mhz) ||
         rose(before.memory.clock_mhz, after.memory.clock_mhz);
}

// A controller that protects the board held clocks down for less of the time: below what is set, which means
// of clocks do not tell where pulses are skipped.
bool the_board_is_held_down_less(const Compared& runs, std::size_t) {
  const NamedParameters& after = runs.after.result.system.limited_share;
  return std::ranges::any_of(runs.before.result.system.limited_share, [&](const auto& cause) {
    const auto same = std::ranges::find(after, cause.first, [](const auto& one) { return one.first; });
    return cause.first != "power_mode" && cause.second > (same == after.end() ? 0 : same->second);
  });
}

// Seconds of one share of its time that a process spends for each image.
double seconds_an_image(const ProcessResult& process, process::Share share) {
  return (*process.time_share)[index_of(share)] / *process.throughput.mean;
}

// The gaps that a lone graph has between its kernels are gone beside another process, also beside one that
// has no work (gpu::KernelSequence::lone_gap): resnet50 on an H200 does 1167 images/s alone, 1327 beside an
// idle process. Its `launching` tells: what it loses there for an image falls by as much as it gains.
bool gaps_between_its_kernels_are_hidden(const Compared& runs, std::size_t process) {
  const ProcessResult &before = runs.before.result.processes[process],
                      &after = runs.after.result.processes[process];
  if (!before.time_share || !after.time_share) return false;
  const double gain = 1 / *before.throughput.mean - 1 / *after.throughput.mean;
  return seconds_an_image(before, process::Share::launching) -
             seconds_an_image(after, process::Share::launching) >=
         0.9 * gain;
}

// Requests that wait longer go in larger batches, which take less time for each image.
bool batches_are_fuller(const Compared& runs, std::size_t process) {
  const ProcessResult &before = runs.before.result.processes[process],
                      &after = runs.after.result.processes[process];
  const auto fuller = [](const auto& from, const auto& to) {
    return from.mean_batch && to.mean_batch && *to.mean_batch > *from.mean_batch * (1 + tolerance);
  };
  if (fuller(before, after)) return true;
  for (std::size_t i = 0; i < before.instances.size(); ++i)
    if (fuller(before.instances[i], after.instances[i])) return true;
  return false;
}

// Hosts that may wait as they like spin while there are at most as many contexts as cores, and yield beyond:
// one process more gives back a core that two share. Two on one core do 139 and 79 images/s on an Orin Nano;
// with five idle ones beside them 157 and 79. The scenario says who waits so; the result has no word for it.
bool hosts_yield_that_did_spin(const Compared& runs, std::size_t) {
  const auto contexts = [](const Run& run) { return expand(run.scenario).size(); };
  return contexts(runs.before) < contexts(runs.after) &&
         std::ranges::any_of(runs.before.scenario.processes,
                             [](const ProcessEntry& entry) { return entry.host.sync == Sync::automatic; });
}

// What another that was there before does no longer, it leaves to the others: cores, turns, SMs, memory.
bool another_serves_less(const Compared& runs, std::size_t process) {
  const std::vector<ProcessResult>&before = runs.before.result.processes,
        &after = runs.after.result.processes;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i == process || !before[i].throughput.mean) continue;
    if (after[i].throughput.mean.value_or(0) < *before[i].throughput.mean * (1 - tolerance)) return true;
  }
  return false;
}

}  // namespace

const std::vector<Change>& changes() {
  static const std::vector<Change> all{{"a process or a co-runner more", one_entry_more},
                                       {"a lower clock of the GPU", lower_gpu_clock},
                                       {"a lower clock of the cores", lower_cpu_clock},
                                       {"a smaller share under MPS", smaller_share}};
  return all;
}

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all{
      {"a clock rose", a_clock_rose},
      {"the board is held down less", the_board_is_held_down_less},
      {"gaps between its kernels are hidden", gaps_between_its_kernels_are_hidden},
      {"batches are fuller", batches_are_fuller},
      {"hosts yield that did spin", hosts_yield_that_did_spin},
      {"another serves less", another_serves_less}};
  return all;
}

namespace {

// Whether the process serves more in the second run, by more than what is under way at its ends, and by more
// than chance where there are replications to tell.
bool gains(const Compared& runs, std::size_t process) {
  const ProcessResult &before = runs.before.result.processes[process],
                      &after = runs.after.result.processes[process];
  if (!ran(before) || !ran(after) || !before.throughput.mean || !after.throughput.mean) return false;
  const double streams = static_cast<double>(std::max<std::size_t>(before.instances.size(), 1));
  const double ends = static_cast<double>(before.batch) * streams / runs.before.result.simulated_s;
  if (*after.throughput.mean <= *before.throughput.mean * (1 + tolerance) + ends) return false;
  if (runs.before.result.replications == 1 || !before.throughput.ci95 || !after.throughput.ci95) return true;
  return after.throughput.ci95->first > before.throughput.ci95->second;
}

}  // namespace

std::vector<std::string> unexplained(const Pair& pair, const Compared& runs) {
  Breaches found;
  const std::vector<ProcessResult>& processes = runs.before.result.processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto entry = place_of_entry(runs.before.scenario, static_cast<std::size_t>(processes[i].entry));
    const bool may_gain = pair.less && *pair.less != entry;
    const Compared in_order = may_gain ? Compared{runs.after, runs.before} : runs;
    if (!gains(in_order, i)) continue;
    if (std::ranges::any_of(mechanisms(), [&](const Mechanism& by) { return by.seen(in_order, i); }))
      continue;
    found.push_back(fmt::format("process {}: {}/s before, {}/s after", i,
                                processes[i].throughput.mean.value_or(-1),
                                runs.after.result.processes[i].throughput.mean.value_or(-1)));
  }
  return found;
}

std::vector<std::string> unexplained(const Pair& pair) {
  const auto compare = [](const Pair& some) -> Breaches {
    const auto before = simulated(some.before.text()), after = simulated(some.after.text());
    if (!before || !after) return {};
    return unexplained(some, {before->run(), after->run()});
  };
  if (compare(pair).empty()) return {};
  Pair longer = pair;
  for (Draft* draft : {&longer.before, &longer.after})
    draft->run = {draft->run.front(), "duration: 1 s", "replications: 5"};
  return compare(longer);
}

}  // namespace jostle::scenarios::testing
