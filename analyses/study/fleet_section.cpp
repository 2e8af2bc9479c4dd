// Reads the section `fleet` of a study.
#include "analyses/study/fleet_section.hpp"

#include <algorithm>

#include "analyses/study/study.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "input/units.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;
using input::Mapping;

constexpr std::int64_t max_cameras = 1'000'000;
constexpr std::size_t max_board_types = 64;
constexpr double min_rate = 1e-6, max_rate = 1e4;  // frames/s of a camera
constexpr double max_price = 1e12;

void read_prices(const Cursor& at, FleetSection& fleet) {
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
    board->price = input::Real{0, max_price}(price);
  }
}

}  // namespace

void read_fleet(const Cursor& at, Study& study) {
  FleetSection fleet;
  Mapping mapping(at, "a mapping: cameras, rate, boards, price, constraints");
  mapping.required("cameras", fleet.cameras, input::Integer{1, max_cameras});
  mapping.required("rate", fleet.rate_per_s,
                   input::Quantity{.dimension = input::rate_dimension(),
                                   .least = min_rate,
                                   .most = max_rate,
                                   .reason = "the longest run lasts 1000000 s"});
  Axis devices{"device", {}};
  if (const auto boards = mapping.require("boards")) {
    for (const Cursor& board : boards->items("a list of boards", max_board_types)) {
      const std::string* const name = board.scalar("a board");
      if (name == nullptr) continue;
      if (std::ranges::find(fleet.boards, *name, &FleetBoard::device) != fleet.boards.end())
        board.problem("is listed twice");
      fleet.boards.push_back({*name, {}});
      devices.values.push_back(board.node());
    }
    if (devices.values.empty()) boards->problem("no board");
  }
  if (const auto price = mapping.find("price")) read_prices(*price, fleet);
  if (const auto constraints = mapping.find("constraints"))
    fleet.constraints = read_constraint_list(*constraints);
  if (std::ranges::find(study.axes, "device", &Axis::key) != study.axes.end())
    at.problem("fleet.boards sets the values of `device`", "remove device from sweep");
  if (!devices.values.empty()) study.axes.push_back(std::move(devices));
  study.fleet = std::move(fleet);
}

}  // namespace jostle::analyses
