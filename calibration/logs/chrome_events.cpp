#include "calibration/logs/chrome_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "calibration/logs/measurement.hpp"
#include "calibration/logs/timed_calls.hpp"

namespace jostle::calibration {
namespace {

using Category = ChromeEvent::Category;

constexpr double largest_count = 4e9;
constexpr std::size_t longest_sides = 40;
constexpr int most_gpus = 1024;
constexpr double latest_us =
    4e15;  // since 1970, as older PyTorch writes: the year 2096; in ns it fits 64 bits

// Handles the names of PyTorch 1.8 and later, and older ones.
Category category_of(std::string_view text) {
  if (text == "kernel" || text == "Kernel") return Category::kernel;
  if (text == "gpu_memcpy" || text == "Memcpy") return Category::copy;
  if (text == "gpu_memset" || text == "Memset") return Category::memset;
  if (text == "cuda_runtime" || text == "cuda_driver" || text == "Runtime") return Category::call;
  if (text == "cpu_op" || text == "Operator") return Category::operation;
  return Category::other;
}

// A count of a launch; none if it is not one.
std::optional<std::int64_t> count_of(double value) {
  if (!(value >= 0 && value <= largest_count)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// Adds a side to a grid or block, written as 24x7x1.
void add_side(std::string& sides, double value) {
  const auto side = count_of(value);
  if (!side || sides.size() > longest_sides) return;
  sides += fmt::format("{}{}", sides.empty() ? "" : "x", *side);
}

template <class Field, std::size_t n>
Field named(const std::array<std::pair<std::string_view, Field>, n>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, Field>::first);
  return found == names.end() ? Field::none : found->second;
}

}  // namespace

ChromeEvents::Field ChromeEvents::field_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Field>, 7> names{{{"ph", Field::phase},
                                                                     {"cat", Field::category},
                                                                     {"name", Field::name},
                                                                     {"ts", Field::start},
                                                                     {"dur", Field::duration},
                                                                     {"tid", Field::thread},
                                                                     {"args", Field::arguments}}};
  return named(names, name);
}

ChromeEvents::Field ChromeEvents::argument_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Field>, 6> names{
      {{"device", Field::device},
       {"correlation", Field::correlation},
       {"grid", Field::grid},
       {"block", Field::block},
       {"registers per thread", Field::registers},
       {"shared memory", Field::shared}}};
  return named(names, name);
}

bool ChromeEvents::begin_array() {
  if (depth == 1) event_depth_ = 2;
  if (depth == 2 && event_depth_ == 0 && top_key_ == TopKey::events) event_depth_ = 3;
  if (event_depth_ != 0 && depth == event_depth_ - 1) in_events_ = found_events = true;
  if (field_ != Field::grid && field_ != Field::block) field_ = Field::none;
  return true;
}

bool ChromeEvents::end_array() {
  if (event_depth_ != 0 && depth == event_depth_ - 1) {
    in_events_ = false;
    if (event_depth_ == 3) event_depth_ = 0;
  }
  field_ = Field::none;
  return true;
}

bool ChromeEvents::begin_object() {
  if (in_device() && gpus.size() < most_gpus) gpus.emplace_back();
  if (in_events_ && depth == event_depth_) event_ = {};
  in_arguments_ = in_events_ && depth == event_depth_ + 1 && field_ == Field::arguments;
  field_ = Field::none;
  return true;
}

bool ChromeEvents::end_object() {
  in_arguments_ = false;
  field_ = Field::none;
  return !(in_events_ && depth == event_depth_) || finish_event();
}

bool ChromeEvents::key(std::string_view name) {
  field_ = Field::none;
  if (in_events_) {
    if (depth == event_depth_) field_ = field_of(name);
    if (in_arguments_ && depth == event_depth_ + 1) field_ = argument_of(name);
  } else if (depth == 1) {
    top_key_ = name == "traceEvents"        ? TopKey::events
               : name == "deviceProperties" ? TopKey::device
                                            : TopKey::other;
  } else if (in_device()) {
    device_key_ = name.substr(0, 30);
  }
  return true;
}

bool ChromeEvents::text(std::string_view value) {
  switch (field_) {
    case Field::phase:
      event_.phase = value.size() == 1 ? value[0] : '\0';
      break;
    case Field::category:
      event_.category = category_of(value);
      break;
    case Field::name:
      event_.name.assign(value.substr(0, TimedCalls::max_name));
      break;
    case Field::duration:
    case Field::start:
      return refuse("a time is not a number");
    default:
      if (in_device() && device_key_ == "name" && !gpus.empty())
        gpus.back().name = std::string(value.substr(0, 100));
  }
  return true;
}

bool ChromeEvents::number(double value) {
  switch (field_) {
    case Field::start:
      event_.start = value;
      break;
    case Field::duration:
      event_.duration = value;
      break;
    case Field::thread:
      event_.thread = value;
      break;
    case Field::device:
      if (value >= 0 && value < most_gpus) event_.device = static_cast<int>(value);
      break;
    case Field::correlation:
      if (value >= 0 && value < 1.8e19) event_.correlation = static_cast<std::uint64_t>(value);
      break;
    case Field::grid:
      add_side(event_.launch.grid, value);
      break;
    case Field::block:
      add_side(event_.launch.block, value);
      break;
    case Field::registers:
      event_.launch.registers = count_of(value);
      break;
    case Field::shared:
      event_.launch.shared_bytes = count_of(value);
      break;
    default:
      if (in_device()) device_number(value);
  }
  return true;
}

void ChromeEvents::device_number(double value) {
  if (gpus.empty()) return;
  TracedGpu& gpu = gpus.back();
  if (device_key_ == "id") gpu.id = value;
  if (device_key_ == "computeMajor") gpu.major = value;
  if (device_key_ == "computeMinor") gpu.minor = value;
  if (device_key_ == "numSms") gpu.sms = value;
  if (device_key_ == "totalGlobalMem") gpu.memory = value;
}

bool ChromeEvents::finish_event() {
  ++events;
  if (event_.phase == 'B') ++begins;
  if (event_.phase != 'X' || !event_.duration) return true;
  if (!(*event_.duration >= 0 && *event_.duration <= max_number))
    return refuse("an event has an impossible duration");
  if (event_.start && !(std::abs(*event_.start) <= latest_us))
    return refuse("an event has an impossible time stamp");
  const std::string_view why = take_(event_);
  return why.empty() || refuse(std::string(why));
}

}  // namespace jostle::calibration
