#include "analyses/schema/words.hpp"

#include <algorithm>
#include <stdexcept>

#include "calibration/profile/profile.hpp"
#include "models/media/spec.hpp"
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

struct Words {
  std::string_view what;  // kind: "precision", "device"
  List (*list)();
};
constexpr Words table[] = {{"device", [] { return calibration::device_names(); }},
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
  const auto* const found = std::ranges::find(table, what, &Words::what);
  if (found == std::end(table)) throw std::out_of_range("no words for " + std::string(what));
  return found->list();
}

}  // namespace jostle::analyses
