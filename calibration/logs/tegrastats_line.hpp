// One line of tegrastats, taken apart into readings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jostle::calibration {

// The position of RAM, with which a sample begins, behind a time stamp or a logger's prefix; npos if the line
// is no sample.
[[nodiscard]] std::size_t tegrastats_start(std::string_view line);

struct TegrastatsReading {
  std::string_view name;  // the line's
  // 'w' watts, 't' degC, 'm' MiB, 'c' MHz, 'n' cores, 'l' and 'p' percent
  char kind = 0;
  double value = 0;
};

struct TegrastatsLine {
  std::vector<TegrastatsReading> readings;
  std::optional<double> load;       // the GPU's, %
  std::optional<double> gpu_watts;  // on the rail VDD_GPU
  std::int64_t cores = 0;           // 0: the line has no CPU
  double memory = 0;                // bytes
  bool below_zero = false;          // a rail was, and was taken as 0
  bool summed = false;     // no rail is the module's input, and VDD_IN is the sum of several that are
  std::string_view stuck;  // unreadable parts; empty: none

  // Reads a line from RAM on. Returns false if a part of it is not of tegrastats.
  [[nodiscard]] bool read(std::string_view line);

 private:
  [[nodiscard]] bool read_parts(std::string_view rest);
  [[nodiscard]] bool read_reading(std::string_view name, std::string_view& rest);
  [[nodiscard]] bool read_load(std::string_view name, double percent, std::string_view clock);
  [[nodiscard]] bool read_clocks(std::string_view text, std::string_view metric);
  [[nodiscard]] bool read_cores(std::string_view text);
  [[nodiscard]] bool read_levels(std::string_view name, double first, std::string_view text,
                                 std::string_view& rest);
  [[nodiscard]] bool read_temperature(std::string_view zone, std::string_view text);
  void add_inputs();
  void add(std::string_view name, char kind, double value) { readings.push_back({name, kind, value}); }
};

}  // namespace jostle::calibration
