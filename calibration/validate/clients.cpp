#include "calibration/validate/clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "calibration/evidence/embedded.hpp"
#include "input/csv.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;

constexpr const char* equal = "evidence/h200-space/mps.csv";
constexpr const char* shares = "evidence/h100-shares/shares.csv";

struct MpsClient {
  std::string model, precision, batch, percent;
  double measured = 0, predicted = 0;  // images/s
  [[nodiscard]] std::string what() const {
    return fmt::format("{} {} b{} {} %", model, precision, batch, percent);
  }
};
struct ClientRun {
  std::string name, device;
  std::vector<MpsClient> clients;
};

// The rows of MPS clients in a file, by `run`.
std::vector<ClientRun> runs_of(const char* file, const char* device) {
  const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
  const bool limited = std::ranges::find(table.header(), "mps_threads_pct") != table.header().end();
  std::vector<ClientRun> runs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto text = [&](const char* column) { return row.text(table.column(column)); };
    if (text("sharing") == "timeslice") continue;
    if (runs.empty() || runs.back().name != text("run")) runs.push_back({text("run"), device, {}});
    runs.back().clients.push_back(
        {.model = text("model"),
         .precision = text("precision"),
         .batch = text("batch"),
         .percent = limited ? text("mps_threads_pct") : (text("sharing") == "mps50" ? "50" : "100"),
         .measured = row.number(table.column("images_per_s"))});
  }
  return runs;
}

// Sets the predictions of a run.
void simulate(ClientRun& run) {
  std::string text = fmt::format("device: {}\nmps: true\nprocesses:\n", run.device);
  for (const MpsClient& client : run.clients)
    text += fmt::format(
        "  - {{model: {}, precision: {}, batch: {}, runtime: cuda-graph, sync: spin, mps_threads: {} %}}\n",
        client.model, client.precision, client.batch, client.percent);
  text += "run: {duration: 200 ms, warmup: 50 ms}\n";
  input::Problems problems;
  const auto scenario =
      scenarios::parse_scenario({text, "evidence", ""}, scenarios::shipped_catalogue(), {}, problems);
  const auto profile = profiles::shipped_profile(run.device, problems);
  if (!scenario || !profile) throw std::runtime_error(problems.text());
  const auto result = scenarios::run(*scenario, *profile, {});
  if (!result) throw scenarios::Interrupted();
  for (std::size_t i = 0; i < run.clients.size(); ++i)
    run.clients[i].predicted = result->processes[i].throughput.mean.value_or(0);
}

Comparison rate_of(const ClientRun& run, std::size_t i) {
  const MpsClient& client = run.clients[i];
  return {fmt::format("{} {}, client {}", run.name, client.what(), i), "images/s", client.measured,
          client.predicted};
}

// How many times slower each client of a pair is than alone with its share.
Comparison slowdown_of(const ClientRun& run, std::size_t i, const std::map<std::string, MpsClient>& alone) {
  const MpsClient& client = run.clients[i];
  const MpsClient& before = alone.at(client.what());
  return {fmt::format("{} {}, client {}", run.name, client.what(), i), "slow-down",
          before.measured / client.measured, before.predicted / client.predicted};
}

}  // namespace

std::vector<ComparisonGroup> validate_clients(const std::function<void(double)>& progress) {
  std::vector<ClientRun> runs = runs_of(equal, "nvidia-h200");
  for (ClientRun& run : runs_of(shares, "nvidia-h100")) runs.push_back(std::move(run));
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(runs.size(), [&](std::size_t i) {
    simulate(runs[i]);
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(runs.size()));
  });

  std::map<std::string, MpsClient> alone;
  for (const ClientRun& run : runs)
    if (run.device == "nvidia-h100" && run.clients.size() == 1)
      alone.emplace(run.clients[0].what(), run.clients[0]);
  std::vector<ComparisonGroup> groups{{"equal MPS clients",
                                       equal,
                                       "mps_kernel and miss_latency were fitted to these runs",
                                       {},
                                       {{"images/s", 0.06}}},
                                      {"MPS clients alone with a share", shares, "", {}, {}},
                                      {"pairs of MPS clients with shares, measured kernels",
                                       shares,
                                       "",
                                       {},
                                       {{"images/s", 0.06, Statistic::each}}},
                                      {"pairs of MPS clients with shares, computed kernels",
                                       shares,
                                       "",
                                       {},
                                       {{"slow-down", 0.06, Statistic::each}}}};
  for (const ClientRun& run : runs) {
    const bool table = run.clients.front().model == "resnet50";
    const std::size_t group = run.device == "nvidia-h200" ? 0 : run.clients.size() == 1 ? 1 : table ? 2 : 3;
    for (std::size_t i = 0; i < run.clients.size(); ++i)
      groups[group].comparisons.push_back(group == 3 ? slowdown_of(run, i, alone) : rate_of(run, i));
  }
  return groups;
}

}  // namespace jostle::calibration
