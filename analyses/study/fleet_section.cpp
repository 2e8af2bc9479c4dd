// Reads the section `fleet` of a study.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "analyses/study/sections.hpp"
#include "analyses/study/study.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/arrival_trace.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;
using input::Mapping;

constexpr std::int64_t max_cameras = 1'000'000;
constexpr std::size_t max_board_types = 64;
constexpr double min_rate = 1e-6, max_rate = 1e4;  // frames/s per camera
constexpr double max_price = 1e12, max_host_w = 1e5;
constexpr std::int64_t max_spare = 100;

// Reads a mapping from boards to values: with `reader` into a member of each, or as they are.
template <class Take>
void read_by_board(Mapping& mapping, const char* key, FleetSection& fleet, const Take& take) {
  const auto at = mapping.find(key);
  if (!at) return;
  if (!at->is(input::Kind::mapping)) return at->expected("a mapping from boards to values");
  std::vector<std::string> names;
  for (const FleetBoard& board : fleet.boards) names.push_back(board.device);
  for (const input::Key& named : at->value().keys) {
    const Cursor value(at->value().find(named.name), at->path() + "." + input::printable(named.name),
                       at->problems());
    const auto board = std::ranges::find(fleet.boards, named.name, &FleetBoard::device);
    if (board == fleet.boards.end())
      at->problems().add(named.location, value.path(), "is not one of the boards",
                         input::spelling_hint(named.name, names));
    else
      take(*board, value);
  }
}

// The rate of the busiest hour of a trace over that of all of it; the trace lasts an hour or more.
double busiest_hour(const std::vector<sim::Time>& times) {
  const sim::Duration hour = sim::seconds(3600);
  std::size_t most = 0;
  for (std::size_t first = 0, last = 0; last < times.size(); ++last) {
    while (times[last] - times[first] >= hour) ++first;
    most = std::max(most, last - first + 1);
  }
  const double hours = sim::to_seconds(times.back() - times.front()) / 3600;
  return std::max(1.0, static_cast<double>(most) * hours / static_cast<double>(times.size()));
}

// A factor, or the file of a day's arrival times.
void read_peak(const Cursor& at, const Study& study, double& peak) {
  constexpr double most_peak = 1000;
  const std::string* const text = at.scalar("a factor, or a file of arrival times");
  if (text == nullptr) return;
  if (!input::is_path(*text) && !text->ends_with(".csv")) {
    peak = input::Real{1, most_peak}(at).value_or(1);
    return;
  }
  const auto times =
      scenarios::read_arrival_trace((std::filesystem::path(study.directory) / *text).string(), at.problems());
  if (!times) return;
  if (times->empty() || times->back() - times->front() < sim::seconds(3600))
    return at.problem("the trace is shorter than an hour", "a day of arrivals, or a factor such as 2.5");
  peak = busiest_hour(*times);
}

bool names_modes(const Study& study) {
  constexpr const char* key = "power_mode";
  return (study.scenario && study.scenario->find(key)) ||
         std::ranges::any_of(study.axes, [&](const Axis& axis) { return axis.key.starts_with(key); });
}

// The names of the board's power modes as values of an axis. A single empty value for a board without modes,
// or one that cannot be read (which the check of the points reports).
std::vector<input::Node> modes_of(const input::Node& board, const Study& study) {
  const std::string path = input::is_path(board->text)
                               ? (std::filesystem::path(study.directory) / board->text).string()
                               : std::string();
  input::Problems ignored;
  const auto spec = scenarios::shipped_catalogue().device(board->text, path, ignored);
  std::vector<input::Node> modes;
  const auto add = [&](input::Value value) {
    value.location = board->location;
    modes.push_back(std::make_shared<const input::Value>(std::move(value)));
  };
  if (spec) {
    for (const board::PowerMode& mode : spec->power_modes) {
      input::Value name;
      name.kind = input::Kind::scalar;
      name.text = mode.name;
      name.quoted = true;
      add(std::move(name));
    }
  }
  if (modes.empty()) add({});
  return modes;
}

// Adds the axes for the boards, given as one value each, with the links of those that have one.
void add_axes(const std::vector<input::Node>& boards, const std::map<std::string, input::Node>& links,
              FleetSection& fleet, Study& study) {
  if (boards.empty()) return;
  fleet.every_mode = !names_modes(study);
  Axis devices{"device", {}}, modes{"power_mode", {}}, behind{"link", {}};
  const auto none = std::make_shared<const input::Value>();
  for (const input::Node& board : boards) {
    const auto link = links.find(board->text);
    const auto own = fleet.every_mode ? modes_of(board, study) : std::vector<input::Node>{none};
    for (const input::Node& mode : own) {
      devices.values.push_back(board);
      modes.values.push_back(mode);
      behind.values.push_back(link == links.end() ? none : link->second);
    }
  }
  Dimension together{{}, devices.values.size()};
  const auto add = [&](Axis& axis) {
    together.axes.push_back(study.axes.size());
    study.axes.push_back(std::move(axis));
  };
  add(devices);
  if (fleet.every_mode) add(modes);
  if (!links.empty()) add(behind);
  study.dimensions.push_back(std::move(together));
}

}  // namespace

void read_fleet(const Cursor& at, Study& study) {
  FleetSection fleet;
  Mapping mapping(at,
                  "a mapping: cameras, rate, peak, spare, boards, link, price, price_per_hour, host_power, "
                  "life, energy_price, headroom, constraints");
  mapping.required("cameras", fleet.cameras, input::Integer{1, max_cameras});
  mapping.required("rate", fleet.rate_per_s,
                   input::Quantity{.dimension = input::rate_dimension(),
                                   .least = min_rate,
                                   .most = max_rate,
                                   .reason = "the longest run lasts 1000000 s"});
  if (const auto peak = mapping.find("peak")) read_peak(*peak, study, fleet.peak);
  mapping.optional("spare", fleet.spare, input::Integer{0, max_spare});
  std::vector<input::Node> devices;
  if (const auto boards = mapping.require("boards")) {
    for (const Cursor& board : boards->items("a list of boards", max_board_types)) {
      const std::string* const name = board.scalar("a board");
      if (name == nullptr) continue;
      if (std::ranges::find(fleet.boards, *name, &FleetBoard::device) != fleet.boards.end())
        board.problem("is listed twice");
      fleet.boards.push_back({*name, {}, {}, {}});
      devices.push_back(board.node());
    }
    if (devices.empty()) boards->problem("no board");
  }
  const auto member = [&](const char* key, std::optional<double> FleetBoard::*into, const auto& reader) {
    read_by_board(mapping, key, fleet,
                  [&](FleetBoard& board, const Cursor& value) { board.*into = reader(value); });
  };
  member("price", &FleetBoard::price, input::Real{0, max_price});
  member("price_per_hour", &FleetBoard::per_hour, input::Real{0, max_price});
  member("host_power", &FleetBoard::host_w, input::Quantity{input::power_dimension(), 0, max_host_w});
  std::map<std::string, input::Node> links;
  read_by_board(mapping, "link", fleet,
                [&](FleetBoard& board, const Cursor& value) { links[board.device] = value.node(); });
  read_costs(mapping, fleet.costs);
  read_headroom(mapping, fleet.headroom);
  if (const auto constraints = mapping.find("constraints"))
    fleet.constraints = read_constraint_list(*constraints);
  for (const char* const key : {"device", "link"})
    if (std::ranges::find(study.axes, key, &Axis::key) != study.axes.end() &&
        (key == std::string_view("device") || !links.empty()))
      at.problem(fmt::format("the boards of the fleet set the values of `{}`", key),
                 fmt::format("remove {} from sweep", key));
  if (!links.empty() && study.scenario && study.scenario->find("link"))
    at.problem("the scenario has a link too", "leave one of them out");
  add_axes(devices, links, fleet, study);
  study.fleet = std::move(fleet);
}

}  // namespace jostle::analyses
