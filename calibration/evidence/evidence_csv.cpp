#include "calibration/evidence/evidence_csv.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "calibration/readers/csv.hpp"
#include "calibration/readers/log_text.hpp"

namespace jostle::calibration {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "";
}

std::string whole(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// One field after another, with commas between.
class Line {
 public:
  Line& add(const std::string& text) {
    if (!line_.empty() || started_) line_ += ',';
    started_ = true;
    // Newlines and other characters in the text of a log must not break a row.
    std::string plain = text;
    for (char& c : plain) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    line_ += csv_field(plain);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(line_) + '\n'; }

 private:
  std::string line_;
  bool started_ = false;
};

void apply(const SuppliedFields& said, Import& result, input::Problems& problems) {
  Setting& setting = result.setting;
  if (!said.power_mode.empty()) setting.power_mode = said.power_mode;
  if (said.pinned) setting.pinned = said.pinned;
  if (!said.model.empty()) setting.model = said.model;
  if (!said.precision.empty() && !setting.precision.empty() && said.precision != setting.precision) {
    result.notes.push_back(fmt::format("the log has precision {}, but --precision {} is given and is used",
                                       setting.precision, said.precision));
  }
  if (!said.precision.empty()) setting.precision = said.precision;
  if (!said.batch) return;
  if (setting.batch && *setting.batch != *said.batch) {
    problems.add_file(result.origin, fmt::format("the log has batch {}, but --batch {} is given",
                                                 *setting.batch, *said.batch));
    return;
  }
  setting.batch = said.batch;
  for (Measurement& row : result.rows) {
    if (row.unit != "queries/s") continue;
    row.value *= static_cast<double>(*said.batch);
    row.unit = "images/s";
  }
}

std::string source_of(const Import& import) {
  const std::string file = std::filesystem::path(import.origin).filename().string();
  const std::string& gpu = import.setting.gpu;
  return fmt::format("{}: {}{}{}", file, import.setting.tool, gpu.empty() ? "" : " on ", gpu);
}

}  // namespace

const std::string& evidence_header() {
  static const std::string header =
      "run,device,power_mode,pinned,gpu_mhz,cpu_mhz,emc_mhz,cores,model,precision,batch,placement,dla_batch,"
      "metric,"
      "value,unit,source,processes,runtime,sync,observer,of,sd,median,p90,p99,count\n";
  return header;
}

std::string evidence_rows(std::vector<Import>& imports, const SuppliedFields& said,
                          input::Problems& problems) {
  std::string text;
  for (std::size_t i = 0; i < imports.size(); ++i) {
    Import& result = imports[i];
    apply(said, result, problems);
    const Setting& setting = result.setting;
    std::string run = said.run.empty() ? stem(result.origin) : said.run;
    if (imports.size() > 1) run += fmt::format("-{}", i + 1);
    const std::string source = source_of(result);
    for (const Measurement& row : result.rows) {
      Line line;
      line.add(run).add(said.device).add(setting.power_mode);
      line.add(setting.pinned ? (*setting.pinned ? "1" : "0") : "").add("").add("").add("").add("");
      line.add(setting.model).add(setting.precision).add(whole(setting.batch)).add(setting.placement).add("");
      line.add(row.metric).add(number(row.value)).add(row.unit).add(source);
      line.add(whole(setting.processes))
          .add(setting.runtime)
          .add(setting.sync)
          .add(setting.observer)
          .add(row.of);
      line.add(number(row.sd)).add(number(row.median)).add(number(row.p90)).add(number(row.p99));
      line.add(fmt::format("{}", row.count));
      text += line.take();
    }
  }
  return text;
}

}  // namespace jostle::calibration
