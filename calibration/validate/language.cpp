#include "calibration/validate/language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "calibration/evidence/embedded.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace {

using input::CsvTable;
using scenarios::Metric;
using scenarios::TokenResult;

constexpr const char* published = "evidence/language/published.csv";
constexpr const char* energies = "evidence/language/energy.csv";
constexpr const char* memory_held = "evidence/language/memory.csv";
constexpr const char* beside = "evidence/h200-llm/contention.csv";
constexpr const char* streams = "evidence/h200-llm/streams.csv";
constexpr const char* several = "evidence/h100-users/users.csv";
constexpr const char* serving = "evidence/h100-users/serving.csv";
constexpr const char* serving_arrivals = "evidence/h100-users/serving_arrivals.csv";

// A row of a file, as a map from column names to fields.
using Fields = std::map<std::string, std::string>;

std::vector<Fields> rows_of(const char* file) {
  const auto table = input::CsvTable::parse(evidence_file(file).value_or(""), file);
  std::vector<Fields> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Fields& row = rows.emplace_back();
    for (const std::string& name : table.header()) row[name] = table.row(i).text(table.column(name));
  }
  return rows;
}

double number(const Fields& row, const char* column) {
  return std::stod(row.at(column));
}

// A value of a result, and the measurement of it.
struct Wanted {
  std::string run, quantity;
  double measured = 0;
  std::function<Metric(const scenarios::Result&)> of;
};
// A scenario and the values that it predicts for one group.
struct Run {
  std::string scenario;
  std::size_t group = 0;
  std::vector<Wanted> wanted;
  std::vector<sim::Time> arrivals = {};  // of the first process, in place of those of the scenario
};

// --- Boards

std::string scenario_of(const Fields& row) {
  std::string clocks;
  for (const char* const domain : {"gpu", "cpu", "emc"})
    if (const std::string& mhz = row.at(fmt::format("{}_mhz", domain)); !mhz.empty())
      clocks += fmt::format("{}{}: {} MHz", clocks.empty() ? "" : ", ", domain, mhz);
  const std::string& prompt = row.at("prompt");
  const std::string depth = row.contains("depth") ? row.at("depth") : "0";
  const std::string work = prompt == "tg" || prompt == "pp"
                               ? fmt::format("bench: {{{}: {}, depth: {}}}", prompt, row.at("tokens"), depth)
                               : fmt::format("generate: {{prompt: {}, tokens: {}}}, users: {}", prompt,
                                             row.at("tokens"), row.at("users"));
  return fmt::format(
      "device: {}\npower_mode: {}\n{}{}processes:\n  - {{model: {}, precision: {}, runtime: {}, {}}}\nrun: "
      "{{duration: 20 s}}\n",
      row.at("device"), row.at("power_mode"), row.at("pinned") == "1" ? "jetson_clocks: true\n" : "",
      clocks.empty() ? "" : "clocks: {" + clocks + "}\n", row.at("model"), row.at("precision"),
      row.at("runtime"), work);
}

Metric value_of(const TokenResult& tokens, const std::string& metric) {
  if (metric == "decode") return tokens.decode_per_s;
  if (metric == "itl") return tokens.itl_ms.mean;
  if (metric == "ttft") return tokens.ttft_ms.mean;
  return tokens.prefill_per_s;
}

// The quantity that the row measures: the time to the next token, with one user or several, or to the first.
std::string waited_for(const Fields& row) {
  const std::string& metric = row.at("metric");
  if (metric == "ttft" || metric == "prefill") return "prefill";
  return row.at("users") == "1" ? "decode" : "decode, several users";
}

std::vector<Run> runs_of_boards(std::vector<Fields>& kept) {
  std::vector<Run> runs;
  for (Fields& row : rows_of(published)) {
    if (!row.at("mark").empty()) continue;
    const std::string metric = row.at("metric");
    const std::string name =
        fmt::format("{} {} {} {} {} {}, {}", row.at("run"), row.at("device"), row.at("power_mode"),
                    row.at("model"), row.at("precision"), row.at("runtime"), metric);
    runs.push_back({scenario_of(row),
                    0,
                    {{name, waited_for(row), number(row, "value"), [metric](const scenarios::Result& result) {
                        return value_of(result.processes[0].tokens.value_or(TokenResult{}), metric);
                      }}}});
    kept.push_back(std::move(row));
  }
  return runs;
}

// Joules a token on the rails that were read; `rails`: names, separated by spaces.
Metric energy_of_token(const scenarios::Result& result, const std::string& rails) {
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

std::vector<Run> runs_of_energy(std::size_t group) {
  std::vector<Run> runs;
  for (const Fields& row : rows_of(energies)) {
    if (!row.at("mark").empty()) continue;
    const std::string name =
        fmt::format("{} {} {} {} {} {}, {} tokens at {}", row.at("run"), row.at("device"),
                    row.at("power_mode"), row.at("model"), row.at("precision"), row.at("runtime"),
                    row.at("tokens"), row.at("depth") == "0" ? row.at("prompt") : row.at("depth"));
    runs.push_back({scenario_of(row),
                    group,
                    {{name, "energy of a token", number(row, "value"),
                      [rails = row.at("rails")](const scenarios::Result& result) {
                        return energy_of_token(result, rails);
                      }}}});
  }
  return runs;
}

// Groups the values of a quantity once more, by a column of their rows.
ComparisonGroup view(const ComparisonGroup& all, const std::string& quantity, const std::vector<Fields>& rows,
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

// --- An H200

bool is_camera(const Fields& row, const char* arrivals) {
  return row.at(arrivals) != "closed";
}

std::string work_of(const Fields& row, bool camera) {
  const std::string& role = row.at("role");
  return fmt::format("model: {}, precision: fp16, {}{}", row.at("model"),
                     role == "decode"    ? "bench: {tg: 128, depth: 512}"
                     : role == "prefill" ? "bench: {pp: 512}"
                                         : "batch: " + row.at("batch"),
                     camera ? ", arrivals: {periodic: 30 /s}" : "");
}

// The rate per second of steps of a language model, or of batches of an image network.
Metric rate_of(const Fields& row, const Metric& throughput, const std::optional<TokenResult>& tokens) {
  if (row.at("role") == "decode") return tokens.value_or(TokenResult{}).decode_per_s;
  if (!throughput || row.at("role") == "prefill") return throughput;
  return *throughput / number(row, "batch");
}

Wanted wanted(const Fields& row, bool camera, const std::string& name,
              std::function<Metric(const scenarios::Result&)> rate,
              std::function<Metric(const scenarios::Result&)> p99) {
  if (camera) return {name, "camera p99", number(row, "p99_ms"), std::move(p99)};
  return {name, "rate", number(row, "per_s"), std::move(rate)};
}

// Rows with the same `run`, if it has more than one process or stream.
std::vector<std::vector<Fields>> together(const char* file, const char* key) {
  std::vector<std::vector<Fields>> runs;
  for (Fields& row : rows_of(file)) {
    if (row.at(key) == "1") continue;
    if (runs.empty() || runs.back().front().at("run") != row.at("run")) runs.emplace_back();
    runs.back().push_back(std::move(row));
  }
  return runs;
}

// The duration of the measured runs; with cameras, long enough for some hundred images of each.
std::string duration_of(const std::vector<Fields>& rows, const char* arrivals) {
  const bool cameras =
      std::ranges::any_of(rows, [arrivals](const Fields& row) { return is_camera(row, arrivals); });
  return fmt::format("run: {{duration: {} s, warmup: 0.4 s}}\n", cameras ? 6 : 1);
}

std::vector<Run> runs_of_processes(const std::string& sharing, std::size_t group) {
  std::vector<Run> runs;
  for (const std::vector<Fields>& rows : together(beside, "processes")) {
    if (rows.front().at("sharing") != sharing) continue;
    Run run{
        fmt::format("device: nvidia-h200\n{}processes:\n", sharing == "mps" ? "mps: true\n" : ""), group, {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Fields& row = rows[i];
      const bool camera = is_camera(row, "arrivals");
      run.scenario += fmt::format("  - {{{}, runtime: cuda-graph, sync: spin}}\n", work_of(row, camera));
      run.wanted.push_back(wanted(
          row, camera, fmt::format("{} {}, {} {}", row.at("run"), row.at("kind"), row.at("model"), i),
          [row, i](const scenarios::Result& result) {
            return rate_of(row, result.processes[i].throughput.mean, result.processes[i].tokens);
          },
          [i](const scenarios::Result& result) { return result.processes[i].latency_ms.p99; }));
    }
    run.scenario += duration_of(rows, "arrivals");
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<Run> runs_of_streams(std::size_t group) {
  std::vector<Run> runs;
  for (const std::vector<Fields>& rows : together(streams, "streams")) {
    Run run{"device: nvidia-h200\nprocesses:\n  - runtime: cuda-graph\n    sync: spin\n    instances:\n",
            group,
            {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Fields& row = rows[i];
      const bool camera = is_camera(row, "arrivals_per_s");
      run.scenario += fmt::format("      - {{{}{}}}\n", work_of(row, camera),
                                  row.at("priority") == "0" ? "" : ", priority: high");
      run.wanted.push_back(wanted(
          row, camera, fmt::format("{}, {} {}", row.at("run"), row.at("model"), i),
          [row, i](const scenarios::Result& result) {
            const scenarios::InstanceResult& stream = result.processes[0].instances.at(i);
            return rate_of(row, stream.throughput.mean, stream.tokens);
          },
          [i](const scenarios::Result& result) {
            return result.processes[0].instances.at(i).latency_ms.p99;
          }));
    }
    run.scenario += duration_of(rows, "arrivals_per_s");
    runs.push_back(std::move(run));
  }
  return runs;
}

// --- An H100: steps of several sequences, and prefills of several lengths

// The milliseconds of a step, from the tokens a second that its sequences get.
Metric step_ms(const Fields& row, const scenarios::Result& result) {
  const TokenResult tokens = result.processes[0].tokens.value_or(TokenResult{});
  const bool prefill = row.at("role") == "prefill";
  const Metric rate = prefill ? tokens.prefill_per_s : tokens.decode_per_s;
  const double together = number(row, "sequences") * (prefill ? number(row, "tokens") : 1);
  return rate ? Metric(1e3 * together / *rate) : std::nullopt;
}

std::vector<Run> runs_of_several(std::size_t group) {
  std::vector<Run> runs;
  for (const Fields& row : rows_of(several)) {
    const std::string& role = row.at("role");
    // A test of eight tokens, the middle of which are behind the positions of the measured step.
    const std::string work = role == "prefill"
                                 ? "pp: " + row.at("tokens")
                                 : fmt::format("tg: 8, depth: {}", number(row, "positions") - 4);
    const std::string name =
        fmt::format("{} {}, {} sequences, {}", row.at("model"), role, row.at("sequences"),
                    row.at(role == "prefill" ? "tokens" : "positions"));
    runs.push_back(
        {fmt::format("device: nvidia-h100\nprocesses:\n  - {{model: {}, precision: {}, runtime: cuda-graph, "
                     "sync: spin, bench: {{{}, sequences: {}}}}}\nrun: {{duration: 1 s, warmup: 0.1 s}}\n",
                     row.at("model"), row.at("precision"), work, row.at("sequences")),
         group,
         {{name, role == "prefill" ? "prefill" : "decode step", number(row, "step_ms"),
           [row](const scenarios::Result& result) { return step_ms(row, result); }}}});
  }
  return runs;
}

// --- An H100: a server under Poisson load

std::map<std::string, std::vector<sim::Time>> arrivals_by_run() {
  std::map<std::string, std::vector<sim::Time>> found;
  for (const Fields& row : rows_of(serving_arrivals))
    found[row.at("run")].push_back(sim::Time{} + sim::seconds(number(row, "time_s")));
  return found;
}

std::string serving_scenario(const Fields& row) {
  std::string generate = fmt::format("prompt: 512, tokens: {}", row.at("tokens"));
  if (row.at("chunk") != "0") generate += ", chunk: " + row.at("chunk");
  if (row.at("reuse") != "0") generate += fmt::format(", reuse: {} %", number(row, "reuse") / 5.12);
  std::string text = fmt::format(
      "device: nvidia-h100\nprocesses:\n  - {{model: {}, precision: fp16, runtime: cuda-graph, sync: spin, "
      "generate: {{{}}}, arrivals: {{poisson: {} /s}}, max_batch: {}, context: 576}}\n",
      row.at("model"), generate, row.at("per_s"), row.at("max_batch"));
  if (!row.at("beside").empty())
    text += fmt::format("  - {{model: {}, precision: fp16, runtime: cuda-graph, sync: spin}}\n",
                        row.at("beside"));
  return text + fmt::format("run: {{duration: {} s, warmup: 2 s}}\n", number(row, "seconds") - 2);
}

std::vector<Run> runs_of_serving(std::size_t group) {
  std::vector<Run> runs;
  const auto arrivals = arrivals_by_run();
  for (const Fields& row : rows_of(serving)) {
    const std::string name = fmt::format("{}, {} prompts/s{}{}{}", row.at("model"), row.at("per_s"),
                                         row.at("chunk") == "0" ? "" : " in chunks of " + row.at("chunk"),
                                         row.at("reuse") == "0" ? "" : ", half cached",
                                         row.at("beside").empty() ? "" : ", beside " + row.at("beside"));
    const auto tokens = [](const scenarios::Result& result) {
      return result.processes[0].tokens.value_or(TokenResult{});
    };
    runs.push_back({serving_scenario(row),
                    group,
                    {{name, "TTFT p50", number(row, "ttft_p50_ms"),
                      [tokens](const scenarios::Result& result) { return tokens(result).ttft_ms.p50; }},
                     {name, "TTFT p99", number(row, "ttft_p99_ms"),
                      [tokens](const scenarios::Result& result) { return tokens(result).ttft_ms.p99; }},
                     {name, "ITL", number(row, "itl_mean_ms"),
                      [tokens](const scenarios::Result& result) { return tokens(result).itl_ms.mean; }}},
                    arrivals.at(row.at("run"))});
  }
  return runs;
}

// --- Memory

// The measured memory of a row, in bytes.
double bytes_of(const Fields& row) {
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

std::string memory_scenario(const Fields& row) {
  const std::string& context = row.at("context");
  return fmt::format(
      "device: {}\nprocesses:\n  - {{model: {}, precision: {}, runtime: {}, generate: {{prompt: {}, tokens: "
      "{}, images: {}}}, users: {}{}}}\n",
      row.at("device"), row.at("model"), row.at("precision"), row.at("runtime"), row.at("prompt"),
      row.at("tokens"), row.at("images"), row.at("users"), context.empty() ? "" : ", context: " + context);
}

// --- All

struct Board {
  scenarios::Scenario scenario;
  profiles::Profile profile;
};
Board board_of(const std::string& text) {
  input::Problems problems;
  auto scenario =
      scenarios::parse_scenario({text, "evidence", ""}, scenarios::shipped_catalogue(), {}, problems);
  if (!scenario) throw std::runtime_error(problems.text());
  auto profile = profiles::shipped_profile(scenario->device, problems);
  if (!profile) throw std::runtime_error(problems.text());
  return {*std::move(scenario), *std::move(profile)};
}

// Memory is compared without a run.
std::vector<Comparison> memory_compared(std::vector<Fields>& kept) {
  std::vector<Comparison> found;
  for (Fields& row : rows_of(memory_held)) {
    if (!row.at("mark").empty()) continue;
    const auto [scenario, profile] = board_of(memory_scenario(row));
    const std::string& what = row.at("what");
    found.push_back(
        {fmt::format("{} {} {} {} {}, {} at a time, {}", row.at("run"), row.at("device"), row.at("model"),
                     row.at("precision"), row.at("runtime"), row.at("users"), what),
         "memory", bytes_of(row) / 1e6, held(scenarios::assemble(scenario, profile).occupancy, what) / 1e6});
    kept.push_back(std::move(row));
  }
  return found;
}

std::vector<Comparison> compared(const Run& run) {
  auto [scenario, profile] = board_of(run.scenario);
  if (!run.arrivals.empty()) {
    scenario.processes[0].arrivals.kind = process::ArrivalKind::trace;
    scenario.processes[0].arrivals.times = run.arrivals;
  }
  scenarios::RunControl control;
  control.every_percentile = true;  // the measured percentiles are those of one second
  const std::optional<scenarios::Result> result = scenarios::run(scenario, profile, control);
  if (!result) throw scenarios::Interrupted();
  std::vector<Comparison> found;
  for (const Wanted& value : run.wanted) {
    const Metric predicted = value.of(*result);
    if (!predicted) throw std::runtime_error(fmt::format("{}: no prediction", value.run));
    found.push_back({value.run, value.quantity, value.measured, *predicted});
  }
  return found;
}

// The groups of runs by their number in `Run::group`, still without comparisons.
std::vector<ComparisonGroup> groups_of_runs() {
  const Bound p99{"camera p99", 0.08, Statistic::mean};
  return {
      {"language models on boards",
       published,
       "",
       {},
       {{"decode", 0.08, Statistic::median},
        {"prefill", 0.15, Statistic::median},
        {"decode, several users", 0.10, Statistic::mean}}},
      {"language models beside others, time slices", beside, "", {}, {{"rate", 0.04, Statistic::mean}, p99}},
      {"language models beside others, MPS", beside, "", {}, {{"rate", 0.06, Statistic::mean}, p99}},
      {"language models beside others, streams of one process",
       streams,
       "",
       {},
       {{"rate", 0.06, Statistic::mean}, p99}},
      {"language models, several sequences on an H100",
       several,
       "",
       {},
       {{"decode step", 0.10, Statistic::mean}, {"prefill", 0.12, Statistic::mean}}},
      {"language models, a server on an H100",
       serving,
       "",
       {},
       {{"TTFT p50", 0.10, Statistic::mean},
        {"TTFT p99", 0.20, Statistic::mean},
        {"ITL", 0.05, Statistic::mean}}},
      {"language models, energy of a token on rails",
       energies,
       "",
       {},
       {{"energy of a token", 0.12, Statistic::mean}}}};
}

}  // namespace

std::vector<ComparisonGroup> validate_language(const std::function<void(double)>& progress) {
  std::vector<Fields> kept;
  std::vector<Run> runs = runs_of_boards(kept);
  for (std::vector<Run>& more :
       std::vector{runs_of_processes("timeslice", 1), runs_of_processes("mps", 2), runs_of_streams(3),
                   runs_of_several(4), runs_of_serving(5), runs_of_energy(6)})
    std::ranges::move(more, std::back_inserter(runs));

  std::vector<std::vector<Comparison>> found(runs.size());
  std::mutex guard;
  std::size_t done = 0;
  scenarios::parallel_for(runs.size(), [&](std::size_t i) {
    found[i] = compared(runs[i]);
    const std::lock_guard lock(guard);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(runs.size()));
  });

  std::vector<ComparisonGroup> groups = groups_of_runs();
  for (std::size_t i = 0; i < runs.size(); ++i)
    std::ranges::move(found[i], std::back_inserter(groups[runs[i].group].comparisons));
  for (const char* const column : {"runtime", "lab", "device"})
    groups.push_back(view(groups.front(), "decode", kept, column));
  std::vector<Fields> rows;
  groups.push_back({"language models, memory held",
                    memory_held,
                    "",
                    memory_compared(rows),
                    {{"memory", 0.08, Statistic::mean}}});
  groups.push_back(view(ComparisonGroup(groups.back()), "memory", rows, "lab"));
  return groups;
}

std::vector<analyses::HeldOutRow> language_held_out() {
  std::vector<Fields> kept;
  const std::vector<Run> runs = runs_of_boards(kept);
  std::vector<std::optional<analyses::HeldOutRow>> rows(runs.size());
  scenarios::parallel_for(runs.size(), [&](std::size_t i) {
    const std::string &lab = kept[i].at("lab"), &runtime = kept[i].at("runtime");
    const bool fitted = lab == "dankang21" || (lab == "jetson-ai-lab" && runtime == "mlc");
    if (runs[i].wanted.front().quantity != "decode" || fitted) return;
    const Comparison found = compared(runs[i]).front();
    rows[i] = {.device = kept[i].at("device"),
               .quantity = "tokens",
               .basis = "model",
               .fold = lab,
               .configuration = found.what_ran(),
               .value = found.run,
               .measured = found.measured,
               .predicted = found.predicted,
               .spread = {}};
  });
  std::vector<analyses::HeldOutRow> found;
  for (const auto& row : rows)
    if (row) found.push_back(*row);
  return found;
}

}  // namespace jostle::calibration
