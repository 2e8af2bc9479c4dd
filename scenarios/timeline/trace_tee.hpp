// Sends one timeline to two sinks.
#pragma once

#include <utility>
#include <vector>

#include "sim/trace.hpp"

namespace jostle::scenarios {

class TraceTee final : public sim::TraceSink {
 public:
  TraceTee(sim::TraceSink& first, sim::TraceSink& second) : first_(first), second_(second) {}

  [[nodiscard]] sim::TrackId track(std::string_view name, sim::TrackId parent) override {
    return add(first_.track(name, at(parent).first), second_.track(name, at(parent).second));
  }
  [[nodiscard]] sim::TrackId counter(std::string_view name, std::string_view unit,
                                     sim::TrackId parent) override {
    return add(first_.counter(name, unit, at(parent).first), second_.counter(name, unit, at(parent).second));
  }
  void begin(sim::TrackId track, sim::Time time, std::string_view name) override {
    first_.begin(at(track).first, time, name);
    second_.begin(at(track).second, time, name);
  }
  void end(sim::TrackId track, sim::Time time) override {
    first_.end(at(track).first, time);
    second_.end(at(track).second, time);
  }
  void slice(sim::TrackId track, sim::Time start, sim::Duration duration, std::string_view name) override {
    first_.slice(at(track).first, start, duration, name);
    second_.slice(at(track).second, start, duration, name);
  }
  void count(sim::TrackId counter, sim::Time time, double value) override {
    first_.count(at(counter).first, time, value);
    second_.count(at(counter).second, time, value);
  }

 private:
  using Ids = std::pair<sim::TrackId, sim::TrackId>;
  [[nodiscard]] const Ids& at(sim::TrackId id) const { return ids_[static_cast<std::size_t>(id)]; }
  sim::TrackId add(sim::TrackId first, sim::TrackId second) {
    ids_.emplace_back(first, second);
    return static_cast<sim::TrackId>(ids_.size() - 1);
  }

  sim::TraceSink& first_;
  sim::TraceSink& second_;
  std::vector<Ids> ids_{{sim::TrackId::none, sim::TrackId::none}};
};

}  // namespace jostle::scenarios
