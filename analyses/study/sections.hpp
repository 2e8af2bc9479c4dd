// The sections of a study beside its scenario: limits of metrics, what boards cost, `plan`, `offload` and
// `fleet`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/cursor.hpp"
#include "input/value.hpp"
#include "scenarios/language/link.hpp"
#include "scenarios/language/objective.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

using scenarios::Constraint;

// Reads a mapping from metrics to their limits.
[[nodiscard]] std::vector<Constraint> read_constraint_list(const input::Cursor& at);

// Turns prices into the costs of a service: per hour, and per million images.

// The costs of boards that are bought. Prices are in USD; a study may use another currency throughout.
struct Costs {
  double life_h = 3 * 8760;       // time over which a board's price is spread
  double energy_usd_per_kwh = 0;  // 0: energy is not counted

  // USD per hour for boards with this total price and power.
  [[nodiscard]] double per_hour(double price_usd, double watts) const;
};

// Reads `energy_price`.
void read_energy_price(input::Mapping& mapping, double& usd_per_kwh);
// Reads `life` and `energy_price`.
void read_costs(input::Mapping& mapping, Costs& costs);

// USD per million images; none if no images are served.
[[nodiscard]] scenarios::Metric per_million(double usd_per_h, double images_per_s);

// The section `plan` of a study: the required confidence of its answer (docs/planning.md).
struct Study;

struct PlanSection {
  double indifference = 0.01;  // relative difference within which objectives count as equal
  double confidence = 0.95;    // probability that the answer meets all limits
  // Limit of the simulated time of replications, relative to that of the search; none: 10, or 500 runs if
  // that is more.
  std::optional<double> effort;
  double headroom = 0;            // share of the stable rate that must stay free
  double energy_usd_per_kwh = 0;  // 0: energy has no price
};

// Reads `headroom`, a share of the stable rate, which every board must keep free.
void read_headroom(input::Mapping& mapping, double& headroom);

void read_plan(const input::Cursor& at, Study& study);

// The section `offload` of a study: a cloud that could serve the streams, and the links to it
// (docs/offload.md).
//
// Plain data, read and checked by read_offload(). The scenario of the cloud is checked later, by
// offload_question().
struct Study;

// Prices in USD. Absent: that of the edge board's or the cloud device's profile, if it has one.
struct OffloadPrices {
  std::optional<double> board;           // per edge board
  std::optional<double> cloud_per_hour;  // rent of the cloud's machine, whether busy or not
  double link_per_gb = 0;                // per 10^9 bytes over the link
};

struct OffloadSection {
  input::Node cloud;
  std::vector<double> bandwidths;    // bytes/s, ascending
  std::vector<sim::Duration> rtts;   // ascending
  scenarios::Link link;              // the other properties
  std::vector<std::int64_t> boards;  // numbers of edge boards over which streams are distributed
  OffloadPrices prices;
  Costs costs;
};

void read_offload(const input::Cursor& at, Study& study);

struct Study;

struct FleetBoard {
  std::string device;              // name or path in the file
  std::optional<double> price;     // price of a board; absent: the profile's
  std::optional<double> per_hour;  // rent of a board; absent: the profile's, unless it has a price
  std::optional<double> host_w;    // power of the server around a card; absent: not counted
};

struct FleetSection {
  std::int64_t cameras = 1;
  double rate_per_s = 0;   // frames/s per camera, the mean of a day
  double peak = 1;         // rate in the busiest hour, relative to that
  std::int64_t spare = 0;  // boards that may be lost: the others still carry all cameras
  std::vector<FleetBoard> boards;
  std::vector<Constraint> constraints;  // for every board
  Costs costs;
  double headroom = 0;      // share of the stable rate that every board must keep free
  bool every_mode = false;  // the study names no power mode, so each board has all of its own
};

// Reads the section and adds the boards to the study as an axis `device`. Unless the study sets `power_mode`,
// an axis `power_mode` varies with it: each board in each of its modes. An axis `link` does too, if boards
// stand behind links.
void read_fleet(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
