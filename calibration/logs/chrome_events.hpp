// The events of a trace in Chrome's JSON, as the PyTorch profiler writes it: an array of events, alone or
// under "traceEvents". Times are in us.
//
// Part of the reader of Chrome traces; not for use elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/logs/json_stream.hpp"
#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {

struct ChromeEvent {
  enum class Category { none, kernel, copy, memset, call, operation, other };

  char phase = '\0';
  Category category = Category::none;
  std::string name;
  std::optional<double> start, duration;
  double thread = 0;                         // its id; 0 if that is no number
  std::optional<std::uint64_t> correlation;  // joins a kernel to the call that launched it
  std::optional<int> device;
  Launch launch;
};

// A GPU in the words of `deviceProperties`; absent: none.
struct TracedGpu {
  std::string name;
  std::optional<double> id, major, minor, sms, memory;
};

class ChromeEvents : public json::Handler<ChromeEvents> {
 public:
  // Takes an event with a duration; returns why it is impossible, or nothing.
  using Taker = std::function<std::string_view(const ChromeEvent&)>;
  ChromeEvents(Source& source, Taker take) : Handler(source), take_(std::move(take)) {}

  bool begin_array();
  bool end_array();
  bool begin_object();
  bool end_object();
  bool key(std::string_view name);
  bool text(std::string_view value);
  bool number(double value);

  // True if only the closing bracket of the array form is missing, as in the file of a writer that was
  // killed. False if the value is complete.
  [[nodiscard]] bool only_lacks_bracket() const {
    return in_events_ && depth == 1 && event_depth_ == 2 && events > 0;
  }

  std::int64_t events = 0, begins = 0;  // begins: events with separate begin and end
  bool found_events = false;
  std::vector<TracedGpu> gpus;

 private:
  enum class TopKey { other, events, device };
  enum class Field {
    none,
    phase,
    category,
    name,
    start,
    duration,
    thread,
    arguments,
    device,
    correlation,
    grid,
    block,
    registers,
    shared
  };
  static Field field_of(std::string_view name);
  static Field argument_of(std::string_view name);
  [[nodiscard]] bool in_device() const { return depth == 3 && top_key_ == TopKey::device && !in_events_; }
  void device_number(double value);
  bool finish_event();

  Taker take_;
  int event_depth_ = 0;  // depth of an event's object; 0 until events are found
  bool in_events_ = false, in_arguments_ = false;
  TopKey top_key_ = TopKey::other;
  Field field_ = Field::none;
  std::string device_key_;
  ChromeEvent event_;
};

}  // namespace jostle::calibration
