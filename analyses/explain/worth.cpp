#include "analyses/explain/worth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Metric;

constexpr std::size_t max_leading = 3;
constexpr double least_worth = 0.05;      // gain less price, relative, that a leading change must bring
constexpr double greatest_ratio = 1000;   // the most that one process counts for
constexpr double least_dropped = 0.0005;  // share of dropped requests that is named

// The logarithm of after / before; 0 if either is absent.
double log_ratio(const Change& change) {
  const auto& [before, after, half_width] = change;
  if (!before || !after || (*before <= 0 && *after <= 0)) return 0;
  const double most = std::log(greatest_ratio);
  if (*before <= 0) return most;
  if (*after <= 0) return -most;
  return std::clamp(std::log(*after / *before), -most, most);
}

// The logarithm of the ratio of rates: tokens for a language model; 0 if it may be chance.
double rate_gain(const ProcessChange& change) {
  if (change.tokens_per_s.before && change.tokens_per_s.after) return log_ratio(change.tokens_per_s);
  return change.throughput.certain() == 0 ? 0 : log_ratio(change.throughput);
}

// Sums over the processes that the change leaves in.
struct ProcessSums {
  double rate = 0, latency_gain = 0, latency_price = 0, count = 0, left_out = 0;
};

ProcessSums sums_over(const Tried& tried, const scenarios::Result& before) {
  ProcessSums sums;
  for (std::size_t i = 0; i < tried.processes.size(); ++i) {
    const ProcessChange& change = tried.processes[i];
    if (before.processes[i].status != "ok") continue;
    if (change.status == "absent") {
      ++sums.left_out;
      continue;
    }
    ++sums.count;
    sums.rate += rate_gain(change);
    if (before.processes[i].offered) {
      sums.latency_gain -= log_ratio(change.latency_ms);
    } else {
      const bool has_tail = change.p99_ms.before && change.p99_ms.after;
      sums.latency_price += std::max(0.0, log_ratio(has_tail ? change.p99_ms : change.latency_ms));
    }
  }
  return sums;
}

bool keeps_less(const Tried& tried, const scenarios::Result& before) {
  const std::vector<std::size_t> now = overloaded_in(before);
  return !tried.all_fit || std::ranges::any_of(tried.overloaded, [&](std::size_t index) {
    return std::ranges::find(now, index) == now.end();
  });
}

double dropped_share(const Tried& tried) {
  double dropped = 0, offered = 0;
  for (const scenarios::Result& result : tried.results) {
    for (const scenarios::ProcessResult& process : result.processes) {
      if (!process.offered) continue;
      offered += *process.offered * result.simulated_s;
      dropped += process.dropped_images;
    }
  }
  return offered > 0 ? dropped / offered : 0;
}

}  // namespace

double Worth::relative_gain() const {
  return std::expm1(gain);
}

Metric speed_of(const Tried& tried, const scenarios::Result& before) {
  const ProcessSums sums = sums_over(tried, before);
  if (sums.count == 0 || !tried.all_fit) return std::nullopt;
  return std::exp((sums.rate + sums.latency_gain) / sums.count);
}

Worth worth_of(const Tried& tried, const Aim& aim, const scenarios::Result& before) {
  Worth worth;
  worth.accuracy_unknown = tried.what_if.kind == ChangeKind::precision;
  worth.ruins = keeps_less(tried, before);
  worth.rescues = tried.is_stable() && (before.status != "ok" || !overloaded_in(before).empty());
  const ProcessSums sums = sums_over(tried, before);
  if (sums.count == 0) return worth;
  if (tried.gain != 0) worth.gain = (aim.more_is_better ? 1 : -1) * log_ratio(tried.objective);
  worth.latency = sums.latency_price / sums.count;
  worth.energy = std::max(0.0, log_ratio(tried.power_w) - sums.rate / sums.count);
  worth.boards = std::log(static_cast<double>(tried.results.size()) * tried.what_if.price);
  worth.given_up = std::log((sums.count + sums.left_out) / sums.count);
  return worth;
}

std::vector<std::string> prices_in_words(const Tried& tried, const scenarios::Result& before) {
  std::vector<std::string> words;
  if (tried.worth.accuracy_unknown) words.emplace_back("accuracy unknown");
  if (tried.what_if.price != 1) words.push_back(fmt::format("{:.2g} x the price", tried.what_if.price));
  if (tried.results.size() > 1) words.push_back(fmt::format("{} boards", tried.results.size()));
  if (tried.worth.given_up > 0) words.emplace_back("a process less");
  const double dropped = dropped_share(tried);
  if (tried.what_if.kind == ChangeKind::arrivals && dropped >= least_dropped)
    words.push_back(fmt::format("{:.1f} % of frames dropped", 100 * dropped));
  double offered_before = 0, offered_after = 0;
  for (const scenarios::ProcessResult& process : before.processes)
    offered_before += process.offered.value_or(0);
  for (const scenarios::Result& result : tried.results)
    for (const scenarios::ProcessResult& process : result.processes)
      offered_after += process.offered.value_or(0);
  if (tried.what_if.kind == ChangeKind::arrivals && offered_after < 0.99 * offered_before)
    words.push_back(fmt::format("{:.0f} % of frames skipped", 100 * (1 - offered_after / offered_before)));
  return words;
}

std::vector<std::size_t> leading(const std::vector<Tried>& tried) {
  const auto meets = [&](std::size_t i) { return tried[i].meets == true; };
  const auto better = [&](std::size_t a, std::size_t b) {
    const Worth &one = tried[a].worth, &other = tried[b].worth;
    if (one.rescues != other.rescues) return one.rescues;
    return meets(a) != meets(b) ? meets(a) : one.net() > other.net();
  };
  // Alternatives stand in the order of their effort: a later one must bring more, and not at a price without
  // a figure that the earlier one has less of.
  const auto worth_more_effort = [&](std::size_t later, std::size_t earlier) {
    const Worth &one = tried[later].worth, &other = tried[earlier].worth;
    if (one.rescues != other.rescues) return one.rescues;
    if (meets(later) != meets(earlier)) return meets(later);
    // In no order of effort: pairs, and formats of weights, whose accuracy is unknown alike.
    const bool weights = tried[later].what_if.name == "weights" && tried[earlier].what_if.name == "weights";
    const bool alike = weights || tried[later].what_if.kind == ChangeKind::pair;
    return one.net() > other.net() + (alike ? 0 : std::log1p(least_worth)) &&
           (weights || !(one.accuracy_unknown && other.accuracy_unknown));
  };
  std::map<ChangeKind, std::size_t> best;  // the best of each kind
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Worth& worth = tried[i].worth;
    if (tried[i].what_if.role != Role::advice || worth.ruins) continue;
    if (!worth.rescues && !meets(i) && std::expm1(worth.net()) < least_worth) continue;
    const auto [known, is_first] = best.try_emplace(tried[i].what_if.kind, i);
    if (!is_first && worth_more_effort(i, known->second)) known->second = i;
  }
  std::vector<std::size_t> order;
  for (const auto& [kind, index] : best) order.push_back(index);
  std::ranges::stable_sort(order, better);
  if (order.size() > max_leading) order.resize(max_leading);
  return order;
}

}  // namespace jostle::analyses
