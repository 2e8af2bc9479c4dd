#include "scenarios/timeline/chrome_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "output/json.hpp"

namespace jostle::scenarios {
namespace {

constexpr std::size_t written_at_once = 1U << 20U;  // bytes

std::size_t place_of(sim::TrackId track) {
  return static_cast<std::size_t>(track);
}

std::int64_t ns(sim::Time time) {
  return time.ps() / 1000;
}

// Converts nanoseconds to microseconds.
std::string us(std::int64_t time) {
  return fmt::format("{}.{:03}", time / 1000, time % 1000);
}

}  // namespace

ChromeTrace::ChromeTrace(const std::string& path) {
  file_.emplace(path);
}

ChromeTrace::ChromeTrace(const Window& window) : window_(window) {}

sim::TrackId ChromeTrace::track(std::string_view name, sim::TrackId) {
  const std::size_t id = tracks_.size();
  tracks_.push_back({.name = std::string(name), .unit = {}, .open = {}});
  put(fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", id,
                  output::json_string(name)));
  put(fmt::format(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
                  id));
  return static_cast<sim::TrackId>(id);
}

sim::TrackId ChromeTrace::counter(std::string_view name, std::string_view unit, sim::TrackId) {
  tracks_.push_back({.name = std::string(name), .unit = std::string(unit), .open = {}});
  return static_cast<sim::TrackId>(tracks_.size() - 1);
}

void ChromeTrace::begin(sim::TrackId track, sim::Time at, std::string_view name) {
  latest_ = std::max(latest_, at);
  tracks_[place_of(track)].open.push_back({std::string(name), at});
}

void ChromeTrace::end(sim::TrackId track, sim::Time at) {
  latest_ = std::max(latest_, at);
  std::vector<Slice>& open = tracks_[place_of(track)].open;
  if (open.empty()) return;
  const Slice last = std::move(open.back());
  open.pop_back();
  put_slice(place_of(track), last.begin, at, last.name);
}

void ChromeTrace::slice(sim::TrackId track, sim::Time start, sim::Duration duration, std::string_view name) {
  latest_ = std::max(latest_, start + duration);
  put_slice(place_of(track), start, start + duration, name);
}

void ChromeTrace::count(sim::TrackId counter, sim::Time at, double value) {
  latest_ = std::max(latest_, at);
  Track& track = tracks_[place_of(counter)];
  if (at < window_.begin) {
    track.before = true;
    track.value = value;
    return;
  }
  if (std::exchange(track.before, false)) put_count(place_of(counter), window_.begin, track.value);
  put_count(place_of(counter), at, value);
}

void ChromeTrace::put_slice(std::size_t track, sim::Time begin, sim::Time end, std::string_view name) {
  begin = std::max(begin, window_.begin);
  end = std::min(end, window_.end);
  if (begin > end || (begin == end && begin == window_.end)) return;
  if (++events_ == window_.max_events) window_.end = end;
  put(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":{}}})", track, us(ns(begin)),
                  us(ns(end) - ns(begin)), output::json_string(name)));
}

void ChromeTrace::put_count(std::size_t counter, sim::Time at, double value) {
  if (at > window_.end) return;
  if (++events_ == window_.max_events) window_.end = at;
  const Track& track = tracks_[counter];
  put(fmt::format(R"({{"ph":"C","pid":1,"tid":{},"ts":{},"name":{},"args":{{{}:{}}}}})", counter, us(ns(at)),
                  output::json_string(track.name),
                  output::json_string(track.unit.empty() ? "value" : track.unit), value));
}

void ChromeTrace::put(std::string_view event) {
  if (finished_) return;
  if (!std::exchange(first_, false)) buffer_ += ",\n";
  buffer_ += event;
  if (file_ && buffer_.size() >= written_at_once) flush();
}

void ChromeTrace::flush() {
  if (!file_) return;
  file_->write(buffer_);
  buffer_.clear();
}

void ChromeTrace::finish() {
  if (finished_) return;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    Track& track = tracks_[i];
    while (!track.open.empty()) end(static_cast<sim::TrackId>(i), latest_);
    if (std::exchange(track.before, false)) put_count(i, window_.begin, track.value);
  }
  finished_ = true;
  buffer_ += "\n]}\n";
  flush();
  if (file_) file_->commit();
}

}  // namespace jostle::scenarios
