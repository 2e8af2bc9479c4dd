// What a study file means: which points it has, what each asks, and what is refused with its place.
#include "analyses/study/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "analyses/metrics/metric.hpp"
#include "analyses/study/check.hpp"
#include "analyses/study/columns.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/points.hpp"
#include "analyses/study/profiles.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string base =
    "scenario:\n"
    "  device: jetson-orin-nano\n"
    "  processes: [{model: resnet50, precision: fp16}, {model: yolov8n, precision: fp16}]\n";

Study study_of(const std::string& rest) {
  input::Problems problems;
  auto study = parse_study(base + rest, "s.yaml", "", problems);
  EXPECT_TRUE(study) << problems.text();
  return study.value_or(Study{});
}

// What is said of a study that is wrong, of the file or of its points.
std::string refused(const std::string& rest, const std::string& scenario = base) {
  input::Problems problems;
  const auto study = parse_study(scenario + rest, "s.yaml", "", problems);
  Profiles profiles;
  if (study) {
    const auto checked = check_points(*study, profiles, 1, nullptr, problems);
    EXPECT_FALSE(checked.has_value());
  }
  return problems.text();
}

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> all;
  for (const input::Node& value : axis.values) all.push_back(value->text);
  return all;
}

std::vector<std::string> range(const std::string& text) {
  return texts(study_of("sweep: {processes.0.batch: " + text + "}\n").axes.front());
}

TEST(Study, without_a_sweep_has_one_point) {
  const Study study = study_of("");
  const Points points(study);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(settings_json(study, points[0]), "{}");
}

TEST(Study, with_an_objective_begins_its_points_at_equilibrium_unless_it_says_otherwise) {
  const auto starts = [](const Study& study) {
    input::Problems problems;
    Profiles profiles;
    return scenario_at(study, Points(study)[0], profiles.catalogue(), problems).value().run.thermal;
  };
  const std::string objectives = "objectives: [max system.throughput]\n";
  EXPECT_FALSE(starts(study_of("sweep: {processes.0.batch: [1, 2]}\n")));
  EXPECT_EQ(starts(study_of(objectives)), ThermalStart::equilibrium);
  EXPECT_EQ(starts(study_of("  run: {duration: 2 s}\n" + objectives)), ThermalStart::equilibrium);
  EXPECT_EQ(starts(study_of("  run: {thermal: idle}\n" + objectives)), ThermalStart::idle);
  EXPECT_EQ(starts(study_of("sweep: {run.thermal: [idle, equilibrium]}\n" + objectives)), ThermalStart::idle);
  EXPECT_FALSE(starts(study_of("  run: {batches: 10}\n" + objectives)));
}

TEST(Study, calls_a_point_that_overheats_its_board_infeasible) {
  const Study study = study_of("  ambient: 95 degC\n  fan: false\nobjectives: [max system.throughput]\n");
  input::Problems problems;
  Profiles profiles;
  const auto scenario = scenario_at(study, Points(study)[0], profiles.catalogue(), problems).value();
  const auto outcome = run_point(scenario, *profiles.of(scenario, problems), nullptr).value();
  EXPECT_EQ(outcome.status, PointStatus::infeasible);
  EXPECT_THAT(outcome.problem, HasSubstr("this load heats the chip to 104.5 degC"));
}

TEST(Study, takes_every_combination_once_with_the_last_key_fastest) {
  const Study study =
      study_of("sweep: {processes.0.batch: [1, 2], power_mode: [15W, 7W], host_cores: [1, 2, 3]}\n");
  const Points points(study);
  ASSERT_EQ(points.size(), 12U);
  std::set<Coordinates> seen;
  for (std::uint64_t i = 0; i < points.size(); ++i) seen.insert(points[i]);
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_THAT(points[0], ElementsAre(0, 0, 0));
  EXPECT_THAT(points[1], ElementsAre(0, 0, 1));
  EXPECT_THAT(points[11], ElementsAre(1, 1, 2));
}

RC_GTEST_PROP(Study, grid_coordinates_count_up_through_all_values, ()) {
  Study study;
  const int dimensions = *rc::gen::inRange(0, 5);
  for (int i = 0; i < dimensions; ++i) {
    const auto size = *rc::gen::inRange(1, 6);
    study.dimensions.push_back({{}, static_cast<std::size_t>(size)});
  }
  std::set<Coordinates> seen;
  for (std::uint64_t i = 0; i < grid_size(study); ++i) {
    const Coordinates at = grid_coordinates(study, i);
    for (std::size_t d = 0; d < at.size(); ++d) RC_ASSERT(at[d] < study.dimensions[d].size);
    if (!seen.empty()) RC_ASSERT(*seen.rbegin() < at);  // RC_ASSERT evaluates both sides of an ||
    seen.insert(at);
  }
  RC_ASSERT(seen.size() == grid_size(study));
}

TEST(Study, varies_zipped_keys_together) {
  const Study study = study_of(
      "sweep: {power_mode: [15W, 7W], processes.0.batch: [1, 2, 4], clocks.gpu: [600 MHz, 400 MHz]}\n"
      "zip: [[power_mode, clocks.gpu]]\n");
  const Points points(study);
  ASSERT_EQ(points.size(), 6U);
  std::set<std::string> pairs;
  for (std::uint64_t i = 0; i < points.size(); ++i) {
    const auto values = values_at(study, points[i]);
    pairs.insert(values[0]->text + " " + values[2]->text);
  }
  EXPECT_THAT(pairs, ElementsAre("15W 600 MHz", "7W 400 MHz"));
}

TEST(Study, includes_the_stop_of_a_range_and_counts_in_decimals) {
  EXPECT_THAT(range("{start: 1, stop: 4, step: 1}"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(range("{start: 1, stop: 8, step: 3}"), ElementsAre("1", "4", "7"));
  EXPECT_THAT(range("{start: 0.1 ms, stop: 0.5 ms, step: 0.2 ms}"),
              ElementsAre("0.1 ms", "0.3 ms", "0.5 ms"));
  EXPECT_THAT(range("{start: -10 degC, stop: 10 degC, step: 10 degC}"),
              ElementsAre("-10 degC", "0 degC", "10 degC"));
  EXPECT_THAT(range("{start: 1.8e+03 s, stop: 2E3 s, step: 100 s}"),
              ElementsAre("1800 s", "1900 s", "2000 s"));
  EXPECT_THAT(range("{start: 1e-3 s, stop: 0.003 s, step: 1.0e-03 s}"),
              ElementsAre("0.001 s", "0.002 s", "0.003 s"));
  for (const char* const wrong : {"1e99 s", "1.5.2 s", "0e-999999999999 s", "1e+ s"})
    EXPECT_THAT(refused("sweep: {run.duration: {start: 0 s, stop: 5 s, step: " + std::string(wrong) + "}}\n"),
                HasSubstr("run.duration"));
}

RC_GTEST_PROP(Study, every_value_of_a_range_reads_as_start_plus_a_whole_number_of_steps, ()) {
  const auto start = *rc::gen::inRange(-1000, 1000), step = *rc::gen::inRange(1, 300),
             count = *rc::gen::inRange(1, 50), rest = *rc::gen::inRange(0, step);
  const auto hundredths = [](int value) {
    const std::string digits = std::to_string(std::abs(value) + 1000);
    return std::string(value < 0 ? "-" : "") + std::to_string(std::abs(value) / 100) + "." +
           digits.substr(digits.size() - 2);
  };
  const int stop = start + (count - 1) * step + rest;
  const auto values = range("{start: " + hundredths(start) + " W, stop: " + hundredths(stop) +
                            " W, step: " + hundredths(step) + " W}");
  RC_ASSERT(values.size() == static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(values[i].ends_with(" W"));
    RC_ASSERT(std::llround(std::stod(values[i]) * 100) == start + static_cast<int>(i) * step);
  }
}

RC_GTEST_PROP(Study, a_latin_hypercube_covers_every_dimension_evenly, ()) {
  Study study;
  const auto first = *rc::gen::inRange<std::size_t>(1, 20), second = *rc::gen::inRange<std::size_t>(1, 20);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 100);
  study.dimensions = {{{}, first}, {{}, second}};
  study.sampling = LatinHypercube{count, *rc::gen::inRange<std::uint64_t>(0, 1000)};
  const Points points(study);
  RC_ASSERT(points.size() == static_cast<std::uint64_t>(count));
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<std::int64_t> taken(study.dimensions[d].size, 0);
    for (std::uint64_t i = 0; i < points.size(); ++i) ++taken.at(points[i][d]);
    // A point in each of `count` equal strata: a value is taken as often as strata lie within it, and those
    // at its two ends may fall to either side.
    const double even = static_cast<double>(count) / static_cast<double>(study.dimensions[d].size);
    for (const std::int64_t times : taken) RC_ASSERT(std::abs(static_cast<double>(times) - even) < 2);
  }
  const Points again(study);
  for (std::uint64_t i = 0; i < points.size(); ++i) RC_ASSERT(points[i] == again[i]);
}

TEST(Study, a_star_means_all_processes) {
  const Study study = study_of("sweep: {processes.*.batch: [1, 8]}\n");
  Profiles profiles;
  input::Problems problems;
  const auto scenario = scenario_at(study, {1}, profiles.catalogue(), problems);
  ASSERT_TRUE(scenario) << problems.text();
  EXPECT_EQ(scenario->processes[0].work.batch, 8);
  EXPECT_EQ(scenario->processes[1].work.batch, 8);
}

TEST(Study, tells_where_a_wrong_value_stands) {
  EXPECT_EQ(refused("sweep:\n  host_cores: [1, 2]\n  processes.0.batch:\n    - 1\n    - 0\n"),
            "s.yaml:8: sweep.processes.0.batch: '0' is below the minimum, 1\n");
  EXPECT_THAT(refused("sweep: {processes.0.bach: [1, 2]}\n"),
              HasSubstr("s.yaml:4: sweep.processes.0.bach: unknown key (did you mean 'batch'?)"));
  EXPECT_THAT(refused("sweep: {clocks.gpu: [600 MHz, 600]}\n"), HasSubstr("s.yaml:4: sweep.clocks.gpu:"));
  EXPECT_THAT(refused("sweep: {clocks.gpu: [600 MHz, 60 GHz]}\n"), HasSubstr("60 GHz is outside the range"));
  EXPECT_THAT(refused("sweep: {processes.7.batch: [1]}\n"),
              HasSubstr("'7' is not an index of its 2 entries"));
}

TEST(Study, tells_what_is_wrong_with_its_scenario_once) {
  const std::string errors = refused("sweep: {processes.0.count: [1, 2, 3]}\n",
                                     "scenario: {device: jetson-orin-nano, processes: [{model: resnet51, "
                                     "precision: fp16}]}\n");
  EXPECT_EQ(errors,
            "s.yaml:1: scenario.processes.0.model: unknown model 'resnet51' (did you mean 'resnet50'?)\n");
}

TEST(Study, tells_misspelt_keys_of_its_own) {
  EXPECT_THAT(refused("sweeep: {}\n"), HasSubstr("s.yaml:4: sweeep: unknown key (did you mean 'sweep'?)"));
  EXPECT_THAT(refused("sampling: {latin_hypercub: 3}\n"), HasSubstr("did you mean 'latin_hypercube'?"));
  EXPECT_THAT(refused("sweep: {processes.0.batch: {start: 1, end: 3, step: 1}}\n"),
              HasSubstr("end: unknown key"));
  EXPECT_THAT(refused("sweep: {processes.0.batch: 3}\n"), HasSubstr("expected a list of values"));
  EXPECT_THAT(refused("sweep: {processes.0.batch: []}\n"), HasSubstr("no values"));
  EXPECT_THAT(refused("sweep: {clocks.gpu: {start: 300 MHz, stop: 1 GHz, step: 100 MHz}}\n"),
              HasSubstr("write all three in the same unit"));
}

TEST(Study, refuses_zips_that_cannot_be) {
  const std::string sweep = "sweep: {power_mode: [15W, 7W], processes.0.batch: [1, 2, 4]}\n";
  EXPECT_THAT(refused(sweep + "zip: [[power_mode, processes.0.batch]]\n"),
              HasSubstr("'power_mode' has 2 values, 'processes.0.batch' has 3"));
  EXPECT_THAT(refused(sweep + "zip: [[power_mod]]\n"), HasSubstr("did you mean 'power_mode'?"));
  EXPECT_THAT(refused(sweep + "zip: [[power_mode], [power_mode]]\n"), HasSubstr("is listed twice in zip"));
}

TEST(Study, refuses_a_key_that_another_would_hide) {
  EXPECT_THAT(refused("sweep: {processes.0.batch: [1], processes.*.batch: [2]}\n"), HasSubstr("overlaps"));
  EXPECT_THAT(refused("sweep: {processes.*.batch: [1], processes.0.batch: [2]}\n"), HasSubstr("overlaps"));
  EXPECT_THAT(refused("sweep: {clocks.gpu: [600 MHz], clocks: [{cpu: 1 GHz}]}\n"), HasSubstr("overlaps"));
}

TEST(Study, keeps_points_whose_values_are_right_elsewhere_as_not_supported) {
  const Study study = study_of(
      "sweep: {processes.0.precision: [fp16, tf32], processes.0.placement: [gpu, cpu], processes.0.runtime: "
      "[tensorrt, cpu]}\n");
  Profiles profiles;
  input::Problems problems;
  const auto checked = check_points(study, profiles, 2, nullptr, problems);
  // tf32 is of the GPU, and runtime cpu of placement cpu: half and more of the combinations are none.
  ASSERT_TRUE(checked) << problems.text();
  EXPECT_EQ(checked->points.size(), 8U);
  EXPECT_EQ(std::ranges::count_if(checked->points, &CheckedPoint::is_supported), 3);
  for (const CheckedPoint& point : checked->points)
    EXPECT_TRUE(point.is_supported() || !checked->problems.at(point.problem).empty());
}

TEST(Study, names_columns_by_the_last_step_of_a_key_and_its_unit) {
  const Study study = study_of(
      "sweep: {processes.0.batch: [1], processes.1.batch: [2], processes.*.count: [1], clocks.gpu: [600 MHz, "
      "400 "
      "MHz], power_mode: [15W]}\n");
  std::vector<std::string> names;
  for (const AxisColumn& column : axis_columns(study)) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("processes_0_batch", "processes_1_batch", "count", "gpu_mhz", "power_mode"));
  const auto columns = axis_columns(study_of("sweep: {run.duration: [1.8e+03 s, 2 s]}\n"));
  EXPECT_EQ(columns.front().name, "duration_s");
  EXPECT_TRUE(columns.front().is_number);
}

TEST(StudyFigures, reads_limits_in_the_units_of_their_figures) {
  const Study study = study_of(
      "objectives: [max system.throughput, min system.power_w]\n"
      "constraints: {system.power_w: {max: 12 W}, processes.latency_ms.p99: {max: 0.05 s}, "
      "system.throughput: {min: "
      "100}, system.energy_per_image_mj: {max: 1 J}}\n");
  ASSERT_EQ(study.objectives.size(), 2U);
  EXPECT_TRUE(study.objectives[0].maximise);
  EXPECT_FALSE(study.objectives[1].maximise);
  ASSERT_EQ(study.constraints.size(), 4U);
  EXPECT_DOUBLE_EQ(study.constraints[0].max.value(), 12);
  EXPECT_DOUBLE_EQ(study.constraints[1].max.value(), 50);
  EXPECT_DOUBLE_EQ(study.constraints[2].min.value(), 100);
  EXPECT_DOUBLE_EQ(study.constraints[3].max.value(), 1000);
}

TEST(StudyFigures, tells_figures_that_results_do_not_have) {
  EXPECT_THAT(refused("objectives: [max system.throughputt]\n"), HasSubstr("did you mean 'throughput'?"));
  EXPECT_THAT(refused("objectives: [most system.throughput]\n"), HasSubstr("expected max or min"));
  EXPECT_THAT(refused("objectives: [max processes.model]\n"), HasSubstr("is not a metric"));
  EXPECT_THAT(refused("constraints: {processes.latency_ms.p98: {max: 50 ms}}\n"),
              HasSubstr("results have no key 'p98'"));
  EXPECT_THAT(refused("constraints: {system.power_w: {max: 12}}\n"), HasSubstr("12"));
  EXPECT_THAT(refused("constraints: {system.power_w: {}}\n"), HasSubstr("no limit"));
}

TEST(StudyFigures, are_the_worst_of_the_processes_unless_one_is_named) {
  Result result;
  for (const double p99 : {5.0, 9.0, 7.0}) {
    ProcessResult& process = result.processes.emplace_back();
    process.latency_ms.p99 = p99;
    process.throughput.mean = 100 / p99;
  }
  result.system.power_w.mean = 10;
  const ResultMetrics figures(result);
  EXPECT_EQ(figures.find("processes.latency_ms.p99", Worst::greatest), Metric(9.0));
  EXPECT_EQ(figures.find("processes.*.latency_ms.p99", Worst::least), Metric(5.0));
  EXPECT_EQ(figures.find("processes.2.latency_ms.p99", Worst::greatest), Metric(7.0));
  EXPECT_EQ(figures.find("processes.throughput", Worst::least), Metric(100.0 / 9));
  EXPECT_EQ(figures.find("system.power_w", Worst::greatest), Metric(10.0));
  EXPECT_EQ(figures.find("system.power_w.peak", Worst::greatest), std::nullopt);
  EXPECT_EQ(figures.find("processes.3.latency_ms.p99", Worst::greatest), std::nullopt);
  result.processes[1].latency_ms.p99.reset();
  EXPECT_EQ(ResultMetrics(result).find("processes.latency_ms.p99", Worst::greatest), std::nullopt);
}

TEST(KeyPath, knows_what_is_part_of_what) {
  EXPECT_TRUE(covers("processes.*", "processes.0.batch"));
  EXPECT_TRUE(covers("processes.0.batch", "processes.*.batch"));
  EXPECT_FALSE(covers("processes.0.batch", "processes.0"));
  EXPECT_FALSE(covers("processes.0", "processes.1.batch"));
  EXPECT_FALSE(covers("clock", "clocks.gpu"));
  EXPECT_EQ(rest_after("processes.*", "processes.0.model.blocks"), ".model.blocks");
  EXPECT_EQ(rest_after("clocks", "clocks"), "");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
