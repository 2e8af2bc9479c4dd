// Other ways of the stages around inference: on another processor, in C++ in place of numpy, overlapping.

#include <algorithm>
#include <cctype>
#include <set>

#include "analyses/explain/intervention.hpp"
#include "models/media/spec.hpp"

namespace jostle::analyses {
namespace {

using scenarios::ProcessEntry;
using scenarios::Scenario;
using scenarios::Stage;

bool by_numpy(const Stage& stage) {
  return stage.name.ends_with(" numpy");
}
bool on_core(const Stage& stage) {
  return !stage.on_gpu && !stage.engine;
}

// "normalise on the GPU", "resize 640x640 on VIC", "nms in C++".
std::string way_words(const Stage& from, const Stage& to) {
  if (to.on_gpu) return to.name + " on the GPU";
  if (!to.engine) return to.name + (by_numpy(from) ? " in C++" : " on the cores");
  std::string engine(media::to_string(*to.engine));
  std::ranges::transform(engine, engine.begin(), [](unsigned char c) { return std::toupper(c); });
  return to.name + " on " + engine;
}

template <class F>
void each_stage(Scenario& scenario, const F& change) {
  for (ProcessEntry& process : scenario.processes)
    for (auto* const stages : {&process.around.before, &process.around.after})
      for (Stage& stage : *stages) change(stage);
}

// The scenario in which each stage becomes the first of its other ways that `wanted` takes.
template <class F>
Scenario with_other_ways(const Scenario& scenario, const F& wanted) {
  Scenario changed = scenario;
  each_stage(changed, [&](Stage& stage) {
    const auto found =
        std::ranges::find_if(stage.otherwise, [&](const Stage& other) { return wanted(stage, other); });
    if (found == stage.otherwise.end()) return;
    const Stage other = *found;
    stage = other;
  });
  return changed;
}

}  // namespace

std::vector<Changed> other_stages(const Request& request) {
  std::set<std::string> labels;
  std::vector<Changed> all;
  Scenario before = request.scenario;
  each_stage(before, [&](const Stage& stage) {
    for (const Stage& other : stage.otherwise) {
      const std::string label = way_words(stage, other);
      if (by_numpy(other) || !labels.insert(label).second) continue;
      all.push_back(
          one_board(label, with_other_ways(request.scenario, [&](const Stage& from, const Stage& to) {
                      return from.name == stage.name && way_words(from, to) == label;
                    })));
    }
  });
  return all;
}

std::optional<Changed> stages_in_cpp(const Request& request) {
  std::set<std::string> names;
  Scenario changed = with_other_ways(request.scenario, [&](const Stage& from, const Stage& to) {
    const bool takes = by_numpy(from) && on_core(to) && !by_numpy(to);
    if (takes) names.insert(from.name);
    return takes;
  });
  if (names.size() < 2) return std::nullopt;  // else it is one of other_stages()
  return one_board("stages in C++, not numpy", std::move(changed));
}

std::optional<Changed> stages_on_gpu(const Request& request) {
  std::set<std::string> names;
  Scenario changed = with_other_ways(request.scenario, [&](const Stage& from, const Stage& to) {
    if (to.on_gpu) names.insert(from.name);
    return to.on_gpu;
  });
  if (names.size() < 2) return std::nullopt;
  return one_board("stages on the GPU", std::move(changed));
}

std::optional<Changed> overlapping_stages(const Request& request) {
  constexpr std::int64_t under_way = 2;
  Scenario scenario = request.scenario;
  bool any = false;
  for (ProcessEntry& process : scenario.processes) {
    bool beside = false;  // something to overlap with the GPU
    for (const auto* const stages : {&process.around.before, &process.around.after})
      for (const Stage& stage : *stages) beside = beside || !stage.on_gpu;
    if (!beside || process.around.overlap > 0) continue;
    process.around.overlap = under_way;
    any = true;
  }
  if (!any) return std::nullopt;
  return one_board("stages that overlap", std::move(scenario));
}

}  // namespace jostle::analyses
