// Measured runs of several processes on an H200 or H100: on few cores of the host, and as clients of MPS or
// streams.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"

namespace jostle::calibration {
namespace {

constexpr const char* few_cores = "evidence/h200-host/few_cores.csv";
constexpr const char* mixes = "evidence/h200-random/mixes.csv";
constexpr double kept_up_ms = 100;  // the p50 of sources that get on
constexpr const char* as_long = "run: {duration: 2 s, warmup: 500 ms}\n";

enum HostGroup : std::size_t { crowded, beside_loads, enough, eager_mixes, graph_mixes, polling };

std::string loads(const EvidenceRow& row) {
  std::string text;
  for (double i = 0; i < number(row, "hogs"); ++i) text += "  - {load: busy}\n";
  return text;
}

// The throughput that has this rank among those of the first processes of the result, the least first.
std::function<scenarios::Metric(const scenarios::Result&)> by_rank(const std::vector<std::size_t>& among,
                                                                   std::size_t rank) {
  return [=](const scenarios::Result& result) -> scenarios::Metric {
    std::vector<double> rates;
    for (const std::size_t process : among)
      rates.push_back(result.processes[process].throughput.mean.value_or(0));
    std::ranges::sort(rates);
    return rates[rank];
  };
}

// Equal processes on few cores.
std::vector<MeasuredRun> equal_processes() {
  std::vector<MeasuredRun> runs;
  for (const std::vector<EvidenceRow>& rows : by_run(evidence_rows(few_cores))) {
    const EvidenceRow& first = rows.front();
    const bool alone = number(first, "processes") <= number(first, "cores");
    MeasuredRun run{filled("device: nvidia-h200\nhost_cores: <cores>\nprocesses:\n  - {model: <model>, "
                           "precision: fp16, runtime: <runtime>, sync: <sync>, count: <processes>}\n",
                           first) +
                        loads(first) + as_long,
                    number(first, "hogs") > 0 ? beside_loads
                    : alone                   ? enough
                                              : crowded,
                    {}};
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rows.size(); ++i) all.push_back(i);
    for (std::size_t i = 0; i < rows.size(); ++i)
      run.values.push_back(
          {filled("<run> <model> <runtime> <sync> x<processes> on <cores> cores, <hogs> loads, rank <rank>",
                  rows[i]),
           "images/s, by rank", number(rows[i], "images_per_s"), "", 1, by_rank(all, i)});
    runs.push_back(std::move(run));
  }
  return runs;
}

// The processes of a run that are equal to one of them and in a closed loop.
std::vector<std::size_t> equal_to(const std::vector<EvidenceRow>& rows, const EvidenceRow& one) {
  const auto same = [&one](const EvidenceRow& other) {
    return std::ranges::all_of(std::array{"model", "precision", "batch", "runtime", "arrivals"},
                               [&](const char* column) { return other.at(column) == one.at(column); });
  };
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (same(rows[i])) found.push_back(i);
  return found;
}

// Mixes that were drawn at random. Which of the measured rates has a rank is told by sorting them, too.
std::vector<MeasuredRun> drawn_mixes() {
  std::vector<MeasuredRun> runs;
  for (const std::vector<EvidenceRow>& rows : by_run(evidence_rows(mixes))) {
    std::string scenario =
        filled("device: nvidia-h200\nsharing: <sharing>\nhost_cores: <cores>\nprocesses:\n", rows.front());
    for (const EvidenceRow& row : rows)
      scenario += filled(
                      "  - {model: <model>, input: <input>, precision: <precision>, batch: <batch>, runtime: "
                      "<runtime>, sync: <sync>",
                      row) +
                  (row.at("arrivals").empty()
                       ? ""
                       : filled(", arrivals: {<arrivals>: <per_s> /s, wait: {poll: 100 us}}", row)) +
                  "}\n";
    scenario += loads(rows.front()) + as_long;
    const bool eager =
        std::ranges::any_of(rows, [](const EvidenceRow& row) { return row.at("runtime") == "eager"; });
    MeasuredRun closed{scenario, eager ? eager_mixes : graph_mixes, {}}, open{scenario, polling, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string name =
          filled("<run> <model> <precision> b<batch> <runtime>, process <process>", rows[i]);
      if (!rows[i].at("arrivals").empty()) {
        if (number(rows[i], "p50_ms") > kept_up_ms) continue;
        open.values.push_back({name,
                               "p50",
                               number(rows[i], "p50_ms"),
                               fmt::format("processes.{}.latency_ms.p50", i),
                               1,
                               {},
                               true});
        continue;
      }
      const std::vector<std::size_t> equal = equal_to(rows, rows[i]);
      const auto slower = std::ranges::count_if(equal, [&](std::size_t other) {
        const double rate = number(rows[other], "images_per_s"), own = number(rows[i], "images_per_s");
        return rate < own || (rate == own && other < i);
      });
      closed.values.push_back({name, "images/s, by rank", number(rows[i], "images_per_s"), "", 1,
                               by_rank(equal, static_cast<std::size_t>(slower))});
    }
    for (MeasuredRun* const run : {&closed, &open})
      if (!run->values.empty()) runs.push_back(std::move(*run));
  }
  return runs;
}

constexpr const char* equal = "evidence/h200-space/mps.csv";
constexpr const char* shares = "evidence/h100-shares/shares.csv";
constexpr const char* pairs = "evidence/h200-pairs/pairs.csv";
constexpr const char* drawn = "evidence/h200-random/streams.csv";

enum ClientGroup : std::size_t {
  equal_clients,
  alone,
  measured_kernels,
  computed_kernels,
  long_and_short,
  drawn_streams
};

ClientGroup group_of(const char* file, const std::vector<EvidenceRow>& clients) {
  if (file == equal) return equal_clients;
  if (clients.size() == 1) return alone;
  return clients.front().at("model") == "resnet50" ? measured_kernels : computed_kernels;
}

// The runs of MPS clients in a file.
std::vector<MeasuredRun> runs_of(const char* file, const char* device) {
  std::vector<MeasuredRun> runs;
  for (std::vector<EvidenceRow>& clients : by_run(evidence_rows(file))) {
    if (clients.front().at("sharing") == "timeslice") continue;
    MeasuredRun run{fmt::format("device: {}\nmps: true\nprocesses:\n", device), group_of(file, clients), {}};
    for (EvidenceRow& client : clients) {
      client.emplace("mps_threads_pct", client.at("sharing") == "mps50" ? "50" : "100");
      client["i"] = fmt::format("{}", run.values.size());
      run.scenario += filled(
          "  - {model: <model>, precision: <precision>, batch: <batch>, runtime: cuda-graph, sync: spin, "
          "mps_threads: <mps_threads_pct> %}\n",
          client);
      run.values.push_back(
          {filled("<run> <model> <precision> b<batch> <mps_threads_pct> %, client <i>", client), "images/s",
           number(client, "images_per_s"), filled("processes.<i>.throughput", client)});
    }
    if (file == equal)
      run.values.push_back({run.values.front().run, "watts", watts(clients.front()), "system.power_w"});
    run.scenario += "run: {duration: 200 ms, warmup: 50 ms}\n";
    runs.push_back(std::move(run));
  }
  return runs;
}

// The runs of networks beside others, as clients or as streams of one process.
std::vector<MeasuredRun> runs_beside(const char* file, ClientGroup group) {
  std::vector<MeasuredRun> runs;
  for (const std::vector<EvidenceRow>& networks : by_run(evidence_rows(file))) {
    const bool streams = networks.size() > 1 && networks.front().at("sharing") == "streams";
    MeasuredRun run{"device: nvidia-h200\n", group, {}};
    if (networks.front().at("sharing") == "mps") run.scenario += "mps: true\n";
    run.scenario +=
        streams ? "processes:\n  - runtime: cuda-graph\n    sync: spin\n    instances:\n" : "processes:\n";
    for (EvidenceRow network : networks) {
      network["i"] = fmt::format("{}", run.values.size());
      run.scenario += streams ? "      - " : "  - ";
      run.scenario += filled("{model: <model>, precision: <precision>, batch: <batch>", network);
      run.scenario += streams ? "}\n" : ", runtime: cuda-graph, sync: spin}\n";
      run.values.push_back(
          {filled("<run> <sharing> <model> <precision> b<batch>", network), "images/s",
           number(network, "images_per_s"),
           filled(streams ? "processes.0.instances.<i>.throughput" : "processes.<i>.throughput", network)});
    }
    run.values.push_back({run.values.front().run, "watts", watts(networks.front()), "system.power_w"});
    run.scenario += "run: {duration: 300 ms, warmup: 50 ms}\n";
    runs.push_back(std::move(run));
  }
  return runs;
}

// The network and the share of a client: "resnet50 fp16 b1 50 %".
std::string what(const Comparison& client) {
  const std::string run = client.what_ran();
  return run.substr(run.find(' ') + 1);
}

}  // namespace

std::vector<ComparisonGroup> validate_host(const std::function<void(double)>& progress) {
  std::vector<MeasuredRun> runs = equal_processes();
  std::ranges::move(drawn_mixes(), std::back_inserter(runs));
  std::vector<ComparisonGroup> groups = groups_of("host");
  compare_in(groups, runs, progress);
  return groups;
}

std::vector<ComparisonGroup> validate_clients(const std::function<void(double)>& progress) {
  std::vector<MeasuredRun> runs = runs_of(equal, "nvidia-h200");
  for (MeasuredRun& run : runs_of(shares, "nvidia-h100")) runs.push_back(std::move(run));
  for (MeasuredRun& run : runs_beside(pairs, long_and_short)) runs.push_back(std::move(run));
  for (MeasuredRun& run : runs_beside(drawn, drawn_streams)) runs.push_back(std::move(run));
  std::vector<ComparisonGroup> groups = groups_of("mps");
  compare_in(groups, runs, progress);
  // How many times slower each client of a pair is than alone with its share.
  std::map<std::string, Comparison> before;
  for (const Comparison& client : groups[alone].comparisons) before.emplace(what(client), client);
  for (Comparison& client : groups[computed_kernels].comparisons) {
    const Comparison& by_itself = before.at(what(client));
    client.quantity = "slow-down";
    client.measured = by_itself.measured / client.measured;
    client.predicted = by_itself.predicted / client.predicted;
  }
  return groups;
}

}  // namespace jostle::calibration
