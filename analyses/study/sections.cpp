#include "analyses/study/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/study/axis_values.hpp"
#include "analyses/study/study.hpp"
#include "input/readers.hpp"
#include "input/units.hpp"
#include "scenarios/language/keys.hpp"

namespace jostle::analyses {

using input::Cursor;
using input::Mapping;

std::vector<Constraint> read_constraint_list(const Cursor& at) {
  return scenarios::read_constraint_list(
      at, [](const Cursor& here, const std::string& metric) -> std::optional<MetricUnit> {
        if (metric == "headroom")
          here.problem("headroom is not a metric of results",
                       "give it to the section: plan: {headroom: 20 %}");
        else if (check_metric(here, metric))
          return metric_unit(metric);
        return std::nullopt;
      });
}

namespace {

constexpr double longest_life_h = 1e6, most_usd = 1e6;

}  // namespace

double Costs::per_hour(double price_usd, double watts) const {
  return price_usd / life_h + watts / 1e3 * energy_usd_per_kwh;
}

void read_energy_price(input::Mapping& mapping, double& usd_per_kwh) {
  mapping.optional("energy_price", usd_per_kwh,
                   input::Quantity{input::price_per_energy_dimension(), 0, most_usd});
}

void read_costs(input::Mapping& mapping, Costs& costs) {
  mapping.optional("life", costs.life_h,
                   input::Quantity{input::service_life_dimension(), 0, longest_life_h, true});
  read_energy_price(mapping, costs.energy_usd_per_kwh);
}

scenarios::Metric per_million(double usd_per_h, double images_per_s) {
  if (!(images_per_s > 0)) return std::nullopt;
  return usd_per_h / (images_per_s * 3600) * 1e6;
}

// Reads the section `plan` of a study.

void read_headroom(input::Mapping& mapping, double& headroom) {
  constexpr double most_headroom = 0.9;
  mapping.optional("headroom", headroom, input::Quantity{input::share_dimension(), 0, most_headroom});
}

void read_plan(const input::Cursor& at, Study& study) {
  constexpr double least_indifference = 1e-4, most_indifference = 0.5;
  constexpr double least_confidence = 0.5, most_confidence = 0.9999;
  constexpr double most_effort = 1e6;
  input::Mapping mapping(at, "a mapping: indifference, confidence, effort, headroom, energy_price");
  mapping.optional("indifference", study.plan.indifference,
                   input::Quantity{input::share_dimension(), least_indifference, most_indifference});
  mapping.optional("confidence", study.plan.confidence,
                   input::Quantity{input::share_dimension(), least_confidence, most_confidence});
  double effort = 0;
  if (mapping.optional("effort", effort, input::Real{0, most_effort})) study.plan.effort = effort;
  read_headroom(mapping, study.plan.headroom);
  read_energy_price(mapping, study.plan.energy_usd_per_kwh);
}

// Reads the section `offload` of a study.

namespace {

constexpr std::size_t max_grid_points = 10'000;
constexpr std::int64_t max_boards = 1024;
constexpr double dearest = 1e12;

// Reads one value, a list or a range. The values are sorted, without duplicates.
template <class T, class Reader>
struct Values {
  Reader read;

  std::optional<std::vector<T>> operator()(const Cursor& at) const {
    std::vector<input::Node> nodes{at.node()};
    if (!at.is(input::Kind::scalar)) nodes = read_axis_values(at);
    std::vector<T> values;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool listed = at.is(input::Kind::sequence);
      const auto value =
          read(Cursor(nodes[i], listed ? fmt::format("{}.{}", at.path(), i) : at.path(), at.problems()));
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    if (values.empty()) return std::nullopt;  // the problem was already added
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }
};

void read_prices(const Cursor& at, OffloadPrices& prices) {
  Mapping mapping(at, "a mapping of prices: board, cloud, link");
  mapping.optional("board", prices.board, input::Quantity{input::price_dimension(), 0, dearest});
  mapping.optional("cloud", prices.cloud_per_hour,
                   input::Quantity{input::price_per_time_dimension(), 0, dearest});
  mapping.optional("link", prices.link_per_gb,
                   input::Quantity{input::price_per_size_dimension(), 0, dearest});
}

}  // namespace

void read_offload(const Cursor& at, Study& study) {
  OffloadSection section;
  Mapping mapping(at, "a mapping: cloud, link, payload, boards, price, life, energy_price");
  if (const auto cloud = mapping.require("cloud")) {
    section.cloud = cloud->node();
    if (!cloud->is(input::Kind::mapping)) cloud->expected("a cloud: a mapping with device and processes");
  }
  mapping.optional("payload", section.link.payload, scenarios::PayloadReader{});
  if (const auto link_at = mapping.require("link")) {
    Mapping link(*link_at, "a mapping: bandwidth, rtt, jitter, loss, energy_per_bit");
    link.required("bandwidth", section.bandwidths,
                  Values<double, input::Quantity>{scenarios::link_bandwidth()});
    link.required("rtt", section.rtts,
                  Values<sim::Duration, profiles::TimeSpan>{scenarios::up_to(scenarios::max_round_trip)});
    scenarios::KeyReader<scenarios::Link> rows{link, section.link};
    scenarios::link_quality(rows);
    if (section.bandwidths.size() * section.rtts.size() > max_grid_points)
      link_at->problem(fmt::format("{} points of bandwidth and rtt, at most {} are allowed",
                                   section.bandwidths.size() * section.rtts.size(), max_grid_points));
  }
  mapping.optional("boards", section.boards, Values<std::int64_t, input::Integer>{{1, max_boards}});
  if (const auto price = mapping.find("price")) read_prices(*price, section.prices);
  read_costs(mapping, section.costs);
  study.offload = std::move(section);
}

}  // namespace jostle::analyses
