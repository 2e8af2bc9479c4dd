#include "calibration/fit/launch_cost.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jostle::calibration {
namespace {

constexpr double max_load = 0.8;  // largest load of the GPU by paced launches, so that it keeps up
constexpr double enough_kernels = 50;

// Identifies an inference: network, precision, batch.
std::string which(const input::CsvTable::Row& row, bool with_batch = true) {
  return row.text("model") + ' ' + row.text("precision") +
         (with_batch ? ' ' + row.text("batch") : std::string());
}

// A run of solo.csv; times of a batch in microseconds.
struct SoloRun {
  std::string inference, network;
  bool graph = false;
  double period = 0, enqueue = 0, wait = 0;
  [[nodiscard]] double host() const { return period - wait; }
};

std::vector<SoloRun> runs_of(const input::CsvTable& solo) {
  std::vector<SoloRun> runs;
  for (const input::CsvTable::Row row : solo) {
    const double rate = row.number("images_per_s");
    if (!(rate > 0)) row.fail("the rate must be positive");
    runs.push_back({.inference = which(row),
                    .network = which(row, false),
                    .graph = row.text("mode") == "graph",
                    .period = 1e6 * row.number("batch") / rate,
                    .enqueue = 1e3 * row.number("enqueue_mean_ms"),
                    .wait = 1e3 * row.number("sync_mean_ms")});
  }
  return runs;
}

// The kernels of each inference, and their total time.
struct Kernels {
  double count = 0, us = 0;
};
std::map<std::string, Kernels> kernels_of(const input::CsvTable& csv) {
  std::map<std::string, Kernels> all;
  for (const input::CsvTable::Row row : csv) {
    Kernels& kernels = all[which(row)];
    kernels.count += 1;
    kernels.us += row.number("duration_us");
  }
  return all;
}

template <class Value>
void keep_least(std::map<std::string, double>& least, const std::string& key, Value value) {
  const auto [found, fresh] = least.emplace(key, value);
  if (!fresh) found->second = std::min(found->second, value);
}

std::vector<double> values_of(const std::map<std::string, double>& map) {
  std::vector<double> values;
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

// The median excess of repeats over the fastest of their equals, relative; 0 without repeats.
double difference_of_equals(const std::map<std::string, std::vector<double>>& equal) {
  std::vector<double> excess;
  for (const auto& [which, times] : equal) {
    const auto least = std::ranges::min_element(times);
    for (auto time = times.begin(); time != times.end(); ++time)
      if (time != least) excess.push_back(*time / *least - 1);
  }
  return excess.empty() ? 0 : median(std::move(excess));
}

// True if the host is not delayed by a full launch queue: a host that waits only briefly hardly ever fills
// it.
bool host_is_free(const SoloRun& run) {
  return run.wait < 0.2 * run.period;
}
bool gpu_is_busy(const SoloRun& run) {
  return run.wait > 0.05 * run.period;
}

// The time between launches of a process that the GPU does not delay: the median over processes. Only the
// second half of the run counts, when queues have built up.
std::optional<double> launch_period_us(const SparseRun& run) {
  struct Span {
    double first = 0, last = 0, kernels = 0, latest = 0;
  };
  std::map<std::uint32_t, Span> spans;
  for (std::size_t i = run.turns.size() / 2; i < run.turns.size(); ++i) {
    const Turn& turn = run.turns[i];
    const auto [at, fresh] = spans.try_emplace(turn.process, Span{turn.start_us, turn.start_us, 0, 0});
    Span& span = at->second;
    if (!fresh) span.kernels += span.latest;
    span.last = turn.start_us;
    span.latest = turn.kernels;
  }
  std::vector<double> periods;
  for (const auto& [process, span] : spans)
    if (span.kernels >= enough_kernels) periods.push_back((span.last - span.first) / span.kernels);
  return periods.empty() ? std::nullopt : std::optional(median(std::move(periods)));
}

}  // namespace

LaunchEstimates graph_launches(const input::CsvTable& solo) {
  std::map<std::string, double> launch, rest;
  for (const SoloRun& run : runs_of(solo)) {
    if (!run.graph) continue;
    keep_least(launch, run.inference, run.enqueue);
    keep_least(rest, run.inference, std::max(run.host() - run.enqueue, 0.0));
  }
  LaunchEstimates found;
  if (launch.empty()) return found;
  // Sessions differ, so half of the spread remains even with many networks.
  const auto of = [](const std::vector<double>& values) { return middle(values, spread(values) / 2); };
  found.per_launch = of(values_of(launch));
  found.per_batch = of(values_of(rest));
  return found;
}

std::vector<HostTime> eager_host_times(const input::CsvTable& solo, const input::CsvTable& kernels_csv) {
  const auto kernels = kernels_of(kernels_csv);
  std::map<std::string, HostTime> fastest;
  std::map<std::string, std::vector<double>> equal, all;  // times of runs by inference, and by network
  for (const SoloRun& run : runs_of(solo)) {
    const auto known = kernels.find(run.inference);
    if (run.graph || known == kernels.end() || !host_is_free(run)) continue;
    HostTime& time = fastest[run.network];
    if (time.us <= 0 || run.host() < time.us) {
      time.kernels = known->second.count;
      time.us = run.host();
    }
    equal[run.inference].push_back(run.host());
    all[run.network].push_back(run.host());
  }
  const double sd = difference_of_equals(equal) / 2;
  std::vector<HostTime> times;
  for (const auto& [network, time] : fastest) {
    const std::size_t end = network.rfind(' ');
    times.push_back({network.substr(0, end),
                     dnn::parse_precision(network.substr(end + 1)).value_or(dnn::Precision::fp16),
                     time.kernels, time.us, median(all.at(network)), sd});
  }
  return times;
}

std::optional<Estimate> eager_gpu_per_launch(const input::CsvTable& solo,
                                             const input::CsvTable& kernels_csv) {
  auto kernels = kernels_of(kernels_csv);
  const std::vector<SoloRun> runs = runs_of(solo);
  std::map<std::string, double> replayed, beyond;
  for (const SoloRun& run : runs)
    if (run.graph) keep_least(replayed, run.inference, run.period);
  for (auto& [inference, all] : kernels)
    if (const auto batch = replayed.find(inference); batch != replayed.end())
      all.us *= dnn::profiler_correction(all.us, batch->second);
  for (const SoloRun& run : runs) {
    const auto known = kernels.find(run.inference);
    if (run.graph || known == kernels.end() || !gpu_is_busy(run)) continue;
    keep_least(beyond, run.inference, (run.period - known->second.us) / known->second.count);
  }
  const auto found = middle(values_of(beyond));
  return found && found->value > 0 ? found : std::nullopt;
}

LaunchEstimates paced_launches(const std::vector<SparseRun>& sparse, double slice_us) {
  LaunchEstimates found;
  std::vector<Point2> slopes;  // time of a kernel in a turn, over the time requested
  for (const SparseRun& run : sparse) {
    std::vector<Point2> lengths;
    for (const Turn& turn : run.turns) {
      if (!run.beside_dense && turn.kernels > 1 && turn.length_us() < 0.97 * slice_us)
        lengths.push_back({static_cast<double>(turn.kernels), turn.length_us()});
    }
    if (const auto line = line_through(lengths); line && lengths.size() >= 20)
      slopes.push_back({run.kernel_us, line->slope});
  }
  const auto line = line_through(slopes);
  if (!line || line->intercept <= 0) return found;
  found.gpu_per_launch = Estimate{line->intercept, line->intercept_sd, slopes.size()};

  // The loop that keeps the pace has its own clock: the time between launches is a constant factor times the
  // pace, plus a call.
  std::vector<Point2> periods;
  for (const SparseRun& run : sparse) {
    const double service = line->intercept + line->slope * run.kernel_us;
    if (run.beside_dense || run.blocking || service * run.processes > max_load * run.pace_us) continue;
    if (const auto period = launch_period_us(run)) periods.push_back({run.pace_us, *period});
  }
  if (const auto launches = line_through(periods); launches && launches->intercept > 0)
    found.per_launch = Estimate{launches->intercept, launches->intercept_sd, periods.size()};
  return found;
}

}  // namespace jostle::calibration
