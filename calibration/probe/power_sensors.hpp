// The sensors of power, clocks and temperatures of a machine: NVML of a card, INA3221 and sysfs of a Jetson.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace jostle::calibration::probe {

struct Reading {
  std::string name;  // "power_average", "VDD_IN", "sm_clock", "temperature_gpu"
  std::string unit;  // "W", "MHz", "degC"
  double value = 0;
};

class PowerSensors {
 public:
  // Finds what there is; nothing is not an error. `root`: of /sys. The library of a card's driver is used
  // only if `nvml` is true.
  explicit PowerSensors(const std::filesystem::path& root, bool nvml = true);
  ~PowerSensors();
  PowerSensors(const PowerSensors&) = delete;
  PowerSensors& operator=(const PowerSensors&) = delete;

  // All readings now, always in the same order. A sensor that cannot be read now gives NaN.
  [[nodiscard]] std::vector<Reading> read() const;
  // The sum of the power of the board's input, in watts, by the readings; 0 if no sensor tells.
  [[nodiscard]] static double board_power(const std::vector<Reading>& readings);
  [[nodiscard]] static double value_of(const std::vector<Reading>& readings, const std::string& name);
  // Why there are none, or which failed; empty if there are some.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Card;
  struct Rail {
    std::string name;
    std::filesystem::path millivolts, milliamperes;
  };
  struct File {
    std::string name, unit;
    std::filesystem::path path;
    double scale;
  };
  void find_rails(const std::filesystem::path& root);
  void find_files(const std::filesystem::path& root);

  std::unique_ptr<Card> nvml_;
  std::vector<Rail> rails_;
  std::vector<File> files_;
  std::string problem_;
};

}  // namespace jostle::calibration::probe
