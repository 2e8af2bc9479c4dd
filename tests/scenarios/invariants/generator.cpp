#include "tests/scenarios/invariants/generator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/scenarios/invariants/dice.hpp"
#include "tests/scenarios/invariants/draft_entry.hpp"

namespace jostle::scenarios::testing {
namespace {

const std::map<std::string, board::DeviceSpec>& devices() {
  static const std::map<std::string, board::DeviceSpec> specs = [] {
    std::map<std::string, board::DeviceSpec> found;
    for (const std::string& name : profiles::device_names()) {
      input::Problems problems;
      found.emplace(name, *profiles::shipped_profile(name, problems).value().spec);
    }
    return found;
  }();
  return specs;
}

std::string mhz(double hz) {
  return fmt::format("{} MHz", hz / 1e6);
}

Words clocks(Dice& dice, const board::DeviceSpec& device) {
  Words lines;
  if (!device.power_modes.empty() && dice.one_in(2))
    lines.push_back("power_mode: " + dice.of(device.power_modes).name);
  if (!device.power) return lines;
  if (dice.one_in(4)) lines.emplace_back("jetson_clocks: true");
  if (!device.gpu.clock_table_hz.empty() && dice.one_in(5))
    lines.push_back("clocks: {gpu: " + mhz(dice.of(device.gpu.clock_table_hz)) + "}");
  if (dice.one_in(8))
    lines.push_back("governors: {cpu: " +
                    dice.of<std::string>({"schedutil", "performance", "powersave", "ondemand"}) + "}");
  if (dice.one_in(8) && device.lowers_clocks())
    lines.push_back(fmt::format("power_cap: {{budget: {} W, window: 100 ms}}", dice.number(4, 20)));
  if (dice.one_in(8)) lines.push_back(fmt::format("ambient: {} degC", dice.number(0, 60)));
  if (dice.one_in(8)) lines.emplace_back("fan: false");
  Dice own(static_cast<std::uint64_t>(
      Dice(dice).number(0, 1'000'000)));  // of its own, so that the other keys stay as they are
  if (const auto& limit = device.power->limit; limit && own.one_in(4))
    lines.push_back(fmt::format(
        "power_limit: {} W", own.number(static_cast<int>(limit->min_w), static_cast<int>(limit->budget_w))));
  return lines;
}

std::string link(Dice& dice) {
  const int mbit = dice.of<int>({2, 20, 100, 1000}), rtt = dice.number(0, 40);
  const int jitter = dice.of<int>({0, 0, 3}), loss = dice.of<int>({0, 0, 1, 5});
  return fmt::format("link: {{bandwidth: {} Mbit/s, rtt: {} ms, jitter: {} ms, loss: {} %, payload: {}}}",
                     mbit, rtt, jitter, loss, dice.of<std::string>({"jpeg", "10 kB", "10 kB", "tensor"}));
}

// What takes cores and the GPU from the processes, and who watches.
Words surroundings(Dice& dice, const board::DeviceSpec& device) {
  Words lines;
  if (dice.one_in(4)) lines.push_back(fmt::format("host_cores: {}", dice.number(1, 4)));
  if (dice.one_in(4)) lines.push_back(link(dice));
  if (dice.one_in(12)) lines.emplace_back("gpu_metrics: 1 ms");
  if (device.nsys && dice.one_in(16)) lines.emplace_back("observer: nsys");
  if (device.has_gpu() && dice.one_in(10)) lines.emplace_back("compositor: true");
  if (dice.one_in(12)) {
    const int load = dice.number(1, 20);
    lines.push_back(fmt::format("interrupts: {{load: {} %, rate: {} /s}}", load, dice.of<int>({100, 2000})));
  }
  return lines;
}

bool starts(const Words& words, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(keys, [&](const char* key) { return word.starts_with(key); });
  });
}

// Kernels that overlap are an event each, so runs of them are shorter.
bool overlap(const Draft& draft) {
  return starts(draft.board, {"sharing: mps", "mps: true"}) ||
         std::ranges::any_of(draft.processes, [&](const DraftEntry& entry) {
           return !entry.instances.empty() || starts(entry.keys, {"streams"});
         });
}

Words kind_of_run(Dice& dice, bool brief) {
  const std::string seed = fmt::format("seed: {}", dice.number(1, 1000));
  const int longest = brief ? 250 : 1000;
  switch (dice.number(1, 10)) {
    case 1:
      return {seed, "duration: 3 s", "setup: true"};
    case 2:
      return {seed, "duration: 1 s", fmt::format("batches: {}", dice.number(1, 20))};
    case 3:
      return {seed, fmt::format("until: {{relative_error: 20 %, max: {} ms}}", 4 * longest),
              "warmup: 100 ms"};
    case 4:
      return {seed, "duration: 100 ms", "warmup: 0 s"};
    case 5:
    case 6:
      return {seed, fmt::format("duration: {} ms", dice.number(100, longest / 2)), "warmup: 100 ms",
              fmt::format("replications: {}", dice.number(2, 3))};
    case 7:  // the run decides when its warm-up ends, and when it ends itself
      if (!brief) return dice.number(1, 2) == 1 ? Words{seed} : Words{seed, "duration: 500 ms"};
      [[fallthrough]];
    default:
      return {seed, fmt::format("duration: {} ms", dice.number(200, longest)), "warmup: 100 ms"};
  }
}

// The GPU in instances, and each process in one of them. Modes may leave SMs without power.
void give_instances(Dice& dice, const board::DeviceSpec& device, Draft& draft) {
  if (starts(draft.board, {"power_mode", "compositor"})) return;
  std::vector<const gpu::InstanceKind*> kinds;
  Words names;
  for (int tries = dice.number(1, 6); tries > 0; --tries) {
    kinds.push_back(&dice.of(device.instances.kinds));
    if (gpu::fit_together(kinds))
      names.push_back(kinds.back()->name);
    else
      kinds.pop_back();
  }
  for (std::string& line : draft.board)
    if (line == "sharing: mps") line = "mps: true";
  draft.board.push_back(fmt::format("sharing: {{mig: [{}]}}", fmt::join(names, ", ")));
  for (DraftEntry& entry : draft.processes)
    if (!starts(entry.keys, {"load", "placement: cpu", "runtime: tflite", "runtime: ncnn",
                             "runtime: executorch", "runtime: torch", "runtime: cpu"}))
      entry.keys.push_back(fmt::format("mig: {}", dice.number(0, static_cast<int>(names.size()) - 1)));
}

template <typename T>
bool leave_out(std::vector<T>& parts, std::size_t first, const std::function<bool()>& still_fails) {
  bool any = false;
  for (std::size_t i = first; i < parts.size();) {
    const T part = std::move(parts[i]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    if (still_fails()) {
      any = true;
      continue;
    }
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), part);
    ++i;
  }
  return any;
}

}  // namespace

std::string DraftEntry::text() const {
  Words parts = keys;
  Words of;
  for (const Words& instance : instances) of.push_back(fmt::format("{{{}}}", fmt::join(instance, ", ")));
  if (!of.empty()) parts.push_back(fmt::format("instances: [{}]", fmt::join(of, ", ")));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string Draft::text() const {
  std::string text = fmt::format("{}\nprocesses:\n", fmt::join(board, "\n"));
  for (const DraftEntry& entry : processes) text += fmt::format("  - {}\n", entry.text());
  return text + fmt::format("run: {{{}}}\n", fmt::join(run, ", "));
}

Draft draft(std::uint64_t number) {
  Dice dice(number);
  auto device = devices().begin();
  std::advance(device, dice.number(0, static_cast<int>(devices().size()) - 1));
  const board::DeviceSpec& spec = device->second;
  Draft draft;
  draft.board.push_back("device: " + device->first);
  const auto add = [&draft](Words lines) { std::ranges::move(lines, std::back_inserter(draft.board)); };
  add(clocks(dice, spec));
  const bool mps = spec.has_gpu() && spec.mps && dice.one_in(4);
  if (mps) add({"sharing: mps"});
  add(surroundings(dice, spec));
  const bool linked =
      std::ranges::any_of(draft.board, [](const auto& line) { return line.starts_with("link"); });
  for (int i = dice.number(1, 3); i > 0; --i)
    draft.processes.push_back(drawn_entry(dice, {spec, mps, linked, draft.processes.size()}));
  if (dice.one_in(20)) {  // many
    draft.processes.resize(1);
    Words& keys = draft.processes[0].keys;
    std::erase_if(keys, [](const std::string& part) { return part.starts_with("count"); });
    keys.push_back(fmt::format("count: {}", dice.number(5, overlap(draft) ? 12 : 64)));
  }
  if (dice.one_in(4)) draft.processes.push_back(drawn_load(dice, spec));
  draft.run = kind_of_run(dice, overlap(draft));
  Dice own = dice;  // a copy, so that other scenarios stay as they are
  if (spec.has_gpu() && !linked && own.one_in(8)) {
    draft.processes.clear();
    for (int i = own.number(1, 3); i > 0; --i)
      draft.processes.push_back(drawn_loops(own, {spec, mps, linked, draft.processes.size()}));
    draft.run = {draft.run.front(), "duration: 1 s", "warmup: 100 ms"};
  }
  if (own.one_in(5)) draft.run.emplace_back("start: together");
  if (!spec.instances.kinds.empty() && own.one_in(3)) give_instances(own, spec, draft);
  if (own.one_in(12))  // every board has more cores than one
    add({fmt::format("figures: {{cpu.{}: \"[0]\"}}", own.of<std::string>({"isolcpus", "partition"}))});
  if (!overlap(draft) &&
      std::ranges::any_of(draft.board, [](const auto& line) { return line.starts_with("power_limit"); }))
    draft.run = {draft.run.front(), "duration: 2 s", "warmup: 1 s"};  // its window is nearly a second
  return draft;
}

const board::DeviceSpec& device_of(const Draft& draft) {
  return devices().at(draft.board[0].substr(std::string("device: ").size()));
}

DraftEntry another_entry(const Draft& beside, std::uint64_t number) {
  Dice dice(number);
  const board::DeviceSpec& spec = device_of(beside);
  const auto has = [&](const std::string& key) {
    return std::ranges::any_of(beside.board, [&](const auto& line) { return line.starts_with(key); });
  };
  if (dice.one_in(2)) return drawn_load(dice, spec);
  return drawn_entry(dice,
                     {spec, has("sharing: mps") || has("mps: true"), has("link"), beside.processes.size()});
}

Draft smallest(Draft draft, const std::function<bool(const Draft&)>& fails) {
  const auto still = [&] { return fails(draft); };
  for (bool any = true; any;) {
    any = leave_out(draft.processes, draft.processes.size() > 1 ? 0 : 1, still);
    any = leave_out(draft.board, 1, still) || any;
    for (DraftEntry& entry : draft.processes) {
      any = leave_out(entry.instances, 1, still) || any;
      any = leave_out(entry.keys, entry.instances.empty() ? 1 : 0, still) || any;
      for (Words& instance : entry.instances) any = leave_out(instance, 1, still) || any;
    }
  }
  return draft;
}

}  // namespace jostle::scenarios::testing
