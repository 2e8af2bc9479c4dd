#include "calibration/probe/power_sensors.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include "calibration/probe/nvml.hpp"

namespace jostle::calibration::probe {
namespace {

namespace fs = std::filesystem;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double number_in(const fs::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : nothing;
}

std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

// Names by which boards call the rail at their input.
constexpr const char* inputs[] = {"VDD_IN", "VIN_SYS_5V0", "POM_5V_IN", "SYS5V", "VIN", "CPU+GPU+SOC"};

}  // namespace

struct PowerSensors::Card : Nvml {
  // One field of nvmlDeviceGetFieldValues.
  struct Field {
    unsigned id = 0, scope = 0;
    long long timestamp = 0, latency_us = 0;
    int type = 0, result = 0;
    union {
      double number;
      unsigned unsigned_int;
      unsigned long unsigned_long;
      unsigned long long unsigned_long_long;
    } value{};
  };
  static constexpr unsigned average_power = 185, instant_power = 186;
  static constexpr int sm_clock = 1, memory_clock = 2, gpu_temperature = 0;

  int (*power)(Device*, unsigned*) = nullptr;
  int (*fields)(Device*, int, Field*) = nullptr;
  int (*clock)(Device*, int, unsigned*) = nullptr;
  int (*temperature)(Device*, int, unsigned*) = nullptr;
  int (*reasons)(Device*, unsigned long long*) = nullptr;
  int (*limit)(Device*, unsigned*) = nullptr;

  Card() {
    find("nvmlDeviceGetPowerUsage", power);
    find("nvmlDeviceGetFieldValues", fields);
    find("nvmlDeviceGetClockInfo", clock);
    find("nvmlDeviceGetTemperature", temperature);
    find("nvmlDeviceGetCurrentClocksThrottleReasons", reasons);
    find("nvmlDeviceGetEnforcedPowerLimit", limit);
  }
  [[nodiscard]] double field(unsigned id) const {
    Field field;
    field.id = id;
    if (fields == nullptr || fields(device, 1, &field) != 0 || field.result != 0) return nothing;
    return field.value.unsigned_int / 1e3;
  }
  [[nodiscard]] double number(int (*get)(Device*, unsigned*), double scale) const {
    unsigned value = 0;
    return get != nullptr && get(device, &value) == 0 ? value * scale : nothing;
  }
  [[nodiscard]] double number(int (*get)(Device*, int, unsigned*), int which) const {
    unsigned value = 0;
    return get != nullptr && get(device, which, &value) == 0 ? value : nothing;
  }
  [[nodiscard]] std::vector<Reading> read() const {
    unsigned long long why = 0;
    const bool known = reasons != nullptr && reasons(device, &why) == 0;
    return {{"power_average", "W", number(power, 1e-3)},
            {"power_instant", "W", field(instant_power)},
            {"power_limit", "W", number(limit, 1e-3)},
            {"sm_clock", "MHz", number(clock, sm_clock)},
            {"memory_clock", "MHz", number(clock, memory_clock)},
            {"temperature_gpu", "degC", number(temperature, gpu_temperature)},
            {"limits", "", known ? static_cast<double>(why) : nothing}};
  }
};

PowerSensors::PowerSensors(const fs::path& root, bool nvml) {
  if (nvml) {
    nvml_ = std::make_unique<Card>();
    problem_ = nvml_->problem;
    if (!problem_.empty()) nvml_.reset();
  }
  find_rails(root);
  find_files(root);
  if (!rails_.empty() || nvml_)
    problem_.clear();
  else
    problem_ = "no sensor of power: no INA3221 in /sys" + (problem_.empty() ? "" : ", and " + problem_);
}

PowerSensors::~PowerSensors() = default;

// INA3221 monitors: three rails each, in millivolts and milliamperes. Older kernels list them with iio.
void PowerSensors::find_rails(const fs::path& root) {
  for (const fs::path& monitor : entries(root / "sys/class/hwmon")) {
    if (line_of(monitor / "name") != "ina3221") continue;
    for (int channel = 1; channel <= 3; ++channel) {
      const std::string number = std::to_string(channel);
      const fs::path volts = monitor / ("in" + number + "_input"),
                     amperes = monitor / ("curr" + number + "_input");
      std::error_code error;
      if (fs::exists(volts, error) && fs::exists(amperes, error))
        rails_.push_back({line_of(monitor / ("in" + number + "_label")), volts, amperes});
    }
  }
  for (const fs::path& device : entries(root / "sys/bus/iio/devices")) {
    for (int channel = 0; channel < 3; ++channel) {
      const std::string number = std::to_string(channel);
      const std::string rail = line_of(device / ("rail_name_" + number));
      if (!rail.empty())
        rails_.push_back(
            {rail, device / ("in_voltage" + number + "_input"), device / ("in_current" + number + "_input")});
    }
  }
}

void PowerSensors::find_files(const fs::path& root) {
  for (const fs::path& zone : entries(root / "sys/class/thermal")) {
    const std::string type = line_of(zone / "type");
    if (zone.filename().string().starts_with("thermal_zone") && !type.empty())
      files_.push_back({"temperature_" + type, "degC", zone / "temp", 1e-3});
  }
  for (const fs::path& device : entries(root / "sys/class/devfreq")) {
    const std::string name = device.filename().string();
    const bool gpu = name.find("gpu") != std::string::npos || name.find("gv11b") != std::string::npos ||
                     name.find("ga10b") != std::string::npos || name.find("gp10b") != std::string::npos;
    if (gpu) files_.push_back({"sm_clock", "MHz", device / "cur_freq", 1e-6});
  }
  // The package of an Intel or AMD processor counts energy; reading it may need root.
  for (const fs::path& zone : entries(root / "sys/class/powercap")) {
    const std::string name = line_of(zone / "name");
    if (name.starts_with("package")) files_.push_back({"energy_" + name, "J", zone / "energy_uj", 1e-6});
  }
}

std::vector<Reading> PowerSensors::read() const {
  std::vector<Reading> all;
  if (nvml_) all = nvml_->read();
  for (const Rail& rail : rails_)
    all.push_back({rail.name, "W", number_in(rail.millivolts) * number_in(rail.milliamperes) * 1e-6});
  for (const File& file : files_) all.push_back({file.name, file.unit, number_in(file.path) * file.scale});
  return all;
}

double PowerSensors::value_of(const std::vector<Reading>& readings, const std::string& name) {
  const auto found = std::ranges::find(readings, name, &Reading::name);
  return found == readings.end() ? nothing : found->value;
}

double PowerSensors::board_power(const std::vector<Reading>& readings) {
  const double instant = value_of(readings, "power_instant"), average = value_of(readings, "power_average");
  if (!std::isnan(instant)) return instant;
  if (!std::isnan(average)) return average;
  for (const char* const input : inputs)
    if (const double value = value_of(readings, input); !std::isnan(value)) return value;
  double sum = 0;
  for (const Reading& reading : readings)
    if (reading.unit == "W" && !std::isnan(reading.value)) sum += reading.value;
  return sum;
}

}  // namespace jostle::calibration::probe
