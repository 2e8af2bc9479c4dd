#include "calibration/calibrate/board/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "calibration/calibrate/bench.hpp"
#include "calibration/logs/recording.hpp"
#include "calibration/logs/run_logs.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/math.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

constexpr const char* rates_file = "rates.csv";
constexpr std::array closed_loop{"model", "precision", "batch", "runtime", "sync"};

std::string text_of(const fs::path& file, input::Problems& problems) {
  return input::read_text_file(file.string(), input::Limits{}.bytes, problems).value_or("");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The networks, each with its ONNX file if that can be read.
std::vector<RecordedNetwork> networks_in(const fs::path& folder, profiles::NetworkFiles& files,
                                         std::vector<std::string>& notes) {
  std::vector<RecordedNetwork> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    input::Problems none, unread;
    RecordedNetwork one{.name = at->path().filename().string(), .onnx = {}};
    if (!at->is_directory() || one.name == "engines" || one.name.ends_with(".part")) continue;
    if (!fs::exists(at->path() / rates_file, error)) {
      const std::vector<std::string> why = lines_of(text_of(at->path() / "why.txt", none));
      notes.push_back(fmt::format("{}: {}", input::printable(at->path().stem().string()),
                                  why.empty() ? fmt::format("it has no {} and is not used", rates_file)
                                              : "not recorded: " + input::printable(why.front(), 200)));
      continue;
    }
    if (fs::exists(at->path() / "left_out.txt"))
      one.left_out = lines_of(text_of(at->path() / "left_out.txt", none));
    const fs::path onnx = at->path() / (one.name + ".onnx");
    if (fs::exists(onnx, error) && files.read(onnx.string(), unread) != nullptr) one.onnx = onnx;
    if (!unread.empty())
      notes.push_back(fmt::format("{}: its ONNX file is not used: {}", input::printable(one.name),
                                  unread.list().front().message));
    found.push_back(std::move(one));
  }
  std::ranges::sort(found, {}, &RecordedNetwork::name);
  return found;
}

// The evidence of the traces that the manifest lists, in the rows of `jostle import`.
std::string rows_of_traces(const fs::path& folder, Recorded& recorded, profiles::NetworkFiles& files,
                           input::Problems& problems) {
  if (!is_recording((folder / "manifest.csv").string())) return {};
  const Recording asked = read_recording((folder / "manifest.csv").string(), problems);
  std::vector<LogFile> logs;
  for (const RecordedFile& file : asked.files) {
    const auto source = Source::open(file.path, problems);
    if (!source) continue;
    logs.push_back({import_log(*source, file.format, problems), file.said});
    SuppliedFields& said = logs.back().said;
    const std::string name = fs::path(said.model).stem().string();
    const auto known = std::ranges::find(recorded.networks, name, &RecordedNetwork::name);
    if (known == recorded.networks.end()) continue;
    said.model = known->onnx.empty() ? name : known->onnx.string();
    known->traced.push_back(fmt::format("{} b{}", said.precision, said.batch.value_or(0)));
  }
  if (!problems.empty()) return {};
  return evidence_header() + evidence_rows(run_logs(std::move(logs), files, problems));
}

// The rates of a network, whose file they name only if that can be read.
input::CsvTable rates_of(const fs::path& rates, const RecordedNetwork& network, input::Problems& problems) {
  std::string text = text_of(rates, problems);
  const std::string file = fmt::format(",{}.onnx,", network.name), name = fmt::format(",{},", network.name);
  if (network.onnx.empty())
    for (std::size_t at = 0; (at = text.find(file, at)) != std::string::npos; at += name.size())
      text.replace(at, file.size(), name);
  return input::CsvTable::parse(text, rates.string());
}

// True if a row of a rate lacks what a scenario needs.
bool is_incomplete(const input::CsvTable& table) {
  for (const input::CsvTable::Row row : table)
    if (row.view("metric") == "throughput" && (row.view("precision").empty() || row.view("runtime").empty()))
      return true;
  return false;
}

// One process of a scenario as `compare_mixes` runs it.
std::string process_of(const EvidenceRow& row, const std::string& stem) {
  const std::string model = fs::path(row.at("model")).stem().string();
  std::string text =
      fmt::format("  - {{model: {}/{}", stem, model) +
      filled(", precision: <precision>, batch: <batch>, runtime: <runtime>, sync: <sync>", row);
  if (!row.at("arrivals").empty())
    text += filled(", arrivals: {<arrivals>: <per_s> /s, wait: {poll: 100 us}}", row);
  return text + "}\n";
}

std::string scenario_of(const std::vector<EvidenceRow>& rows, const std::string& profile) {
  std::string text = fmt::format("device: {}\n", profile) +
                     filled("sharing: <sharing>\nhost_cores: <cores>\nprocesses:\n", rows.front());
  const std::string stem = fs::path(profile).stem().string();
  for (const EvidenceRow& row : rows) text += process_of(row, stem);
  for (double i = 0; i < number(rows.front(), "hogs"); ++i) text += "  - {load: busy}\n";
  return text + "run: {duration: 2 s, warmup: 500 ms}\n";
}

// The rates of the processes that are equal to one of them and in a closed loop, the least first.
std::vector<std::pair<double, std::size_t>> sorted_equals(const std::vector<EvidenceRow>& rows,
                                                          std::size_t one,
                                                          const std::function<double(std::size_t)>& rate) {
  std::vector<std::pair<double, std::size_t>> equal;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].at("arrivals").empty() && std::ranges::all_of(closed_loop, [&](const char* column) {
          return rows[i].at(column) == rows[one].at(column);
        }))
      equal.emplace_back(rate(i), i);
  std::ranges::sort(equal);
  return equal;
}

enum MixGroup : std::size_t { graphs, with_eager, under_mps };

struct MixOutcome {
  std::size_t group = graphs;
  std::vector<Comparison> rates, watts;
};

MixOutcome compared_mix(const std::vector<EvidenceRow>& rows, const std::string& profile_path) {
  input::Problems problems;
  const std::string text = scenario_of(rows, profile_path);
  const auto scenario =
      scenarios::parse_scenario({text, "mixes.csv", ""}, scenarios::shipped_catalogue(), {}, problems);
  const auto profile = scenario ? scenarios::device_profile(*scenario, problems) : std::nullopt;
  if (!profile) throw std::runtime_error(fmt::format("{}: {}", rows.front().at("run"), problems.text()));
  const scenarios::Result result = simulated(*scenario, *profile);
  MixOutcome found;
  const bool eager =
      std::ranges::any_of(rows, [](const EvidenceRow& row) { return row.at("runtime") == "eager"; });
  found.group = rows.front().at("sharing") == "mps" ? under_mps : eager ? with_eager : graphs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto measured =
        sorted_equals(rows, i, [&](std::size_t of) { return number(rows[of], "images_per_s"); });
    const auto predicted = sorted_equals(
        rows, i, [&](std::size_t of) { return result.processes[of].throughput.mean.value_or(0); });
    for (std::size_t rank = 0; rank < measured.size(); ++rank)
      if (measured[rank].second == i)
        found.rates.push_back(
            {filled("<run> <model> <precision> b<batch> <runtime>, process <process>", rows[i]), "images/s",
             measured[rank].first, predicted[rank].first});
  }
  if (const std::string& watts = rows.front().at("power_w"); !watts.empty() && result.system.power_w.mean)
    found.watts.push_back({rows.front().at("run"), "power", std::stod(watts), *result.system.power_w.mean});
  return found;
}

// The middle of each kind's blocks without anything beside them.
std::map<std::string, double> alone_us(const input::CsvTable& table) {
  std::map<std::string, std::vector<double>> blocks;
  for (const input::CsvTable::Row row : table)
    if (row.view("beside").empty()) blocks[row.text("operation")].push_back(row.number("us"));
  std::map<std::string, double> found;
  for (auto& [name, values] : blocks) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    found[name] = *middle;
  }
  return found;
}

}  // namespace

fs::path recorded_folder(const fs::path& board) {
  return board / "networks";
}

bool has_recorded(const fs::path& board) {
  std::error_code error;
  for (fs::directory_iterator at(recorded_folder(board), error), end; !error && at != end;
       at.increment(error))
    if (fs::exists(at->path() / rates_file, error)) return true;
  return false;
}

std::optional<Recorded> read_recorded(const fs::path& board, input::Problems& problems) {
  const fs::path folder = recorded_folder(board);
  Recorded recorded;
  profiles::NetworkFiles files;
  recorded.networks = networks_in(folder, files, recorded.notes);
  std::vector<input::CsvTable> tables;
  std::vector<std::string> names;
  if (const std::string rows = rows_of_traces(folder, recorded, files, problems); !rows.empty()) {
    tables.push_back(input::CsvTable::parse(rows, "traces"));
    names.emplace_back("traces");
  }
  for (const RecordedNetwork& network : recorded.networks) {
    if (network.onnx.empty() && network.traced.empty() &&
        dnn::find_model(dnn::catalogue_name(network.name)) == nullptr) {
      recorded.notes.push_back(
          fmt::format("{}: neither its ONNX file nor its kernels are known; its rates are not used",
                      input::printable(network.name)));
      continue;
    }
    const fs::path rates = folder / network.name / rates_file;
    if (!network.onnx.empty()) files.also_in(network.onnx.parent_path().string());
    input::CsvTable table = rates_of(rates, network, problems);
    if (is_incomplete(table)) {
      recorded.notes.push_back(fmt::format("{}: its precision or runtime is not told; its rates are not used",
                                           input::printable(network.name)));
      continue;
    }
    names.push_back(rates.string());
    tables.push_back(std::move(table));
  }
  if (!problems.empty()) return std::nullopt;
  Evidence evidence = evidence_of(tables, files);
  recorded.evidence.configurations = std::move(evidence.configurations);
  recorded.evidence.notes = std::move(evidence.notes);
  for (std::size_t i = 0; i < names.size(); ++i)
    recorded.evidence.files.push_back({names[i], evidence.used[i], evidence.unused[i]});
  if (fs::exists(folder / "mixes.csv"))
    recorded.mixes = rows_of(input::CsvTable::read((folder / "mixes.csv").string()));
  std::erase_if(recorded.mixes, [](const EvidenceRow& row) {
    return row.at("precision").empty() || row.at("runtime").empty();
  });
  return recorded;
}

std::optional<ProbedFigure> recorded_host_time(const fs::path& board) {
  const fs::path file = recorded_folder(board) / "operators.csv",
                 machine = recorded_folder(board) / "machine.csv";
  if (!fs::exists(file) || !fs::exists(machine)) return std::nullopt;
  for (const EvidenceRow& row : rows_of(input::CsvTable::read(machine.string())))
    if (row.at("key") == "device" && row.at("value") != "cuda") return std::nullopt;
  const std::map<std::string, double> own = alone_us(input::CsvTable::read(file.string()));
  double sum = 0, kinds = 0;
  for (const EvidenceRow& known : evidence_rows("evidence/h200-host/operators.csv")) {
    const auto same = own.find(known.at("operation"));
    const double us = number(known, "median_us");
    constexpr double least_us = 5;  // quicker ones launch nothing
    if (known.at("mode") != "inference_mode" || same == own.end() || us < least_us || !(same->second > 0))
      continue;
    sum += sim::log(same->second / us);
    ++kinds;
  }
  constexpr double enough = 5, sd = 0.12;  // sessions of one host differ so much
  if (kinds < enough) return std::nullopt;
  return ProbedFigure{
      std::string(host_time_path),
      {},
      {},
      fmt::format("{:.4g} %", 100 * sim::exp(sum / kinds)),
      "fitted",
      sd,
      fmt::format("jostle record: {:.0f} kinds of operators over those of evidence/h200-host", kinds)};
}

std::vector<ComparisonGroup> compare_mixes(const Recorded& recorded, const std::string& profile,
                                           const std::function<void(double)>& progress) {
  const auto runs = by_run(recorded.mixes);
  std::vector<MixOutcome> found(runs.size());
  simulated_at_once(
      runs.size(), [&](std::size_t i) { found[i] = compared_mix(runs[i], profile); }, progress);
  std::vector<ComparisonGroup> groups{{"your mixes of graphs", "mixes.csv", "", {}, {}},
                                      {"your mixes with eager", "mixes.csv", "", {}, {}},
                                      {"your mixes under MPS", "mixes.csv", "", {}, {}}};
  for (MixOutcome& one : found) {
    for (auto* const part : {&one.rates, &one.watts})
      std::ranges::move(*part, std::back_inserter(groups[one.group].comparisons));
  }
  std::erase_if(groups, [](const ComparisonGroup& group) { return group.comparisons.empty(); });
  return groups;
}

}  // namespace jostle::calibration
