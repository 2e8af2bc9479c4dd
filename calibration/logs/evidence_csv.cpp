// Writes imported logs as rows of evidence: the columns of evidence/boards/solo.csv, and further columns that
// logs provide.
#include <fmt/format.h>

#include <filesystem>

#include "calibration/logs/run_logs.hpp"
#include "input/csv.hpp"

namespace jostle::calibration {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "";
}

std::string whole(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

// A row of CSV: adds one field after another, with commas between.
class CsvLine {
 public:
  CsvLine& add(const std::string& text) {
    if (!line_.empty() || started_) line_ += ',';
    started_ = true;
    // Newlines and other characters in the text of a log must not break a row.
    std::string plain = text;
    for (char& c : plain) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    line_ += input::csv_field(plain);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(line_) + '\n'; }

 private:
  std::string line_;
  bool started_ = false;
};

std::string source_of(const Import& import) {
  const std::string file = std::filesystem::path(import.origin).filename().string();
  const std::string& gpu = import.setting.gpu;
  return fmt::format("{}: {}{}{}", file, import.setting.tool, gpu.empty() ? "" : " on ", gpu);
}

}  // namespace

const std::string& evidence_header() {
  static const std::string header =
      "run,device,power_mode,pinned,gpu_mhz,cpu_mhz,emc_mhz,cores,model,precision,batch,placement,dla_batch,"
      "metric,value,unit,source,processes,runtime,sync,observer,of,sd,median,p90,p99,count,onnx,input,grid,"
      "block,registers,shared_bytes,transfers\n";
  return header;
}

std::string evidence_rows(std::span<const RunLog> logs) {
  std::string text;
  for (const RunLog& log : logs) {
    const Setting& setting = log.import.setting;
    const std::string source = source_of(log.import);
    for (const Measurement& row : log.import.rows) {
      CsvLine line;
      line.add(log.run).add(log.device).add(setting.power_mode);
      line.add(setting.pinned ? (*setting.pinned ? "1" : "0") : "").add("").add(log.cpu_mhz).add("").add("");
      line.add(setting.model).add(setting.precision).add(whole(setting.batch)).add(setting.placement).add("");
      line.add(row.metric).add(number(row.value)).add(row.unit).add(source);
      line.add(whole(setting.processes))
          .add(setting.runtime)
          .add(setting.sync)
          .add(setting.observer)
          .add(row.of);
      line.add(number(row.sd)).add(number(row.median)).add(number(row.p90)).add(number(row.p99));
      line.add(fmt::format("{}", row.count)).add(log.content);
      line.add(whole(setting.input)).add(row.launch.grid).add(row.launch.block);
      line.add(whole(row.launch.registers)).add(whole(row.launch.shared_bytes)).add(setting.transfers);
      text += line.take();
    }
  }
  return text;
}

}  // namespace jostle::calibration
