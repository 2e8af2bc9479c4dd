#include "analyses/study/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/metrics/metric.hpp"
#include "analyses/study/study.hpp"
#include "input/printable.hpp"
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
namespace {

// A number as written: digits · 10^-decimals, and its unit.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
  std::string unit;
};

constexpr std::size_t max_digits = 15;  // keeps sums within 64 bits
constexpr int max_exponent = 18;

// The exponent of a number from its last part ("e+03" of "1.8e+03"); 0 if there is none.
int exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(text.substr(1).starts_with('+') ? 2 : 1);
  int exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return read.ec == std::errc{} ? std::clamp(exponent, -2 * max_exponent, 2 * max_exponent)
                                : 2 * max_exponent;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  const auto number = input::leading_number(text);
  if (!number || number->rest.find_first_of("-.") == 0) return std::nullopt;
  const std::string_view numeral = text.substr(0, text.size() - number->rest.size());
  const std::size_t end = std::min(numeral.find_first_of("eE"), numeral.size());
  std::string digits(numeral.substr(0, end));
  Decimal decimal;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    decimal.decimals = static_cast<int>(digits.size() - point - 1);
    if (decimal.decimals == 0) return std::nullopt;
    digits.erase(point, 1);
  }
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (digits.empty() || digits.size() > max_digits) return std::nullopt;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    decimal.digits = 10 * decimal.digits + (c - '0');
  }
  if (negative) decimal.digits = -decimal.digits;
  decimal.decimals -= exponent_of(numeral.substr(end));
  if (std::abs(decimal.decimals) > max_exponent) return std::nullopt;
  std::string_view unit = number->rest;
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  decimal.unit = unit;
  return decimal;
}

// Scales the number to more decimals. Returns false if sums could overflow.
bool scale(Decimal& decimal, int decimals) {
  constexpr std::int64_t largest = 100'000'000'000'000'000;
  for (; decimal.decimals < decimals; ++decimal.decimals) {
    if (decimal.digits > largest || decimal.digits < -largest) return false;
    decimal.digits *= 10;
  }
  return true;
}

std::string written(std::int64_t digits, int decimals, const std::string& unit) {
  std::string text = fmt::format("{:0{}d}", digits < 0 ? -digits : digits, decimals + 1);
  if (decimals > 0) {
    text.insert(text.size() - static_cast<std::size_t>(decimals), ".");
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  if (digits < 0) text.insert(0, "-");
  return unit.empty() ? text : text + " " + unit;
}

std::optional<Decimal> read_decimal(const Cursor& at) {
  const std::string* const text = at.scalar("a number, with its unit if it has one");
  if (text == nullptr) return std::nullopt;
  const auto decimal = parse_decimal(*text);
  if (!decimal) at.expected("a decimal number, with its unit if it has one");
  return decimal;
}

std::vector<input::Node> read_range(const Cursor& at) {
  input::Mapping mapping(at, "a list, or {start, stop, step}");
  Decimal start, stop, step;
  bool good = mapping.required("start", start, read_decimal);
  good &= mapping.required("stop", stop, read_decimal);
  good &= mapping.required("step", step, read_decimal);
  if (!good) return {};
  if (start.unit != stop.unit || start.unit != step.unit) {
    at.problem(
        fmt::format("start, stop and step have the units '{}', '{}' and '{}'", input::printable(start.unit),
                    input::printable(stop.unit), input::printable(step.unit)),
        "write all three in the same unit");
    return {};
  }
  const int decimals = std::max({0, start.decimals, stop.decimals, step.decimals});
  if (!scale(start, decimals) || !scale(stop, decimals) || !scale(step, decimals)) {
    at.problem("too many digits");
    return {};
  }
  if (step.digits <= 0) {
    at.problem("step must be positive");
    return {};
  }
  if (stop.digits < start.digits) {
    at.problem("stop is below start");
    return {};
  }
  const auto count = static_cast<std::size_t>((stop.digits - start.digits) / step.digits) + 1;
  if (count > max_axis_values) {
    at.problem(fmt::format("{} values, at most {} are allowed", count, max_axis_values));
    return {};
  }
  std::vector<input::Node> values;
  for (std::size_t i = 0; i < count; ++i) {
    auto value = std::make_shared<input::Value>();
    value->kind = input::Kind::scalar;
    value->location = at.location();
    value->text = written(start.digits + static_cast<std::int64_t>(i) * step.digits, decimals, start.unit);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

std::vector<input::Node> read_axis_values(const Cursor& at) {
  if (at.is(input::Kind::mapping)) return read_range(at);
  if (!at.is(input::Kind::sequence)) {
    at.expected("a list of values, or {start, stop, step}");
    return {};
  }
  if (at.value().children.empty())
    at.problem("no values", "remove the key to keep the value of the scenario");
  std::vector<input::Node> values;
  for (const Cursor& item : at.items("a list of values", max_axis_values)) values.push_back(item.node());
  return values;
}

}  // namespace jostle::analyses
