// The names that scenarios choose from, by kind: for schemas, completion and spelling.
#include <algorithm>
#include <stdexcept>

#include "analyses/schema/schema.hpp"
#include "models/media/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/stage_costs.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::analyses {
namespace {

using List = std::vector<std::string>;

template <const auto& (*names)()>
List of() {
  List list;
  for (const auto& [name, value] : names()) list.push_back(name);
  return list;
}

List stage_processors() {
  List list{"cpu", "gpu"};
  for (const auto& name : media::kind_names) list.emplace_back(name);
  return list;
}

// The ways and the processors of a word for a stage.
List ways_of(std::string_view word) {
  List list;
  for (const profiles::StageCost& cost : profiles::stage_costs()) {
    if (cost.word != word) continue;
    for (const std::string& name : {cost.way, cost.on})
      if (!name.empty() && std::ranges::find(list, name) == list.end()) list.push_back(name);
  }
  if (word == "nms") list.emplace_back("engine");
  return list;
}

struct Words {
  std::string_view what;  // kind: "precision", "device"
  List (*list)();
};
constexpr Words table[] = {{"device", [] { return profiles::device_names(); }},
                           {"model", [] { return scenarios::shipped_catalogue().models; }},
                           {"precision", of<scenarios::precision_names>},
                           {"weight_format", of<scenarios::weight_format_names>},
                           {"runtime", of<scenarios::runtime_names>},
                           {"sync", of<scenarios::sync_names>},
                           {"placement", of<scenarios::placement_names>},
                           {"load", of<scenarios::load_names>},
                           {"sharing", of<scenarios::sharing_names>},
                           {"interleave", of<scenarios::interleave_names>},
                           {"priority", of<scenarios::priority_names>},
                           {"drop", of<scenarios::drop_names>},
                           {"fan_out", of<scenarios::fan_out_names>},
                           {"stage_processor", stage_processors}};

}  // namespace

std::vector<std::string> words(std::string_view what) {
  constexpr std::string_view of_stage = "stage ";
  if (what.starts_with(of_stage)) return ways_of(what.substr(of_stage.size()));
  const auto* const found = std::ranges::find(table, what, &Words::what);
  if (found == std::end(table)) throw std::out_of_range("no words for " + std::string(what));
  return found->list();
}

}  // namespace jostle::analyses
