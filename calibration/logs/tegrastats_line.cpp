#include "calibration/logs/tegrastats_line.hpp"

#include <algorithm>

#include "calibration/logs/log_text.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t longest_prefix = 300;  // a logger's: time, host, unit
constexpr double no_sensor = -200;           // zones that are not powered read -256 degC

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// Skips a bracket such as "(lfb 109x4MB)".
void skip_bracket(std::string_view word, std::string_view& rest) {
  while (word.find(')') == std::string_view::npos && !rest.empty()) word = take_word(rest);
}

bool name_is_gpu(std::string_view name) {
  return name == "GR3D_FREQ" || name == "GR3D";
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The second word of a name, as in "MTS fg 0%" and "EDP limit 1912".
bool is_second_word(std::string_view text) {
  return std::ranges::all_of(text, is_letter) && text != "RAM" && text != "SWAP" && text != "CPU";
}

}  // namespace

std::size_t tegrastats_start(std::string_view line) {
  const std::string_view head = line.substr(0, longest_prefix);
  for (std::size_t at = head.find("RAM "); at != std::string_view::npos; at = head.find("RAM ", at + 1)) {
    const std::string_view after = line.substr(at + 4);
    if ((at == 0 || !(is_letter(line[at - 1]) || (line[at - 1] >= '0' && line[at - 1] <= '9'))) &&
        !after.empty() && after[0] >= '0' && after[0] <= '9' && after.find("B") != std::string_view::npos)
      return at;
  }
  return std::string_view::npos;
}

bool TegrastatsLine::read(std::string_view line) {
  readings.clear();
  load = gpu_watts = std::nullopt;
  cores = 0;
  memory = 0;
  below_zero = summed = false;
  stuck = {};
  if (!read_parts(trimmed(line))) return false;
  add_inputs();
  return true;
}

// AGX Orin has no sensor before all rails; three share its input. VDDQ_VDD2_1V8AO is behind VIN_SYS_5V0.
void TegrastatsLine::add_inputs() {
  double watts = 0;
  for (const std::string_view input : {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"}) {
    const auto found = std::ranges::find(readings, input, &TegrastatsReading::name);
    if (found == readings.end()) return;
    watts += found->value;
  }
  summed = std::ranges::find(readings, "VDD_IN", &TegrastatsReading::name) == readings.end();
  if (summed) add("VDD_IN", 'w', watts);
}

// Reads names and their values, up to the end of the line.
bool TegrastatsLine::read_parts(std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view word = take_word(rest);
    if (word.empty()) continue;
    if (word.front() == '(') {
      skip_bracket(word, rest);
      continue;
    }
    stuck = word;
    const std::size_t at = word.find('@');
    if (at != std::string_view::npos && at > 0 && word.back() == 'C') {
      if (!read_temperature(word.substr(0, at), word.substr(at + 1))) return false;
    } else if (rest.empty() || !read_reading(word, rest)) {
      return false;
    }
  }
  stuck = {};
  return true;
}

// Reads the value that follows a name.
bool TegrastatsLine::read_reading(std::string_view name, std::string_view& rest) {
  const std::string_view before = rest;
  std::string_view value = take_word(rest);
  while (value.empty() && !rest.empty()) value = take_word(rest);
  if (value == "off" || value == "OFF" || value == "N/A" || value.empty()) return true;
  if (value.front() == '[') {
    while (value.find(']') == std::string_view::npos && !rest.empty()) {  // blanks behind the commas
      const std::string_view more = take_word(rest);
      value = {value.data(), static_cast<std::size_t>(more.data() + more.size() - value.data())};
    }
    return read_cores(value);
  }
  if (value.front() == '@') return name_is_gpu(name) ? read_clocks(value.substr(1), "gpu_clock") : true;
  std::string_view number = value;
  const auto first = take_number(number);
  if (!first) {
    rest = before;
    return is_second_word(value);
  }
  if (number.empty()) return true;  // "APE 200", "NVENC 716": clocks of other engines
  if (number.front() == '%') return read_load(name, *first, number.substr(1));
  if (number.front() == '/' || number.starts_with("mW")) return read_levels(name, *first, number, rest);
  return false;
}

bool TegrastatsLine::read_load(std::string_view name, double percent, std::string_view clock) {
  const bool gpu = name_is_gpu(name), emc = name == "EMC_FREQ" || name == "EMC";
  if (!gpu && !emc) return true;
  if (percent < 0 || percent > 1000) return false;
  if (gpu) load = percent;
  add(gpu ? "gpu_load" : "emc_load", 'l', percent);
  if (clock.empty()) return true;
  return clock.front() == '@' && read_clocks(clock.substr(1), gpu ? "gpu_clock" : "emc_clock");
}

// Reads a clock such as "921" or, for a GPU with parts that may be gated, the highest of "[305,0]".
bool TegrastatsLine::read_clocks(std::string_view text, std::string_view metric) {
  double highest = 0;
  const bool list = text.starts_with('[');
  if (list) text.remove_prefix(1);
  for (;;) {
    const auto clock = take_number(text);
    if (!clock || *clock < 0 || *clock > 1e5) return false;
    highest = std::max(highest, *clock);
    if (!list || !text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  if (text != (list ? "]" : "")) return false;
  if (highest > 0) add(metric, 'c', highest);
  return true;
}

// Reads the loads and clocks of cores: "[7%@1728,off,...]", or "[7%,off,...]@1728" with one clock for all.
bool TegrastatsLine::read_cores(std::string_view text) {
  text.remove_prefix(1);
  std::int64_t all = 0, online = 0, clocked = 0;
  double load_sum = 0, clock = 0;
  const auto read_clock = [&] {
    if (!text.starts_with('@')) return true;
    text.remove_prefix(1);
    const auto megahertz = take_number(text);
    if (!megahertz || *megahertz < 0 || *megahertz > 1e5) return false;
    clock += *megahertz;
    ++clocked;
    return true;
  };
  for (;;) {
    ++all;
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.starts_with("off") || text.starts_with("OFF")) {
      text.remove_prefix(3);
    } else {
      const auto percent = take_number(text);
      if (!percent || !text.starts_with('%') || *percent < 0 || *percent > 100) return false;
      text.remove_prefix(1);
      load_sum += *percent;
      ++online;
      if (!read_clock()) return false;
    }
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  if (!text.starts_with(']') || online == 0 || all > 1024) return false;
  text.remove_prefix(1);
  if (!read_clock() || !text.empty()) return false;
  cores = all;
  add("cpu_load", 'p', load_sum / static_cast<double>(online));
  add("cores_online", 'n', static_cast<double>(online));
  if (clocked > 0) add("cpu_clock", 'c', clock / static_cast<double>(clocked));
  return true;
}

// Reads one to three values: "2557/7620MB", "0/252kB(lfb 252kB)", "5750mW/5700mW/6100mW", "2532/2698",
// "5517mW". The first is the current one.
bool TegrastatsLine::read_levels(std::string_view name, double first, std::string_view text,
                                 std::string_view& rest) {
  if (name == "IRAM") {
    skip_bracket(text, rest);
    return true;
  }
  const bool milliwatts = text.starts_with("mW");
  if (milliwatts) text.remove_prefix(2);
  double second = 0;
  int levels = 1;
  while (text.starts_with('/')) {
    text.remove_prefix(1);
    const auto level = take_number(text);
    if (!level || ++levels > 3) return false;
    if (levels == 2) second = *level;
    if (milliwatts) {
      if (!text.starts_with("mW")) return false;
      text.remove_prefix(2);
    }
  }
  if (name == "RAM" || name == "SWAP") {
    if ((text != "MB" && text != "kB") || levels != 2 || first < 0) return false;
    const double megabytes = text == "kB" ? 1.0 / 1024 : 1;
    if (name == "RAM") memory = second * megabytes * 1024 * 1024;
    add(name == "RAM" ? "ram" : "swap", 'm', first * megabytes);
    return true;
  }
  if (!text.empty() || first < -1e5) return false;
  below_zero |= first < 0;
  const double watts = std::max(first, 0.0) / 1000;
  if (name == "VDD_GPU") gpu_watts = watts;
  add(name, 'w', watts);
  return true;
}

// Reads "51.062C", or "34.8C/36.1C": now and the mean or peak.
bool TegrastatsLine::read_temperature(std::string_view zone, std::string_view text) {
  const auto degrees = take_number(text);
  if (!degrees || *degrees > 1000 || *degrees < -1000) return false;
  for (int levels = 1; text != "C"; ++levels) {
    if (!text.starts_with("C/") && !text.starts_with("/")) return false;
    text.remove_prefix(text.front() == 'C' ? 2 : 1);
    if (!take_number(text) || levels == 3) return false;
  }
  if (*degrees >= no_sensor) add(zone, 't', *degrees);
  return true;
}

}  // namespace jostle::calibration
