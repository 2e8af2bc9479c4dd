#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"

namespace jostle::calibration {
namespace {

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
