#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/measured_run.hpp"
#include "calibration/validate/validate.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::calibration {
namespace {

using Rows = std::vector<EvidenceRow>;
using MeasuredRuns = std::vector<MeasuredRun>;

constexpr const char* published = "evidence/language/published.csv";
constexpr const char* energies = "evidence/language/energy.csv";
constexpr const char* memory_held = "evidence/language/memory.csv";
constexpr const char* of_cores = "evidence/language/cores.csv";
constexpr const char* contention = "evidence/h200-llm/contention.csv";
constexpr const char* streams_file = "evidence/h200-llm/streams.csv";
constexpr const char* several = "evidence/h100-users/users.csv";
constexpr const char* serving = "evidence/h100-users/serving.csv";
constexpr const char* serving_arrivals = "evidence/h100-users/serving_arrivals.csv";

// --- Boards

std::string scenario_of(EvidenceRow row) {
  for (const char* const domain : {"gpu", "cpu", "emc"})
    if (const std::string& mhz = row.at(fmt::format("{}_mhz", domain)); !mhz.empty())
      row["clocks"] += fmt::format("{}{}: {} MHz", row["clocks"].empty() ? "" : ", ", domain, mhz);
  row.emplace("clocks", "");
  row.emplace("depth", "0");
  row["pinned"] = row.at("pinned") == "1" ? "true" : "false";
  const bool bench = row.at("prompt") == "tg" || row.at("prompt") == "pp";
  row["work"] = filled(bench ? "bench: {<prompt>: <tokens>, depth: <depth>}"
                             : "generate: {prompt: <prompt>, tokens: <tokens>}, users: <users>",
                       row);
  return filled(
      "device: <device>\npower_mode: <power_mode>\njetson_clocks: <pinned>\nclocks: {<clocks>}\nprocesses:\n"
      "  - {model: <model>, precision: <precision>, runtime: <runtime>, <work>}\nrun: {duration: 20 s}\n",
      row);
}

std::string board_name(const EvidenceRow& row) {
  return filled("<run> <device> <power_mode> <model> <precision> <runtime>, ", row);
}

// The quantity that the row measures: the time to the next token, with one user or several, or to the first.
std::string waited_for(const EvidenceRow& row) {
  const std::string& metric = row.at("metric");
  if (metric == "ttft" || metric == "prefill") return "prefill";
  return row.at("users") == "1" ? "decode" : "decode, several users";
}

MeasuredRuns runs_of_boards(const Rows& rows) {
  const std::map<std::string, std::string> paths{{"decode", "decode_per_s"},
                                                 {"itl", "itl_ms.mean"},
                                                 {"ttft", "ttft_ms.mean"},
                                                 {"prefill", "prefill_per_s"}};
  MeasuredRuns runs;
  for (const EvidenceRow& row : rows) {
    const std::string& metric = row.at("metric");
    runs.push_back({scenario_of(row),
                    0,
                    {{board_name(row) + metric, waited_for(row), number(row, "value"),
                      "processes.0.tokens." + paths.at(metric)}}});
  }
  return runs;
}

// Joules a token on the rails that were read; `rails`: names, separated by spaces.
scenarios::Metric energy_of_token(const scenarios::Result& result, const std::string& rails) {
  if (!result.system.tokens || !result.system.tokens->per_s) return {};
  double watts = 0;
  std::istringstream names(rails);
  for (std::string name; names >> name;) {
    const auto& all = result.system.power_w.rails;
    const auto rail = std::ranges::find(all, name, [](const auto& each) { return each.first; });
    if (rail == all.end()) throw std::runtime_error(fmt::format("{}: no rail {}", energies, name));
    watts += rail->second;
  }
  return watts / *result.system.tokens->per_s;
}

MeasuredRuns runs_of_energy(std::size_t group) {
  MeasuredRuns runs;
  for (EvidenceRow row : evidence_rows(energies)) {
    row["at"] = row.at(row.at("depth") == "0" ? "prompt" : "depth");
    MeasuredValue value{board_name(row) + filled("<tokens> tokens at <at>", row), "energy of a token",
                        number(row, "value"), ""};
    value.of = [rails = row.at("rails")](const auto& result) { return energy_of_token(result, rails); };
    runs.push_back({scenario_of(row), group, {std::move(value)}});
  }
  return runs;
}

MeasuredRuns runs_of_cores(std::size_t group) {
  MeasuredRuns runs;
  for (const EvidenceRow& row : evidence_rows(of_cores)) {
    const bool prefill = row.at("test") == "pp";
    runs.push_back(
        {filled("device: <device>\nprocesses:\n  - {model: <model>, precision: <precision>, runtime: "
                "llama.cpp, placement: cpu, threads: <threads>, bench: {<test>: <tokens>}}\n"
                "run: {duration: 400 s}\n",
                row),
         group,
         {{filled("<run> <device> <model> <precision>, <threads> threads, <test> <tokens>", row),
           prefill ? "prefill" : "decode", number(row, "value"),
           fmt::format("processes.0.tokens.{}_per_s", prefill ? "prefill" : "decode")}}});
  }
  return runs;
}

// Groups the values of a quantity once more, by a column of their rows.
ComparisonGroup view(const ComparisonGroup& all, const std::string& quantity, const Rows& rows,
                     const char* column) {
  ComparisonGroup group{
      fmt::format("language models, {} by {}", quantity, column), all.evidence, "", {}, {}, true};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (all.comparisons[i].quantity != quantity) continue;
    group.comparisons.push_back(all.comparisons[i]);
    group.comparisons.back().quantity = rows[i].at(column);
  }
  std::ranges::stable_sort(group.comparisons, {}, &Comparison::quantity);
  return group;
}

// --- An H200: processes, or streams of one, beside each other

// The rows of a run: of processes, with their `sharing`, or of streams, without.
MeasuredRun run_beside(Rows rows, std::size_t group) {
  const std::string sharing = rows.front()["sharing"];
  const bool streams = sharing.empty();
  MeasuredRun run{"device: nvidia-h200\n", group, {}};
  run.scenario += streams            ? "processes:\n  - runtime: cuda-graph\n    sync: spin\n    instances:\n"
                  : sharing == "mps" ? "mps: true\nprocesses:\n"
                                     : "processes:\n";
  bool cameras = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EvidenceRow& row = rows[i];
    const bool decode = row.at("role") == "decode", prefill = row.at("role") == "prefill";
    const bool camera = row.at(streams ? "arrivals_per_s" : "arrivals") != "closed";
    cameras = cameras || camera;
    row["i"] = fmt::format("{}", i);
    row["level"] = row["priority"] == "0" ? "normal" : "high";
    row["work"] = filled(decode    ? "model: <model>, precision: fp16, bench: {tg: 128, depth: 512}"
                         : prefill ? "model: <model>, precision: fp16, bench: {pp: 512}"
                                   : "model: <model>, precision: fp16, batch: <batch>",
                         row) +
                  (camera ? ", arrivals: {periodic: 30 /s}" : "");
    run.scenario += filled(
        streams ? "      - {<work>, priority: <level>}\n" : "  - {<work>, runtime: cuda-graph, sync: spin}\n",
        row);
    const std::string name = filled(streams ? "<run>, <model> <i>" : "<run> <kind>, <model> <i>", row);
    const std::string path = filled(streams ? "processes.0.instances.<i>." : "processes.<i>.", row);
    if (camera)
      run.values.push_back({name, "camera p99", number(row, "p99_ms"), path + "latency_ms.p99"});
    else  // steps of a language model, or batches of an image network
      run.values.push_back({name, "rate", number(row, "per_s"),
                            path + (decode ? "tokens.decode_per_s" : "throughput"),
                            decode || prefill ? 1 : 1 / number(row, "batch")});
  }
  // A run is as long as the measured one; with cameras, long enough for some hundred images of each.
  run.scenario += fmt::format("run: {{duration: {} s, warmup: 0.4 s}}\n", cameras ? 6 : 1);
  return run;
}

MeasuredRuns runs_beside(const char* file, const std::string& sharing, std::size_t group) {
  MeasuredRuns runs;
  for (Rows& rows : by_run(evidence_rows(file)))
    if (rows.size() > 1 && rows.front()["sharing"] == sharing)
      runs.push_back(run_beside(std::move(rows), group));
  return runs;
}

// --- An H100: steps of several sequences, and prefills of several lengths

MeasuredRuns runs_of_several(std::size_t group) {
  MeasuredRuns runs;
  for (EvidenceRow row : evidence_rows(several)) {
    const bool prefill = row.at("role") == "prefill";
    // A test of eight tokens, the middle of which are behind the positions of the measured step.
    row["depth"] = fmt::format("{}", number(row, "positions") - 4);
    row["work"] = filled(prefill ? "pp: <tokens>" : "tg: 8, depth: <depth>", row);
    row["at"] = row.at(prefill ? "tokens" : "positions");
    MeasuredValue value{filled("<model> <role>, <sequences> sequences, <at>", row),
                        prefill ? "prefill" : "decode step", number(row, "step_ms"), ""};
    // The milliseconds of a step, from the tokens a second that its sequences get.
    value.of = [prefill, together = number(row, "sequences") * (prefill ? number(row, "tokens") : 1)](
                   const scenarios::Result& result) -> scenarios::Metric {
      const auto tokens = result.processes[0].tokens.value_or(scenarios::TokenResult{});
      const scenarios::Metric rate = prefill ? tokens.prefill_per_s : tokens.decode_per_s;
      return rate ? scenarios::Metric(1e3 * together / *rate) : std::nullopt;
    };
    runs.push_back({filled("device: nvidia-h100\nprocesses:\n  - {model: <model>, precision: <precision>, "
                           "runtime: cuda-graph, sync: spin, bench: {<work>, sequences: <sequences>}}\n"
                           "run: {duration: 1 s, warmup: 0.1 s}\n",
                           row),
                    group,
                    {std::move(value)}});
  }
  return runs;
}

// --- An H100: a server under Poisson load

std::string serving_scenario(EvidenceRow row) {
  row["more"] = row.at("chunk") == "0" ? "" : filled(", chunk: <chunk>", row);
  if (row.at("reuse") != "0") row["more"] += fmt::format(", reuse: {} %", number(row, "reuse") / 5.12);
  row["measured"] = fmt::format("{}", number(row, "seconds") - 2);
  const char* const other = "  - {model: <beside>, precision: fp16, runtime: cuda-graph, sync: spin}\n";
  return filled(
             "device: nvidia-h100\nprocesses:\n"
             "  - {model: <model>, precision: fp16, runtime: cuda-graph, sync: spin, "
             "generate: {prompt: 512, tokens: <tokens><more>}, arrivals: {poisson: <per_s> /s}, "
             "max_batch: <max_batch>, context: 576}\n",
             row) +
         (row.at("beside").empty() ? "" : filled(other, row)) +
         filled("run: {duration: <measured> s, warmup: 2 s}\n", row);
}

MeasuredRuns runs_of_serving(std::size_t group) {
  std::map<std::string, std::vector<sim::Time>> arrivals;
  for (const EvidenceRow& row : evidence_rows(serving_arrivals))
    arrivals[row.at("run")].push_back(sim::Time{} + sim::seconds(number(row, "time_s")));
  MeasuredRuns runs;
  for (const EvidenceRow& row : evidence_rows(serving)) {
    const std::string name = filled("<model>, <per_s> prompts/s", row) +
                             (row.at("chunk") == "0" ? "" : filled(" in chunks of <chunk>", row)) +
                             (row.at("reuse") == "0" ? "" : ", half cached") +
                             (row.at("beside").empty() ? "" : filled(", beside <beside>", row));
    MeasuredRun run{serving_scenario(row), group, {}, arrivals.at(row.at("run"))};
    for (const auto& [quantity, column, path] : {std::array{"TTFT p50", "ttft_p50_ms", "ttft_ms.p50"},
                                                 std::array{"TTFT p99", "ttft_p99_ms", "ttft_ms.p99"},
                                                 std::array{"ITL", "itl_mean_ms", "itl_ms.mean"}})
      run.values.push_back({name, quantity, number(row, column), std::string("processes.0.tokens.") + path});
    runs.push_back(std::move(run));
  }
  return runs;
}

// --- Memory

// The measured memory of a row, in bytes.
double bytes_of(const EvidenceRow& row) {
  const std::string& unit = row.at("unit");
  const double factor = unit == "GB" ? 1e9 : unit == "MB" ? 1e6 : 1024.0 * 1024.0;
  return number(row, "value") * factor;
}

// The same memory in the prediction: a part of the process's, or that of the whole board.
double held(const memory::Occupancy& occupancy, const std::string& what) {
  const memory::Footprint& process = occupancy.places.front().held;
  if (what == "board") return occupancy.used_bytes;
  if (what == "cache") return process.io;
  if (what == "buffers") return process.arena;
  return process.gpu();
}

// Memory is compared without a run.
std::vector<Comparison> memory_compared(const Rows& rows) {
  std::vector<Comparison> found;
  for (EvidenceRow row : rows) {
    row["limit"] = row.at("context").empty() ? "" : filled(", context: <context>", row);
    const auto [scenario, profile] = board_and_work(filled(
        "device: <device>\nprocesses:\n  - {model: <model>, precision: <precision>, runtime: <runtime>, "
        "generate: {prompt: <prompt>, tokens: <tokens>, images: <images>}, users: <users><limit>}\n",
        row));
    found.push_back({filled("<run> <device> <model> <precision> <runtime>, <users> at a time, <what>", row),
                     "memory", bytes_of(row) / 1e6,
                     held(scenarios::assemble(scenario, profile).occupancy, row.at("what")) / 1e6});
  }
  return found;
}

}  // namespace

std::vector<ComparisonGroup> validate_language(const std::function<void(double)>& progress) {
  const Rows rows = evidence_rows(published), of_memory = evidence_rows(memory_held);
  MeasuredRuns runs = runs_of_boards(rows);
  for (MeasuredRuns& more :
       std::array{runs_beside(contention, "timeslice", 1), runs_beside(contention, "mps", 2),
                  runs_beside(streams_file, "", 3), runs_of_several(4), runs_of_serving(5), runs_of_energy(6),
                  runs_of_cores(7)})
    std::ranges::move(more, std::back_inserter(runs));
  std::vector<ComparisonGroup> groups = groups_of("language");
  compare_in(groups, runs, progress);
  for (const char* const column : {"runtime", "lab", "device"})
    groups.push_back(view(groups.front(), "decode", rows, column));
  groups.push_back(groups_of("memory").front());
  groups.back().comparisons = memory_compared(of_memory);
  groups.push_back(view(ComparisonGroup(groups.back()), "memory", of_memory, "lab"));
  return groups;
}

std::vector<analyses::HeldOutRow> language_held_out() {
  Rows rows = evidence_rows(published);
  std::erase_if(rows, [](const EvidenceRow& row) {
    const std::string &lab = row.at("lab"), &runtime = row.at("runtime");
    const bool fitted = lab == "dankang21" || (lab == "jetson-ai-lab" && runtime == "mlc");
    return waited_for(row) != "decode" || fitted;
  });
  const auto compared_runs = compared(runs_of_boards(rows));
  std::vector<analyses::HeldOutRow> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    found.push_back(
        held_out_row(compared_runs[i].front(), rows[i].at("device"), "tokens", "model", rows[i].at("lab")));
  }
  return found;
}

}  // namespace jostle::calibration
