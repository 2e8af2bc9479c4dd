#include "calibration/coverage/coverage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analyses/interval/basis.hpp"
#include "analyses/interval/model_error.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/kernels_for.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/scenario.hpp"
#include "sim/random.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

analyses::HeldOutRow row(const std::string& fold, double measured, const std::string& configuration) {
  return {.device = "a",
          .quantity = "throughput",
          .basis = "network",
          .fold = fold,
          .configuration = configuration,
          .value = fold + configuration,
          .measured = measured,
          .predicted = 100,
          .spread = {}};
}

TEST(Conformal, needs_nine_runs_for_nine_in_ten) {
  std::vector<analyses::Needed> needed;
  for (int i = 1; i <= 8; ++i) needed.push_back({0.01 * i, std::to_string(i)});
  EXPECT_FALSE(analyses::conformal_half_width(needed).has_value());
  needed.push_back({0.5, "9"});
  EXPECT_EQ(analyses::conformal_half_width(needed), 0.5);  // the greatest of nine
  for (int i = 10; i <= 19; ++i) needed.push_back({0.6, std::to_string(i)});
  EXPECT_EQ(analyses::conformal_half_width(needed), 0.6);  // the 18th of 19
}

TEST(Conformal, counts_the_values_of_one_run_as_one) {
  std::vector<analyses::Needed> needed;
  for (int i = 0; i < 8; ++i)
    for (int process = 0; process < 8; ++process) needed.push_back({0.1, std::to_string(i)});
  EXPECT_EQ(analyses::runs_in(needed), 8U);
  EXPECT_FALSE(analyses::conformal_half_width(needed).has_value());
  needed.push_back({0.2, "one more"});
  EXPECT_EQ(analyses::conformal_half_width(needed), 0.2);
}

// Of exchangeable values the next lies inside with a probability of exactly ceil(0.9 (n + 1)) / (n + 1).
TEST(Conformal, holds_the_next_run_as_often_as_the_theory_says) {
  sim::RandomStream random(1, "conformal");
  for (const int n : {9, 12, 19, 40}) {
    constexpr int trials = 4000;
    int inside = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<analyses::Needed> needed;
      for (int i = 0; i < n; ++i) needed.push_back({std::abs(random.normal(0, 1)), std::to_string(i)});
      inside += std::abs(random.normal(0, 1)) <= *analyses::conformal_half_width(needed) ? 1 : 0;
    }
    const double expected = std::ceil(0.9 * (n + 1) - 1e-9) / (n + 1);
    const double sd = std::sqrt(expected * (1 - expected) / trials);
    EXPECT_NEAR(static_cast<double>(inside) / trials, expected, 3.3 * sd) << n;
  }
}

TEST(Residuals, are_what_nine_runs_in_ten_need) {
  std::vector<analyses::HeldOutRow> rows;
  for (int i = 1; i <= 19; ++i)
    rows.push_back(row(std::to_string(i), 100 * std::exp(0.01 * i), std::to_string(i)));
  const auto residuals = analyses::residuals_of(rows);
  ASSERT_EQ(residuals.size(), 1U);
  EXPECT_NEAR(residuals[0].half_width, 0.18, 1e-9);
  EXPECT_EQ(residuals[0].rows, 19U);
  rows[3].spread.above = 1;  // explained by its draws
  EXPECT_EQ(rows[3].needed(), 0);
}

TEST(Residuals, count_a_value_that_was_held_out_twice_once) {
  std::vector<analyses::HeldOutRow> rows;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(row("by mode", 101, std::to_string(i)));
    rows.push_back(row("by network", 101, std::to_string(i)));
    rows[rows.size() - 2].value = rows.back().value = std::to_string(i);
  }
  EXPECT_TRUE(analyses::residuals_of(rows).empty());  // eight runs, not sixteen
}

TEST(Residuals, fall_back_to_the_next_weaker_basis_and_tell_it) {
  profiles::Uncertainty known;
  known.residuals = {{"", "throughput", "family", 0.2, 30}, {"", "throughput", "measured", 0.05, 36}};
  EXPECT_EQ(analyses::residual_for(known, "a", "throughput", "measured")->half_width, 0.05);
  EXPECT_EQ(analyses::residual_for(known, "a", "throughput", "network")->half_width, 0.2);
  EXPECT_EQ(analyses::residual_for(known, "a", "throughput", "model")->half_width, 0.2);  // the widest known
  EXPECT_EQ(analyses::origin_of(*analyses::residual_for(known, "a", "throughput", "network")),
            "30 runs of all boards (throughput, family)");
  EXPECT_FALSE(analyses::residual_for(known, "a", "power", "network").has_value());
  // The board's own on a weaker basis come before those of all boards.
  known.residuals.push_back({"a", "throughput", "family", 0.1, 9});
  known.residuals.push_back({"", "throughput", "network", 0.4, 9});
  EXPECT_EQ(analyses::residual_for(known, "a", "throughput", "network")->half_width, 0.1);
  EXPECT_EQ(analyses::residual_for(known, "b", "throughput", "network")->half_width, 0.4);
  EXPECT_EQ(analyses::residual_for(known, "a", "throughput", "measured")->half_width, 0.05);
}

TEST(Residuals, name_the_devices_that_their_runs_are_of) {
  std::vector<analyses::HeldOutRow> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(row(std::to_string(i), 101, std::to_string(i)));
  rows.back().device = "b";
  EXPECT_EQ(analyses::origin_of(analyses::residuals_of(rows).front()),
            "10 runs of a, b (throughput, network)");
  rows.back().device = "a";
  profiles::Uncertainty written;
  written.residuals = analyses::residuals_of(rows);
  const std::string csv = profiles::uncertainty_csv_header() + profiles::uncertainty_csv(written, {});
  const profiles::Uncertainty read = profiles::parse_uncertainty(csv, "u.csv", "another board");
  EXPECT_EQ(analyses::origin_of(*analyses::residual_for(read, "another board", "throughput", "model")),
            "10 runs of a (throughput, network)");
}

TEST(Residuals, of_what_runs_at_once_are_no_better_than_those_of_measured_kernels_at_once) {
  profiles::Uncertainty known;
  known.residuals = {{"", "throughput", "measured", 0.05, 36},
                     {"", "throughput", "measured beside", 0.12, 40},
                     {"", "throughput", "laws", 0.1, 80},
                     {"", "throughput", "single beside", 0.3, 36}};
  const auto width = [&](const char* basis) {
    return analyses::residual_for(known, "a", "throughput", basis)->half_width;
  };
  EXPECT_EQ(width("measured beside"), 0.12);
  EXPECT_EQ(width("laws beside"), 0.12);
  EXPECT_EQ(width("single beside"), 0.3);
  EXPECT_EQ(width("laws"), 0.1);
  known.residuals.push_back({"a", "throughput", "single", 0.15, 30});
  EXPECT_EQ(width("single"), 0.15);
  EXPECT_EQ(width("single beside"), 0.3) << "runs alone of this board say nothing of runs at once";
}

TEST(Basis, tells_what_runs_at_once_from_what_takes_turns) {
  scenarios::Scenario scenario;
  scenario.processes.resize(2);
  EXPECT_FALSE(analyses::is_beside(scenario));
  scenario.sharing = gpu::Sharing::mps;
  EXPECT_TRUE(analyses::is_beside(scenario));
  scenario.processes.resize(1);
  EXPECT_FALSE(analyses::is_beside(scenario)) << "alone";
  scenario.sharing = gpu::Sharing::time_slicing;
  scenario.processes.front().gpu.streams = 2;
  EXPECT_TRUE(analyses::is_beside(scenario));
}

TEST(Residuals, of_the_tail_of_latency_are_its_own) {
  profiles::Uncertainty known;
  known.residuals = {{"", "latency", "measured", 0.05, 9},
                     {"", "latency", "family", 0.3, 20},
                     {"", "latency p99", "measured", 0.1, 9}};
  EXPECT_EQ(analyses::residual_for(known, "a", "latency p99", "measured")->half_width, 0.1);
  // Measured on a better basis only: the mean's on this basis is wider.
  EXPECT_EQ(analyses::residual_for(known, "a", "latency p99", "family")->half_width, 0.3);
  EXPECT_EQ(analyses::residual_for(known, "a", "latency p99", "family")->quantity, "latency");
}

TEST(Coverage, is_judged_by_other_folds_only) {
  // One fold is far off: what the others ask for does not hold it.
  std::vector<analyses::HeldOutRow> rows;
  for (int i = 0; i < 20; ++i) rows.push_back(row(i < 10 ? "near" : "also near", 101, std::to_string(i)));
  for (int i = 20; i < 24; ++i) rows.push_back(row("far", 200, std::to_string(i)));
  const auto inside = covered(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(inside[i].has_value());
    EXPECT_EQ(*inside[i], i < 20) << i;
  }
  EXPECT_FALSE(covered({row("a", 100, "x"), row("b", 100, "y")})[0].has_value());  // too few to tell
}

TEST(Coverage, is_never_judged_by_a_twin) {
  // Each run is held out twice, by mode and by network. All but one are right; the wrong one would be called
  // covered by its own twin.
  std::vector<analyses::HeldOutRow> rows;
  for (const char* fold : {"mode", "network"})
    for (int i = 0; i < 9; ++i) {
      rows.push_back(row(fold, i == 0 ? 200 : 101, std::to_string(i)));
      rows.back().value = std::to_string(i);
    }
  for (const auto& inside : covered(rows)) EXPECT_FALSE(inside.has_value());  // eight others cannot tell
  rows.push_back(row("another", 101, "ninth other"));
  EXPECT_EQ(covered(rows)[0], false);
}

TEST(Coverage, is_told_with_its_interval_by_runs) {
  ComparisonGroup group{"g", "", "", {}, {}};
  for (int run = 0; run < 10; ++run)
    for (int process = 0; process < 4; ++process)
      group.comparisons.push_back(
          {"c" + std::to_string(run) + ", process " + std::to_string(process), "rate", 1, 1, run > 0});
  const ErrorSummary summary = summarise(group).front();
  EXPECT_EQ(summary.with_interval, 40U);
  EXPECT_EQ(summary.runs_with_interval, 10U);
  const auto [from, to] = summary.covered_ci95();  // 9 of 10, Wilson
  EXPECT_NEAR(from, 0.596, 0.001);
  EXPECT_NEAR(to, 0.982, 0.001);
}

// The law of batches (models/dnn/batch_law.hpp) on the tables of the H100: from the table of one batch alone.

// The logarithm of predicted over measured sums of kernels, and the octaves between the two batches.
struct OtherBatch {
  double error = 0, octaves = 0;
};

std::vector<OtherBatch> other_batches(std::int64_t from) {
  input::Problems problems;
  const profiles::Profile profile = profiles::shipped_profile("nvidia-h100", problems).value();
  std::vector<OtherBatch> found;
  for (const dnn::MeasuredNetwork& network : profiles::embedded_kernel_tables("h100").networks) {
    if (network.precision == dnn::Precision::fp32)
      continue;  // cuDNN has algorithms that the cost model lacks
    dnn::KernelTables one{.source = "h100", .networks = {network}};
    dnn::MeasuredNetwork& alone = one.networks.front();
    std::erase_if(alone.batches, [&](const dnn::MeasuredBatch& table) { return table.batch != from; });
    alone.solo_graph.clear();
    for (const dnn::MeasuredBatch& table : network.batches) {
      if (table.batch == from || alone.batches.empty()) continue;
      const auto sum = dnn::kernels_for({.model = network.model,
                                         .precision = network.precision,
                                         .batch = table.batch,
                                         .input = network.input},
                                        one, profile.spec->gpu)
                           .total();
      found.push_back({std::log(sim::to_us(sum) / sim::to_us(table.total())),
                       std::abs(std::log2(static_cast<double>(table.batch) / static_cast<double>(from)))});
    }
  }
  return found;
}

TEST(BatchLaw, tells_batches_one_to_sixteen_from_batch_four_within_nine_percent) {
  double sum = 0;
  int count = 0;
  for (const OtherBatch& held : other_batches(4)) {
    if (held.octaves > 2) continue;
    sum += std::abs(held.error);
    ++count;
  }
  EXPECT_EQ(count, 14);
  EXPECT_LT(sum / count, 0.09);
}

TEST(BatchLaw, is_within_its_half_width_for_nine_batches_in_ten) {
  int all = 0, inside = 0;
  for (const std::int64_t from : {1, 4, 16}) {
    for (const OtherBatch& held : other_batches(from)) {
      ++all;
      inside += std::abs(held.error) <= analyses::batch_error(held.octaves) ? 1 : 0;
    }
  }
  EXPECT_GE(inside, all * 85 / 100) << inside << " of " << all;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
