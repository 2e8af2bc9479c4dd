#include "analyses/compare/cause.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "input/counted.hpp"
#include "input/units.hpp"
#include "scenarios/result/board_result.hpp"

namespace jostle::analyses {
namespace {

using process::Share;
using scenarios::Metric;
using scenarios::Result;

// The time of an image by cause, in ms, of a process: the mean over the replications. Idle time counts for
// nothing.
using ImageTime = std::array<double, process::share_count>;

// The time on the GPU of an image by what bounds its kernels, in ms.
struct KernelTime {
  double arithmetic = 0, memory = 0, fixed = 0;
};
struct KernelPart {
  double KernelTime::*ms;
  const char* words;
};
constexpr std::array kernel_parts{KernelPart{&KernelTime::arithmetic, "arithmetic"},
                                  KernelPart{&KernelTime::memory, "memory"},
                                  KernelPart{&KernelTime::fixed, "fixed costs"}};

std::optional<ImageTime> image_time(const std::vector<Result>& results, std::size_t index) {
  ImageTime time{};
  double runs = 0;
  for (const Result& result : results) {
    const scenarios::ProcessResult& process = result.processes[index];
    if (!process.time_share || process.throughput.mean.value_or(0) <= 0) continue;
    for (std::size_t i = 0; i < time.size(); ++i)
      time[i] += 1e3 * (*process.time_share)[i] / *process.throughput.mean;
    ++runs;
  }
  if (runs == 0) return std::nullopt;
  for (double& part : time) part /= runs;
  time[index_of(Share::idle)] = 0;
  return time;
}

// The parts of `gpu_ms` in the first result of a side; none if they are not told.
std::optional<KernelTime> kernel_time(const Result& result, std::size_t index, double gpu_ms) {
  const scenarios::GpuRunningBy& by = result.processes[index].gpu_running_by;
  if (!by.compute || !by.memory) return std::nullopt;
  return KernelTime{gpu_ms * *by.compute, gpu_ms * *by.memory, gpu_ms * by.fixed.value_or(0)};
}

double total_ms(const ImageTime& time) {
  double sum = 0;
  for (const double part : time) sum += part;
  return sum;
}

bool nearly(double a, double b) {
  return std::abs(b - a) <= no_cause_within * std::max(std::abs(a), std::abs(b));
}

// A pair of processes and the time of an image on either side.
struct PairTime {
  const ComparedProcess* process;
  ImageTime a, b;
  std::optional<KernelTime> kernels_a, kernels_b;
  double weight = 0;
  [[nodiscard]] double relative() const { return total_ms(a) > 0 ? total_ms(b) / total_ms(a) - 1 : 0; }
};

// The row of a metric; one without values if there is none.
Difference row_of(const std::vector<Difference>& rows, std::string_view metric) {
  const auto row = std::ranges::find(rows, metric, &Difference::metric);
  return row == rows.end() ? Difference{} : *row;
}

// Its relative difference; 0 if that may be chance.
double beyond_noise(const std::vector<Difference>& rows, std::string_view metric) {
  const Difference row = row_of(rows, metric);
  return row.half_width && !row.significant() ? 0 : row.relative().value_or(0);
}

// Returns whether each is a process with as many streams as the other: its time is that of all its streams.
bool are_alike(const Compared& compared, const ComparedProcess& pair) {
  return !pair.a.stream && !pair.b.stream &&
         compared.a.front().processes[pair.a.process].instances.size() ==
             compared.b.front().processes[pair.b.process].instances.size();
}

// The size of the difference of a pair's throughput.
double gained(const ComparedProcess& process) {
  return std::abs(row_of(process.metrics, "throughput").difference.value_or(0));
}

// The pair behind the difference: if the board's throughput differs, the one whose own differs most, else the
// one whose latency changed most beyond noise, and with the time of its images: a lone change of latency
// comes from others. Last, the one whose time of an image changed most. None if no pair of equal streams has
// a time on both sides.
std::optional<PairTime> most_changed(const Compared& compared) {
  const bool by_rate = std::abs(beyond_noise(compared.system, "throughput")) > no_cause_within;
  std::optional<PairTime> most;
  for (const ComparedProcess& process : compared.groups) {
    if (!are_alike(compared, process)) continue;
    const std::size_t in_a = process.a.process, in_b = process.b.process;
    const auto a = image_time(compared.a, in_a), b = image_time(compared.b, in_b);
    if (!a || !b) continue;
    constexpr std::size_t gpu = index_of(Share::gpu_running);
    PairTime pair{&process, *a, *b, kernel_time(compared.a.front(), in_a, (*a)[gpu]),
                  kernel_time(compared.b.front(), in_b, (*b)[gpu])};
    constexpr double last = 1e-3;
    const double later = beyond_noise(process.metrics, "latency mean"), time = pair.relative();
    pair.weight =
        by_rate ? gained(process) : (later * time > 0 ? std::abs(later) : 0) + last * std::abs(time);
    if (!most || pair.weight > most->weight * (1 + no_cause_within)) most = pair;
  }
  return most;
}

// "faster", "slower"; "sooner" with answers where both serve the same rate; empty: there is no difference
// beyond noise.
std::string how_b_is(const Compared& compared, const PairTime& pair) {
  const double rate = beyond_noise(compared.system, "throughput");
  if (std::abs(rate) > no_cause_within) return rate > 0 ? "faster" : "slower";
  const double latency = beyond_noise(pair.process->metrics, "latency mean");
  return std::abs(latency) <= no_cause_within ? "" : latency < 0 ? "sooner" : "later";
}

// The parts of a change of the time on the GPU that are a fifth of it or more: " (memory 80 %)".
std::string kernel_words(const PairTime& pair) {
  constexpr std::size_t gpu = index_of(Share::gpu_running);
  if (!pair.kernels_a || !pair.kernels_b) return {};
  const double change = pair.b[gpu] - pair.a[gpu];
  std::string text;
  for (const KernelPart& part : kernel_parts) {
    const double share = ((*pair.kernels_b).*part.ms - (*pair.kernels_a).*part.ms) / change;
    if (share < least_part) continue;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? " (" : ", ", part.words,
                        100 * std::min(share, 1.0));  // more if another part fell
  }
  return text.empty() ? text : text + ")";
}

// The parts that moved with `change`, the greatest first: "0.9 ms less waiting for another process's slice".
std::vector<std::string> moved_parts(const PairTime& pair, double change) {
  std::vector<std::size_t> order;
  const auto moved = [&](std::size_t i) { return (pair.b[i] - pair.a[i]) / change; };
  for (std::size_t i = 0; i < pair.a.size(); ++i)
    if (moved(i) >= least_part) order.push_back(i);
  std::ranges::stable_sort(order, std::greater{}, moved);
  if (order.size() > most_parts) order.resize(most_parts);
  std::vector<std::string> named;
  for (const std::size_t i : order)
    named.push_back(fmt::format("{} ms {} {}{}", input::decimal(std::abs(pair.b[i] - pair.a[i]), 3),
                                change < 0 ? "less" : "more", process::share_rows.at(i).words,
                                i == index_of(Share::gpu_running) ? kernel_words(pair) : ""));
  return named;
}

// The parts of the time that changed, those against the whole last: "0.9 ms less waiting for another
// process's slice, but 0.3 ms more executing on the GPU".
std::string parts_words(const PairTime& pair) {
  const double change = total_ms(pair.b) - total_ms(pair.a);
  const auto with = moved_parts(pair, change), against = moved_parts(pair, -change);
  std::string text = fmt::format("{}", fmt::join(with, " and "));
  if (!against.empty()) text += fmt::format(", but {}", fmt::join(against, " and "));
  return text;
}

std::string first_cause(const Compared& compared, const PairTime& pair, const SideNames& names) {
  const std::string how = how_b_is(compared, pair);
  const double a = total_ms(pair.a), b = total_ms(pair.b);
  const std::string& who = pair.process->a.label;
  const scenarios::ProcessResult &in_a = compared.a.front().processes[pair.process->a.process],
                                 &in_b = compared.b.front().processes[pair.process->b.process];
  if ((how == "faster" || how == "slower") && in_a.offered && in_b.offered && in_a.stable != false &&
      in_b.stable != false && !nearly(*in_a.offered, *in_b.offered))
    return fmt::format("{} serves {} because {} is asked for {} {} in place of {}", names.b,
                       how == "faster" ? "more" : "less", who, input::decimal(*in_b.offered, 3),
                       in_b.throughput.unit, input::decimal(*in_a.offered, 3));
  if (nearly(a, b))
    return fmt::format("{} takes {} ms an image in both{}", who, input::decimal(b, 3),
                       how.empty() ? "" : "; what differs is when requests come");
  const bool expected = (b < a) == (how == "faster" || how == "sooner");
  const std::string times = fmt::format("{} ms{} in place of {}: {}", input::decimal(b, 3),
                                        how == "sooner" || how == "later" ? "" : " an image",
                                        input::decimal(a, 3), parts_words(pair));
  const char* const because = expected ? "because" : "although";
  if (how == "sooner" || how == "later")
    return fmt::format("{} is {} with the answers of {} {} an image takes {}", names.b, how, who, because,
                       times);
  return fmt::format("{}{} takes {}", how.empty() ? "" : fmt::format("{} is {} {} ", names.b, how, because),
                     who, times);
}

// "the GPU clock is 612 MHz in place of 918"; empty if it is the same.
std::string clock_words(const char* name, const Metric& a, const Metric& b) {
  if (!a || !b || nearly(*a, *b)) return {};
  return fmt::format("the {} is {:.0f} MHz in place of {:.0f}", name, *b, *a);
}

// The GPU's own time for an image, and how full it is meanwhile. A lone process's time says it already.
std::string gpu_words(const Result& a, const Result& b) {
  if (a.processes.size() == 1 && b.processes.size() == 1) return {};
  const auto busy_ms = [](const Result& result) {
    return 1e3 * result.system.gpu.busy.value_or(0) / std::max(1e-9, result.system.throughput.value_or(0));
  };
  if (nearly(busy_ms(a), busy_ms(b))) return {};
  std::string text = fmt::format("the GPU itself works {} ms on an image in place of {}",
                                 input::decimal(busy_ms(b), 3), input::decimal(busy_ms(a), 3));
  const Metric &full_a = a.system.gpu.array.sm_active, &full_b = b.system.gpu.array.sm_active;
  if (full_a && full_b && !nearly(*full_a, *full_b))
    text += fmt::format(", with {} % of it active in place of {} %", input::decimal(100 * *full_b, 3),
                        input::decimal(100 * *full_a, 3));
  return text;
}

// How processes share the GPU, if only one side has them take turns.
std::string turns_words(const Compared& compared, const SideNames& names) {
  const Difference switches = row_of(compared.system, "GPU switches");
  if (!switches.a || !switches.b || (*switches.a > 0) == (*switches.b > 0)) return {};
  // A lone process has no turns either, unless it has several streams.
  const auto alone = [](const Result& result) {
    return result.processes.size() == 1 && result.processes.front().instances.size() < 2;
  };
  if (alone(compared.a.front()) || alone(compared.b.front())) return {};
  return fmt::format("in {} processes take turns on the GPU, in {} their kernels run at once",
                     *switches.a > 0 ? names.a : names.b, *switches.a > 0 ? names.b : names.a);
}

// The changes behind the parts of the time: at most two of limit, clocks, processes, turns and the GPU's own
// time.
std::string second_cause(const Compared& compared, const std::optional<PairTime>& pair,
                         const SideNames& names) {
  const Result &a = compared.a.front(), &b = compared.b.front();
  std::vector<std::string> found;
  const auto add = [&found](std::string words) {
    constexpr std::size_t most = 2;
    if (!words.empty() && found.size() < most) found.push_back(std::move(words));
  };
  const auto cpu = [](const Result& result) {
    return result.system.cpu.clock_mhz.empty() ? Metric() : Metric(result.system.cpu.clock_mhz.front());
  };
  // Clocks that moved as the time did come first: lower ones where it is longer.
  const auto add_clocks = [&](bool behind) {
    for (const auto& [name, before, after] :
         {std::tuple("GPU clock", a.system.gpu.clock_mhz, b.system.gpu.clock_mhz),
          {"memory clock", a.system.memory.clock_mhz, b.system.memory.clock_mhz},
          {"CPU clock", cpu(a), cpu(b)}})
      if (behind == (pair && before && after && (*after < *before) == (pair->relative() > 0)))
        add(clock_words(name, before, after));
  };
  const auto binds = [](const std::string& limit) { return limit != "none" && limit != "power_mode"; };
  add_clocks(true);
  if (a.system.limited_by != b.system.limited_by &&
      (binds(a.system.limited_by) || binds(b.system.limited_by)))
    add(fmt::format("in {} {}, in {} {}", names.a,
                    scenarios::limit_in_words(a.system.limited_by, "its clocks"), names.b,
                    scenarios::limit_in_words(b.system.limited_by, "its clocks")));
  if (a.processes.size() != b.processes.size())
    add(fmt::format("{} {} on the board in place of {}",
                    input::counted(b.processes.size(), "process", "processes"),
                    b.processes.size() == 1 ? "works" : "work", a.processes.size()));
  add(turns_words(compared, names));
  add_clocks(false);
  add(gpu_words(a, b));
  if (found.size() == 1 && a.system.gpu.clock_mhz && b.system.gpu.clock_mhz &&
      nearly(*a.system.gpu.clock_mhz, *b.system.gpu.clock_mhz))
    found.push_back(fmt::format("the GPU clock is the same, {:.0f} MHz", *b.system.gpu.clock_mhz));
  return fmt::format("{}", fmt::join(found, "; "));
}

}  // namespace

std::vector<std::string> causes_of(const Compared& compared, const SideNames& names) {
  std::vector<std::string> found;
  const auto pair = most_changed(compared);
  if (pair)
    found.push_back(first_cause(compared, *pair, names));
  else if (std::ranges::all_of(compared.groups, [&](const auto& each) { return are_alike(compared, each); }))
    return {};
  if (std::string behind = second_cause(compared, pair, names); !behind.empty())
    found.push_back(std::move(behind));
  // Turns explain the parts of the time, so they come first.
  if (!turns_words(compared, names).empty()) std::ranges::reverse(found);
  return found;
}

}  // namespace jostle::analyses
