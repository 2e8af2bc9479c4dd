// The search behind `jostle plan`, on functions whose optimum is known.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "analyses/plan/search.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

SearchDimension ordered(std::size_t size) {
  SearchDimension dimension{size, {}};
  for (std::size_t i = 0; i < size; ++i)
    dimension.position.push_back(static_cast<double>(i) / static_cast<double>(size - 1));
  return dimension;
}

SearchSpace grid(std::vector<SearchDimension> dimensions) {
  std::vector<Coordinates> points{{}};
  for (const SearchDimension& dimension : dimensions) {
    std::vector<Coordinates> longer;
    for (const Coordinates& point : points) {
      for (std::size_t value = 0; value < dimension.size; ++value) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return {std::move(dimensions), std::move(points)};
}

struct Found {
  std::vector<Evaluation> all;   // of every point
  std::vector<Evaluation> seen;  // of those looked at
  bool exhausted = false;
};

using Function = std::function<Evaluation(const Coordinates&)>;

Found found_in(const SearchSpace& space, const std::vector<Criterion>& criteria,
               const SearchSettings& settings, const Function& function) {
  Found found;
  for (std::size_t i = 0; i < space.size(); ++i) found.all.push_back(function(space[i]));
  Search search(space, criteria, settings);
  std::set<std::size_t> asked;
  for (auto next = search.next(); !next.empty(); next = search.next()) {
    for (const std::size_t point : next) {
      EXPECT_TRUE(asked.insert(point).second) << "asked twice";
      found.seen.push_back(found.all[point]);
      search.record_evaluation(point, found.all[point]);
    }
  }
  EXPECT_LE(asked.size(), settings.max_evaluations);
  found.exhausted = search.exhausted();
  return found;
}

double best_value(const std::vector<Criterion>& criteria, const std::vector<Evaluation>& seen) {
  const auto best = best_of(criteria, seen);
  return best ? (*seen[*best])[0] : std::nan("");
}

// Images a second and watts of something like a board: clocks, batch, kind.
Evaluation board_like(const Coordinates& at) {
  const double gpu = 0.3 + 0.05 * static_cast<double>(at[0]), cpu = 0.4 + 0.06 * static_cast<double>(at[1]);
  const double batch = std::pow(2.0, static_cast<double>(at[2]));
  const double kind = at[3] == 0 ? 1.0 : at[3] == 1 ? 1.7 : 0.6;
  const double time = std::max(2.0 * batch / (gpu * kind) + 1.0 / gpu, (1.5 + 0.1 * batch) / cpu);
  const double rate = 1000 * batch / time;
  const double watts = 3 + 8 * gpu * gpu * kind * std::min(1.0, 0.4 + 0.1 * batch) + 4 * cpu * cpu * cpu;
  return std::vector<double>{rate, watts};
}

SearchSpace board_space() {
  return grid({ordered(15), ordered(16), ordered(7), {3, {}}, {2, {}}});  // the last moves nothing
}

TEST(PlanSearch, finds_the_optimum_of_ten_thousand_points_within_one_percent_by_a_tenth_of_them) {
  const SearchSpace space = board_space();
  ASSERT_GE(space.size(), 10'000u);
  const std::vector<Criterion> criteria{{true, {}}, {false, 9.0}};
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Found found =
        found_in(space, criteria, {.max_evaluations = space.size() / 10, .seed = seed}, board_like);
    const double best = best_value(criteria, found.all);
    EXPECT_NEAR(best_value(criteria, found.seen), best, 0.01 * best);
    EXPECT_TRUE(found.exhausted);
  }
}

TEST(PlanSearch, finds_the_optimum_in_spite_of_noise_of_one_percent) {
  const SearchSpace space = board_space();
  const std::vector<Criterion> criteria{{true, {}}, {false, 9.0}};
  const Function noisy = [](const Coordinates& at) {
    Evaluation seen = board_like(at);
    std::uint64_t hash = 1469598103934665603ULL;
    for (const std::size_t value : at) hash = (hash ^ value) * 1099511628211ULL;
    seen->front() *= 1 + 0.01 * (static_cast<double>(hash >> 11) * 0x1p-53 - 0.5);
    return seen;
  };
  const Found found = found_in(space, criteria, {.max_evaluations = space.size() / 10}, noisy);
  EXPECT_NEAR(best_value(criteria, found.seen), best_value(criteria, found.all),
              0.01 * best_value(criteria, found.all));
}

TEST(PlanSearch, covers_the_front_of_two_objectives) {
  const SearchSpace space = grid({ordered(15), ordered(16), ordered(7), {3, {}}});
  const std::vector<Criterion> criteria{{true, {}}, {false, {}}};
  const Found found = found_in(space, criteria, {.max_evaluations = space.size() / 10}, board_like);
  // Each point of the true front is nearly reached in both objectives by one that was looked at.
  for (const std::size_t i : front_of(criteria, found.all)) {
    const std::vector<double>& wanted = *found.all[i];
    const bool reached = std::ranges::any_of(found.seen, [&](const Evaluation& seen) {
      return (*seen)[0] >= wanted[0] * 0.96 && (*seen)[1] <= wanted[1] * 1.04;
    });
    EXPECT_TRUE(reached) << wanted[0] << " images/s, " << wanted[1] << " W";
  }
}

TEST(PlanSearch, finds_the_only_corner_that_keeps_a_hard_limit) {
  const SearchSpace space = board_space();
  const std::vector<Criterion> criteria{{true, {}}, {false, 3.95}};
  const Found found = found_in(space, criteria, {.max_evaluations = space.size() / 10}, board_like);
  const double best = best_value(criteria, found.all);
  ASSERT_FALSE(std::isnan(best));
  EXPECT_NEAR(best_value(criteria, found.seen), best, 0.01 * best);
}

TEST(PlanSearch, never_takes_a_point_without_figures_for_the_best) {
  const SearchSpace space = grid({ordered(20), ordered(20)});
  const std::vector<Criterion> criteria{{true, {}}};
  const Found found =
      found_in(space, criteria, {.max_evaluations = 120}, [](const Coordinates& at) -> Evaluation {
        if (at[0] + at[1] > 20) return std::nullopt;  // does not fit
        return std::vector<double>{1.0 + static_cast<double>(at[0]) + 0.5 * static_cast<double>(at[1])};
      });
  EXPECT_NEAR(best_value(criteria, found.seen), best_value(criteria, found.all), 0.26);
}

TEST(PlanSearch, ends_where_nothing_has_figures) {
  const SearchSpace space = grid({ordered(10), ordered(10)});
  const Found found = found_in(space, {{true, {}}}, {.max_evaluations = 60},
                               [](const Coordinates&) -> Evaluation { return std::nullopt; });
  EXPECT_EQ(found.seen.size(), 60u);
}

TEST(PlanSearch, of_one_point_asks_for_it) {
  const SearchSpace space = grid({});
  const Found found = found_in(space, {{true, {}}}, {.max_evaluations = 10},
                               [](const Coordinates&) -> Evaluation { return std::vector<double>{1.0}; });
  EXPECT_EQ(found.seen.size(), 1u);
}

rc::Gen<std::vector<Evaluation>> some_seen() {
  return rc::gen::container<std::vector<Evaluation>>(rc::gen::exec([]() -> Evaluation {
    if (*rc::gen::inRange(0, 10) == 0) return std::nullopt;
    return std::vector<double>{static_cast<double>(*rc::gen::inRange(0, 8)),
                               static_cast<double>(*rc::gen::inRange(0, 8)),
                               static_cast<double>(*rc::gen::inRange(0, 8))};
  }));
}

RC_GTEST_PROP(ParetoFront, holds_what_nothing_betters_and_nothing_else, ()) {
  const std::vector<Criterion> criteria{{true, {}}, {false, {}}, {false, 5.0}};
  const std::vector<Evaluation> seen = *some_seen();
  const std::vector<std::size_t> front = front_of(criteria, seen);
  const auto as_good = [&](std::size_t a, std::size_t b) {
    return (*seen[a])[0] >= (*seen[b])[0] && (*seen[a])[1] <= (*seen[b])[1];
  };
  const std::set<std::size_t> in(front.begin(), front.end());
  RC_ASSERT(in.size() == front.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i] || !meets_limits(criteria, *seen[i])) {
      RC_ASSERT(!in.contains(i));
      continue;
    }
    bool other = false;
    for (const std::size_t j : front) other |= j != i && as_good(j, i);
    RC_ASSERT(in.contains(i) != other);
  }
}

RC_GTEST_PROP(BestOf, is_on_the_front_of_its_ties_and_within_the_tie_of_the_best_first_objective, ()) {
  const std::vector<Criterion> criteria{{true, {}}, {false, {}}, {false, 5.0}};
  const std::vector<Evaluation> seen = *some_seen();
  const auto best = best_of(criteria, seen);
  const auto front = front_of(criteria, seen);
  RC_ASSERT(best.has_value() == !front.empty());
  if (best) RC_ASSERT((*seen[*best])[0] >= (1 - tie) * (*seen[front.front()])[0]);
}

RC_GTEST_PROP(GaussianProcessLaw, bound_has_the_same_mean_and_no_less_deviation, ()) {
  const SearchSpace space = grid({ordered(6), ordered(5), {3, {}}});
  GaussianProcess process(space);
  const auto count = *rc::gen::inRange<std::size_t>(1, 30);
  std::set<std::size_t> points;
  while (points.size() < count) points.insert(*rc::gen::inRange<std::size_t>(0, space.size()));
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(*rc::gen::inRange(-100, 100) / 10.0);
  process.fit({points.begin(), points.end()}, values);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto exact = process.at(i), bound = process.bound(i);
    RC_ASSERT(std::abs(exact.mean - bound.mean) <= 1e-9 * (1 + std::abs(exact.mean)));
    RC_ASSERT(bound.deviation >= exact.deviation - 1e-9);
  }
}

TEST(GaussianProcess, gives_back_what_it_learnt_and_is_less_sure_far_from_it) {
  const SearchSpace space = grid({ordered(21)});
  GaussianProcess process(space);
  std::vector<std::size_t> points;
  std::vector<double> values;
  for (std::size_t i = 0; i <= 10; i += 2) {
    points.push_back(i);
    values.push_back(std::sin(0.3 * static_cast<double>(i)));
  }
  process.fit(points, values);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(process.at(points[i]).mean, values[i], 0.02);
  EXPECT_NEAR(process.at(5).mean, std::sin(1.5), 0.05);
  EXPECT_GT(process.at(20).deviation, 3 * process.at(5).deviation);
}

TEST(GaussianProcess, draws_agree_with_what_it_expects) {
  const SearchSpace space = grid({ordered(9)});
  GaussianProcess process(space);
  process.fit({0, 4, 8}, {1.0, 2.0, 0.5});
  sim::RandomStream random(1, "test");
  constexpr int draws = 4000;
  double sum = 0, square = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = process.sample({2, 4, 6}, random).front();
    sum += value / draws;
    square += value * value / draws;
  }
  const auto expected = process.at(2);
  EXPECT_NEAR(sum, expected.mean, 4 * expected.deviation / std::sqrt(draws));
  EXPECT_NEAR(std::sqrt(square - sum * sum), expected.deviation, 0.06 * expected.deviation);
}

RC_GTEST_PROP(SearchSpaceLaw, neighbours_are_mutual_and_differ_in_one_dimension, ()) {
  const SearchSpace space = grid({ordered(4), {3, {}}, ordered(2)});
  const auto point = *rc::gen::inRange<std::size_t>(0, space.size());
  for (const std::size_t other : space.neighbours(point)) {
    std::size_t differing = 0;
    for (std::size_t d = 0; d < 3; ++d) differing += space[point][d] != space[other][d] ? 1 : 0;
    RC_ASSERT(differing == 1u);
    const auto back = space.neighbours(other);
    RC_ASSERT(std::ranges::find(back, point) != back.end());
  }
}

TEST(PlanSearch, tells_what_each_dimension_alone_costs_at_the_best_point) {
  const SearchSpace space = grid({ordered(3), ordered(2), ordered(2)});
  std::map<std::size_t, double> values;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Coordinates& at = space[i];
    values[i] =
        100 - 10 * static_cast<double>(at[0]) - 40 * static_cast<double>(at[1]);  // at[2] does nothing
  }
  const auto found = effects_alone(space, {.maximise = true, .limit = {}}, values, 0, 0.01);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(space[found[0].point], (Coordinates{0, 1, 0}));
  EXPECT_DOUBLE_EQ(found[0].value, 60);
  EXPECT_DOUBLE_EQ(found[0].change, 0.4);
  EXPECT_EQ(space[found[1].point], (Coordinates{2, 0, 0})) << "the worst value of the dimension";
  EXPECT_DOUBLE_EQ(found[1].change, 0.2);
  // Points that were not evaluated are nobody's effect, and those that are better are none either.
  values.erase(found[0].point);
  EXPECT_EQ(effects_alone(space, {.maximise = true, .limit = {}}, values, 0, 0.01).size(), 1u);
  EXPECT_TRUE(effects_alone(space, {.maximise = false, .limit = {}}, values, 0, 0.01).empty());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
