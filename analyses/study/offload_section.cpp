// Reads the section `offload` of a study.
#include "analyses/study/offload_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/study/axis_values.hpp"
#include "analyses/study/study.hpp"
#include "scenarios/language/keys.hpp"

namespace jostle::analyses {
namespace {

using input::Cursor;
using input::Mapping;

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
