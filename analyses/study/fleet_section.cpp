// Reads the section `fleet` of a study.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "analyses/study/sections.hpp"
#include "analyses/study/study.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;
using input::Mapping;

constexpr std::int64_t max_cameras = 1'000'000;
constexpr std::size_t max_board_types = 64;
constexpr double min_rate = 1e-6, max_rate = 1e4;  // frames/s per camera
constexpr double max_price = 1e12;

void read_prices(const Cursor& at, std::optional<double> FleetBoard::*into, FleetSection& fleet) {
  if (!at.is(input::Kind::mapping)) return at.expected("a mapping from boards to prices");
  std::vector<std::string> names;
  for (const FleetBoard& board : fleet.boards) names.push_back(board.device);
  for (const input::Key& key : at.value().keys) {
    const Cursor price(at.value().find(key.name), at.path() + "." + input::printable(key.name),
                       at.problems());
    const auto board = std::ranges::find(fleet.boards, key.name, &FleetBoard::device);
    if (board == fleet.boards.end()) {
      at.problems().add(key.location, price.path(), "is not one of the boards",
                        input::spelling_hint(key.name, names));
      continue;
    }
    (*board).*into = input::Real{0, max_price}(price);
  }
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

// Adds the axes for the boards, given as one value each.
void add_axes(const std::vector<input::Node>& boards, FleetSection& fleet, Study& study) {
  if (boards.empty()) return;
  fleet.every_mode = !names_modes(study);
  if (!fleet.every_mode) {
    study.axes.push_back({"device", boards});
    return;
  }
  Axis devices{"device", {}}, modes{"power_mode", {}};
  for (const input::Node& board : boards) {
    for (input::Node& mode : modes_of(board, study)) {
      devices.values.push_back(board);
      modes.values.push_back(std::move(mode));
    }
  }
  study.dimensions.push_back({{study.axes.size(), study.axes.size() + 1}, devices.values.size()});
  study.axes.push_back(std::move(devices));
  study.axes.push_back(std::move(modes));
}

}  // namespace

void read_fleet(const Cursor& at, Study& study) {
  FleetSection fleet;
  Mapping mapping(at,
                  "a mapping: cameras, rate, boards, price, price_per_hour, life, energy_price, headroom, "
                  "constraints");
  mapping.required("cameras", fleet.cameras, input::Integer{1, max_cameras});
  mapping.required("rate", fleet.rate_per_s,
                   input::Quantity{.dimension = input::rate_dimension(),
                                   .least = min_rate,
                                   .most = max_rate,
                                   .reason = "the longest run lasts 1000000 s"});
  std::vector<input::Node> devices;
  if (const auto boards = mapping.require("boards")) {
    for (const Cursor& board : boards->items("a list of boards", max_board_types)) {
      const std::string* const name = board.scalar("a board");
      if (name == nullptr) continue;
      if (std::ranges::find(fleet.boards, *name, &FleetBoard::device) != fleet.boards.end())
        board.problem("is listed twice");
      fleet.boards.push_back({*name, {}, {}});
      devices.push_back(board.node());
    }
    if (devices.empty()) boards->problem("no board");
  }
  if (const auto price = mapping.find("price")) read_prices(*price, &FleetBoard::price, fleet);
  if (const auto price = mapping.find("price_per_hour")) read_prices(*price, &FleetBoard::per_hour, fleet);
  read_costs(mapping, fleet.costs);
  read_headroom(mapping, fleet.headroom);
  if (const auto constraints = mapping.find("constraints"))
    fleet.constraints = read_constraint_list(*constraints);
  if (std::ranges::find(study.axes, "device", &Axis::key) != study.axes.end())
    at.problem("fleet.boards sets the values of `device`", "remove device from sweep");
  add_axes(devices, fleet, study);
  study.fleet = std::move(fleet);
}

}  // namespace jostle::analyses
