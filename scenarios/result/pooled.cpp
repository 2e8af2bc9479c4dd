#include "scenarios/result/pooled.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "scenarios/result/power_result.hpp"
#include "sim/batch_means.hpp"

namespace jostle::scenarios {

namespace {

// The same place in every replication.
template <class T>
class Same {
 public:
  Same(T& into, std::vector<const T*> of) : into_(&into), of_(std::move(of)) {}

  [[nodiscard]] T& into() const { return *into_; }
  [[nodiscard]] const std::vector<const T*>& of() const { return of_; }
  // The part of each that `get` gives: a member, or a function.
  template <class Get>
  [[nodiscard]] auto at(const Get& get) const {
    using Part = std::remove_reference_t<decltype(std::invoke(get, *into_))>;
    std::vector<const Part*> parts;
    for (const T* one : of_) parts.push_back(&std::invoke(get, *one));
    return Same<Part>(std::invoke(get, *into_), std::move(parts));
  }

 private:
  T* into_;
  std::vector<const T*> of_;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// None where one is absent.
std::optional<std::vector<double>> values_of(const Same<Metric>& metric) {
  std::vector<double> values;
  for (const Metric* one : metric.of()) {
    if (!*one) return std::nullopt;
    values.push_back(**one);
  }
  return values;
}

void average(const Same<Metric>& metric) {
  const auto values = values_of(metric);
  metric.into() = values ? Metric(mean_of(*values)) : std::nullopt;
}

// Over those that have it.
void average_known(const Same<Metric>& metric) {
  std::vector<double> values;
  for (const Metric* one : metric.of())
    if (*one) values.push_back(**one);
  metric.into() = values.empty() ? std::nullopt : Metric(mean_of(values));
}

void average(const Same<double>& figure) {
  std::vector<double> values;
  for (const double* one : figure.of()) values.push_back(*one);
  figure.into() = mean_of(values);
}

// And the interval of the mean, from how the replications differ.
void average(const Same<Metric>& metric, Interval& ci95) {
  average(metric);
  ci95.reset();
  const auto values = values_of(metric);
  if (!values || values->size() < 2) return;
  const auto n = static_cast<double>(values->size());
  const double mean = mean_of(*values);
  double squares = 0;
  for (const double value : *values) squares += (value - mean) * (value - mean);
  const double half = sim::student_t_95(values->size() - 1) * std::sqrt(squares / (n - 1) / n);
  ci95 = {mean - half, mean + half};
}

// By name: a replication without it has none of it.
void average(const Same<NamedParameters>& figures) {
  NamedParameters sums;
  for (const NamedParameters* one : figures.of()) {
    for (const auto& [name, value] : *one) {
      const auto found = std::ranges::find(sums, name, [](const auto& figure) { return figure.first; });
      if (found == sums.end())
        sums.emplace_back(name, value);
      else
        found->second += value;
    }
  }
  for (auto& figure : sums) figure.second /= static_cast<double>(figures.of().size());
  figures.into() = std::move(sums);
}

template <class Count>
void add_up(const Same<Count>& count) {
  count.into() = {};
  for (const Count* one : count.of()) count.into() += *one;
}

void add_up(const Same<Metric>& metric) {
  average(metric);
  if (metric.into()) *metric.into() *= static_cast<double>(metric.of().size());
}

template <class T>
void average_all(const Same<T>& whole, std::initializer_list<Metric T::*> parts) {
  for (const auto part : parts) average(whole.at(part));
}

template <class T, class Each>
void for_each_of(const Same<std::vector<T>>& list, const Each& each) {
  for (std::size_t i = 0; i < list.into().size(); ++i)
    each(list.at([i](auto& of) -> auto& { return of[i]; }));
}

// Of the parts of something that may be absent: absent where it is in one.
template <class T, class Each>
void if_in_all(const Same<std::optional<T>>& part, const Each& each) {
  if (std::ranges::all_of(part.of(), [](const auto* one) { return one->has_value(); }))
    each(part.at([](auto& of) -> auto& { return *of; }));
  else
    part.into().reset();
}

void average(const Same<SmArray>& array) {
  average_all(array,
              {&SmArray::sm_active, &SmArray::issue_slot, &SmArray::tensor_active, &SmArray::occupancy});
}

void average(const Same<GpuWindows>& windows) {
  add_up(windows.at(&GpuWindows::samples));
  for_each_of(windows.at(&GpuWindows::shares), [](const Same<WindowShares>& shares) {
    average_all(shares, {&WindowShares::mean, &WindowShares::max});
    for (std::size_t i = 0; i < window_percentiles.size(); ++i)
      average(shares.at([i](auto& of) -> auto& { return of.percentiles[i]; }));
    for_each_of(shares.at(&WindowShares::cdf), [](const Same<double>& share) { average(share); });
  });
}

void take_longest(NamedParameters& all, const NamedParameters& more) {
  for (const auto& [name, seconds] : more) {
    const auto found = std::ranges::find(all, name, [](const auto& one) { return one.first; });
    if (found == all.end())
      all.emplace_back(name, seconds);
    else
      found->second = std::max(found->second, seconds);
  }
}

void pool(const Same<Latency>& latency) {
  Latency::Ci95& ci95 = latency.into().ci95;
  average(latency.at(&Latency::mean), ci95.mean);
  average(latency.at(&Latency::p50), ci95.p50);
  average(latency.at(&Latency::p90), ci95.p90);
  average(latency.at(&Latency::p95));
  average(latency.at(&Latency::p99), ci95.p99);
  add_up(latency.at(&Latency::samples));
  add_up(latency.at(&Latency::unfinished));
  latency.into().needs.clear();
  latency.into().of_served.clear();
  for (const Latency* one : latency.of()) {
    take_longest(latency.into().needs, one->needs);
    for (const std::string& name : one->of_served)
      if (std::ranges::find(latency.into().of_served, name) == latency.into().of_served.end())
        latency.into().of_served.push_back(name);
  }
}

// What most replications say: one that strays is no verdict on all.
std::optional<bool> verdict(const Same<std::optional<bool>>& judged) {
  const auto half = static_cast<std::ptrdiff_t>(judged.of().size()) / 2;
  for (const bool as : {false, true})
    if (std::ranges::count_if(judged.of(), [as](const auto* one) { return *one == as; }) > half) return as;
  return std::nullopt;
}

void pool(const Same<InstanceResult>& instance) {
  using I = InstanceResult;
  add_up(instance.at(&I::images));
  average(instance.at(&I::throughput).at(&Throughput::mean), instance.into().throughput.ci95);
  average_all(instance, {&I::offered, &I::mean_batch});
  instance.into().stable = verdict(instance.at(&I::stable));
  pool(instance.at(&I::latency_ms));
  add_up(instance.at(&I::drops));
}

void pool(const Same<ProcessResult>& process) {
  using P = ProcessResult;
  add_up(process.at(&P::images));
  average(process.at(&P::throughput).at(&Throughput::mean), process.into().throughput.ci95);
  average_all(process, {&P::offered, &P::sync_ms, &P::setup_ms, &P::finished_ms, &P::throughput_after_setup});
  process.into().stable = verdict(process.at(&P::stable));
  process.into().stationary = verdict(process.at(&P::stationary));
  // No growth is none of it.
  const auto growth = process.at(&P::backlog_growth);
  double sum = 0;
  for (const Metric* one : growth.of()) sum += one->value_or(0);
  growth.into() =
      process.into().stable == false ? Metric(sum / static_cast<double>(growth.of().size())) : std::nullopt;
  average_known(process.at(&P::stable_rate));
  if (process.into().stable != false) process.into().stable_rate.reset();
  pool(process.at(&P::latency_ms));
  using E = EnqueueCall;
  average_all(process.at(&P::ec_ms), {&E::mean, &E::launch, &E::reschedule, &E::compute, &E::blocking});
  for_each_of(process.at(&P::stages),
              [](const Same<StageResult>& stage) { average(stage.at(&StageResult::ms)); });
  if_in_all(process.at(&P::time_share), [](const Same<TimeShare>& shares) {
    for (std::size_t i = 0; i < shares.into().size(); ++i)
      average(shares.at([i](auto& of) -> auto& { return of[i]; }));
  });
  using G = GpuRunningBy;
  average_all(process.at(&P::gpu_running_by), {&G::compute, &G::memory, &G::fixed, &G::throttled});
  average(process.at(&P::gpu));
  if_in_all(process.at(&P::gpu_windows), [](const Same<GpuWindows>& windows) { average(windows); });
  add_up(process.at(&P::drops));
  for_each_of(process.at(&P::instances), [](const Same<InstanceResult>& instance) { pool(instance); });
}

void average(const Same<LinkResult>& link) {
  using L = LinkResult;
  average_all(link, {&L::busy, &L::load, &L::requests_per_s, &L::resends, &L::wait_ms, &L::power_w});
  add_up(link.at(&L::queued));
  link.into().queued /= static_cast<std::int64_t>(link.of().size());
}

void pool_power(const Same<SystemResult>& system) {
  const auto power = system.at(&SystemResult::power_w);
  using Power = decltype(SystemResult::power_w);
  average(power.at(&Power::mean), power.into().ci95);
  average_all(power, {&Power::peak, &Power::wall});
  average(power.at(&Power::rails));
  average(power.at(&Power::rail_peaks));
  average(power.at(&Power::parts));
}

void average_cpu_and_memory(const Same<SystemResult>& system) {
  using Cpu = decltype(SystemResult::cpu);
  const auto cpu = system.at(&SystemResult::cpu);
  average_all(cpu, {&Cpu::busy_cores, &Cpu::migrations_per_s, &Cpu::involuntary_switches_per_s});
  for_each_of(cpu.at(&Cpu::clock_mhz), [](const Same<double>& clock) { average(clock); });
  using Memory = decltype(SystemResult::memory);
  average_all(system.at(&SystemResult::memory), {&Memory::bandwidth_gb_s, &Memory::clock_mhz});
}

// What ended one of them before its time says more than that the others went on.
void take_earliest_stop(const Same<SystemResult>& system) {
  for (const SystemResult* one : system.of())
    if (one->stop == "thermal_shutdown") system.into().stop = one->stop;
}

void pool(const Same<SystemResult>& system) {
  using S = SystemResult;
  average(system.at(&S::throughput), system.into().throughput_ci95);
  pool_power(system);
  average_all(system, {&S::energy_per_image_mj, &S::temperature_c, &S::temperature_peak_c});
  using Gpu = decltype(S::gpu);
  const auto gpu = system.at(&S::gpu);
  average_all(gpu, {&Gpu::busy, &Gpu::reported_load, &Gpu::clock_mhz, &Gpu::switches_per_s});
  average(gpu.at(&Gpu::array));
  if_in_all(gpu.at(&Gpu::windows), [](const Same<GpuWindows>& windows) { average(windows); });
  for_each_of(system.at(&S::dla), [](const Same<DlaResult>& dla) {
    average_all(dla, {&DlaResult::busy, &DlaResult::clock_mhz});
  });
  for_each_of(system.at(&S::engines),
              [](const Same<EngineResult>& engine) { average(engine.at(&EngineResult::busy)); });
  if_in_all(system.at(&S::link), [](const Same<LinkResult>& link) { average(link); });
  average_cpu_and_memory(system);
  for_each_of(system.at(&S::time_in_state),
              [](const auto& state) { average(state.at([](auto& of) -> auto& { return of.second; })); });
  average(system.at(&S::limited_share));
  name_limit(system.into());
  take_earliest_stop(system);
}

}  // namespace

Result pooled(const std::vector<Result>& replications) {
  Result result = replications.front();
  result.replications = static_cast<std::int64_t>(replications.size());
  if (replications.size() == 1) return result;
  std::vector<const Result*> each;
  for (const Result& one : replications) each.push_back(&one);
  const Same<Result> all(result, std::move(each));
  for_each_of(all.at(&Result::processes), [](const Same<ProcessResult>& process) {
    if (process.into().status == "ok") pool(process);
  });
  for_each_of(all.at(&Result::loads), [](const Same<LoadResult>& load) {
    average_all(load, {&LoadResult::bandwidth_gb_s, &LoadResult::busy_cores});
  });
  pool(all.at(&Result::system));
  add_up(all.at(&Result::simulated_s));
  result.stationary = verdict(all.at(&Result::stationary));
  average_all(all.at(&Result::warmup), {&Warmup::throughput_s, &Warmup::power_s, &Warmup::temperature_s});
  // The sentences of the first that is judged as all are.
  const auto alike = std::ranges::find(replications, result.stationary, &Result::stationary);
  result.warnings = alike == replications.end() ? std::vector<std::string>() : alike->warnings;
  return result;
}

}  // namespace jostle::scenarios
