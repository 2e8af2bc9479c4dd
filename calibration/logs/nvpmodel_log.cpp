// Imports nvpmodel.conf: the limits of each power mode as metrics.
#include <fmt/format.h>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/log_text.hpp"
#include "profiles/readers/nvpmodel.hpp"

namespace jostle::calibration {
namespace {

// Adds a row for a setting, which is a single value.
void add_row(std::string metric, double value, const char* unit, Import& result) {
  result.rows.push_back({.metric = std::move(metric), .value = value, .unit = unit, .count = 1});
}

// Adds a clock such as "cpu_a78_0_max_clock" in MHz; the file uses kHz for CPUs, Hz for everything else.
void add_clock(const profiles::NvpSetting& setting, double value, Import& result) {
  const bool cpu = setting.parameter.starts_with("CPU");
  const double megahertz = value / (cpu ? 1e3 : 1e6);
  add_row(metric_word(setting.parameter) + (setting.argument == "MAX_FREQ" ? "_max" : "_min") + "_clock",
          megahertz, "MHz", result);
}

Import import(const profiles::NvpMode& mode, const std::string& origin) {
  Import result{.format = "nvpmodel", .origin = origin};
  result.setting.tool = "nvpmodel";
  result.setting.power_mode = profiles::plain_mode_name(mode.name);
  double cores = 0;
  bool any_core = false;
  for (const profiles::NvpSetting& setting : mode.settings) {
    const auto value = parse_number(setting.value);
    if (!value) continue;
    if (setting.parameter == "CPU_ONLINE") {
      any_core = true;
      cores += *value != 0 ? 1 : 0;
    } else if ((setting.argument == "MAX_FREQ" || setting.argument == "MIN_FREQ") && *value > 0) {
      add_clock(setting, *value, result);
    }
  }
  if (any_core) add_row("cores_online", cores, "cores", result);
  return result;
}

}  // namespace

std::vector<Import> read_nvpmodel_log(Source& source, input::Problems& problems) {
  std::string text;
  std::string_view line;
  while (source.next_line(line)) {
    text.append(line).append("\n");
    if (text.size() <= profiles::max_nvpmodel_bytes) continue;
    source.fail(problems, 0, fmt::format("larger than {} bytes", profiles::max_nvpmodel_bytes));
    return {};
  }
  if (!source.failure().empty()) {
    source.fail(problems, source.line(), source.failure());
    return {};
  }
  const auto file = profiles::parse_nvpmodel(text, source.origin(), problems);
  if (!file) return {};
  std::vector<Import> imports;
  for (const profiles::NvpMode& mode : file->modes) {
    Import result = import(mode, source.origin());
    if (!result.rows.empty()) imports.push_back(std::move(result));
  }
  if (imports.empty()) source.fail(problems, 0, "none of its modes limits anything");
  return imports;
}

}  // namespace jostle::calibration
