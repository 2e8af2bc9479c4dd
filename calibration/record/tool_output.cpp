#include "calibration/record/tool_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <thread>
#include <utility>

#include "calibration/logs/formats.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"

namespace jostle::calibration::record {
namespace {

namespace fs = std::filesystem;

// The rates of a program's output by the first pattern that fits, each over what the program printed.
std::vector<Measurement> read_printed(const std::string& text, std::span<const Pattern> patterns,
                                      double batch) {
  for (const Pattern& pattern : patterns) {
    const std::regex expression{std::string(pattern.expression)};
    std::vector<double> rates;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
      const double number = std::atof((*at)[1].str().c_str());
      const double scale = pattern.unit == "ms" ? 1e3 : pattern.unit == "us" ? 1e6 : 0;
      if (number > 0) rates.push_back(scale > 0 ? scale * batch / number : number);
    }
    if (rates.empty()) continue;
    // Programs that print as they go end with their mean, or print the same again and again.
    std::vector<double> sorted = rates;
    std::ranges::sort(sorted);
    Measurement found{.metric = "throughput", .value = sorted[sorted.size() / 2], .unit = "images/s"};
    found.count = static_cast<std::int64_t>(rates.size());
    return {found};
  }
  return {};
}

SuppliedFields said_of(const ToolRun& run, const Combination& setting) {
  SuppliedFields said;
  said.run = label_of(run, setting);
  said.precision = setting.precision;
  said.runtime = std::string(run.runtime);
  if (setting.batch > 0 || run.format.empty()) said.batch = std::max<std::int64_t>(setting.batch, 1);
  return said;
}

}  // namespace

std::string label_of(const ToolRun& run, const Combination& setting) {
  return fmt::format("{}{}{}{}", run.name, setting.precision.empty() ? "" : "-" + setting.precision,
                     setting.batch > 0 ? fmt::format("-b{}", setting.batch) : "",
                     setting.threads > 0 ? fmt::format("-t{}", setting.threads) : "");
}

std::string text_in(const fs::path& file) {
  input::Problems none;
  return input::read_text_file(file.string(), input::Limits{}.bytes, none).value_or("");
}

std::string last_words(const fs::path& file) {
  const std::string text = text_in(file);
  std::string last;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; })) last = line;
    at = end + 1;
  }
  return input::printable(last, 200);
}

LogFile read_log(const OutputReading& reading, const ToolRun& run, const Combination& setting,
                 const fs::path& log) {
  LogFile file{{}, said_of(run, setting)};
  if (!run.format.empty()) {
    input::Problems problems;
    const auto source = Source::open(log.string(), problems);
    if (source) file.imports = import_log(*source, find_format(run.format), problems);
    for (Import& import : file.imports)
      if (!run.transfers.empty()) import.setting.transfers = std::string(run.transfers);
    if (file.imports.empty())
      throw Failed(problems.empty() ? "nothing can be read" : problems.list().front().message);
    return file;
  }
  Import import{.format = "printed", .origin = log.string()};
  const auto batch = static_cast<double>(std::max<std::int64_t>(setting.batch, 1));
  import.rows = read_printed(text_in(log), reading.patterns, batch);
  if (import.rows.empty())
    throw Failed("it printed no rate and no time that can be read; --pattern says where the number is");
  import.setting.tool = std::string(reading.tool);
  import.setting.placement = run.runtime == "cpu" ? "cpu" : std::string(reading.placement);
  file.imports.push_back(std::move(import));
  return file;
}

void add_file(const ToolRun& run, const Combination& setting, const fs::path& file,
              std::vector<LogFile>& logs) {
  input::Problems problems;
  const auto source = Source::open(file.string(), problems);
  if (!source) return;
  auto imports = import_log(*source, find_format(run.file_format), problems);
  if (!imports.empty()) logs.push_back({std::move(imports), said_of(run, setting)});
}

std::string mix_rows(const std::string& model, const ToolRun& of, const Combination& setting,
                     const std::vector<LogFile>& logs, double watts) {
  const std::string run = fmt::format("{}-{}-x{}", model, of.name, logs.size());
  std::string rows;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const Import& import = logs[i].imports.front();
    const auto rate = std::ranges::find_if(
        import.rows, [](const Measurement& row) { return row.metric == "throughput" && row.of.empty(); });
    if (rate == import.rows.end()) continue;
    const std::int64_t batch = import.setting.batch.value_or(std::max<std::int64_t>(setting.batch, 1));
    rows += fmt::format("{},{},time-slicing,{},0,{},,{},{},{},,,,{:.7g},,,{}\n", run, i,
                        std::max(1U, std::thread::hardware_concurrency()), model, setting.precision, batch,
                        of.runtime,
                        rate->unit == "queries/s" ? rate->value * static_cast<double>(batch) : rate->value,
                        watts > 0 ? fmt::format("{:.5g}", watts) : "");
  }
  return rows;
}

std::string rates_csv(std::vector<LogFile> logs, const std::string& model, profiles::NetworkFiles& networks) {
  for (LogFile& log : logs) {
    log.said.model = model;
    for (Import& import : log.imports) import.setting.model = import.setting.onnx = {};
  }
  input::Problems problems;
  std::vector<RunLog> runs = run_logs(std::move(logs), networks, problems);
  if (!problems.empty()) throw Failed(problems.list().front().message);
  std::string text = evidence_header();
  text.insert(text.size() - 1, ",threads");
  for (RunLog& run : runs) {
    if (model.ends_with(".onnx")) run.import.setting.model = model;
    const std::size_t at = run.run.rfind("-t");
    const std::string threads = at == std::string::npos ? "" : run.run.substr(at + 2);
    const std::string rows = evidence_rows({&run, 1});
    for (std::size_t begin = 0, end = 0; (end = rows.find('\n', begin)) != std::string::npos; begin = end + 1)
      text += fmt::format("{},{}\n", rows.substr(begin, end - begin), threads);
  }
  return text;
}

}  // namespace jostle::calibration::record
