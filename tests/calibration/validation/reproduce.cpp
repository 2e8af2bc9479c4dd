// The published statements: all there, judged by the rules, and those that came out still do.
#include "calibration/claims/reproduce.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using namespace scenarios;

Verdict only(const Checks& checks) {
  return checks.list().at(0).verdict;
}

TEST(AValue, comes_out_within_fifteen_percent_either_way) {
  const auto verdict = [](double predicted) {
    Checks checks;
    checks.near("x", 200, predicted);
    return only(checks);
  };
  EXPECT_EQ(verdict(200), Verdict::holds);
  EXPECT_EQ(verdict(229), Verdict::holds);
  EXPECT_EQ(verdict(171), Verdict::holds);
  EXPECT_EQ(verdict(231), Verdict::fails);
  EXPECT_EQ(verdict(169), Verdict::fails);
}

TEST(AValue, that_is_negative_is_off_by_its_magnitude) {
  Checks checks;
  checks.near("x", -30, -33);
  checks.near("x", -30, 30);
  EXPECT_NEAR(checks.list()[0].off.value(), -0.1, 1e-12);
  EXPECT_EQ(checks.list()[0].verdict, Verdict::holds);
  EXPECT_EQ(checks.list()[1].verdict, Verdict::fails);
}

TEST(ABound, comes_out_within_three_percent_of_the_end_it_passed) {
  const auto verdict = [](double predicted) {
    Checks checks;
    checks.between("x", 40, 50, predicted);
    return only(checks);
  };
  EXPECT_EQ(verdict(45), Verdict::holds);
  EXPECT_EQ(verdict(38.9), Verdict::holds);
  EXPECT_EQ(verdict(51.4), Verdict::holds);
  EXPECT_EQ(verdict(38.7), Verdict::fails);
  EXPECT_EQ(verdict(51.6), Verdict::fails);
}

TEST(AValue, that_is_told_as_a_range_comes_out_within_fifteen_percent_of_its_ends) {
  const auto verdict = [](double predicted) {
    Checks checks;
    checks.near_range("x", 40, 50, predicted);
    return only(checks);
  };
  EXPECT_EQ(verdict(45), Verdict::holds);
  EXPECT_EQ(verdict(34.1), Verdict::holds);
  EXPECT_EQ(verdict(57.4), Verdict::holds);
  EXPECT_EQ(verdict(33.9), Verdict::fails);
  EXPECT_EQ(verdict(57.6), Verdict::fails);
}

TEST(ABound, of_one_end_is_open_at_the_other) {
  Checks checks;
  checks.at_least("x", 100, 1e9);
  checks.at_most("x", 100, -1e9);
  checks.at_least("x", 100, 96);
  checks.at_most("x", 100, 104);
  EXPECT_EQ(checks.list()[0].verdict, Verdict::holds);
  EXPECT_EQ(checks.list()[1].verdict, Verdict::holds);
  EXPECT_EQ(checks.list()[2].verdict, Verdict::fails);
  EXPECT_EQ(checks.list()[3].verdict, Verdict::fails);
  EXPECT_EQ(checks.list()[2].claimed, "at least 100");
}

TEST(AChange, comes_out_within_four_points_but_not_if_nothing_changes) {
  const auto verdict = [](double claimed, double predicted) {
    Checks checks;
    checks.near_points("x", claimed, predicted);
    return only(checks);
  };
  EXPECT_EQ(verdict(-30, -33.9), Verdict::holds);
  EXPECT_EQ(verdict(-30, -34.1), Verdict::fails);
  EXPECT_EQ(verdict(-2.9, -1.5), Verdict::holds);
  EXPECT_EQ(verdict(-2.9, 0), Verdict::fails);
  EXPECT_EQ(verdict(2.6, 0), Verdict::fails);
}

TEST(ATrend, is_exact) {
  Checks checks;
  checks.rises("x", {1, 2, 3});
  checks.rises("x", {1, 1, 3});
  checks.falls("x", {3, 2, 1});
  checks.falls("x", {3, 2, 2});
  checks.ordered("x", "a > b", {2, 1});
  checks.ordered("x", "a > b", {1, 1});
  for (std::size_t i = 0; i < checks.list().size(); ++i)
    EXPECT_EQ(checks.list()[i].verdict, i % 2 == 0 ? Verdict::holds : Verdict::fails) << i;
  EXPECT_EQ(checks.list()[4].claimed, "a > b");
  EXPECT_FALSE(checks.list()[0].off.has_value());
}

TEST(AReproduction, names_what_is_off_the_most_and_a_contradiction_before_it) {
  Reproduction outcome;
  Checks checks;
  checks.near("little", 10, 12);
  checks.near("much", 10, 2);
  checks.shows("not judged", "rises", "1, 0");
  outcome.checks = checks.list();
  EXPECT_EQ(outcome.failed(), 2U);
  EXPECT_EQ(outcome.worst()->quantity, "much");
  checks.rises("trend", {2, 1});
  outcome.checks = checks.list();
  EXPECT_EQ(outcome.worst()->quantity, "trend");
}

TEST(AReproduction, keeps_the_checks_made_before_a_run_that_cannot_be_simulated) {
  const Statement statement{"C00", "value", {}, "", [](Runs&, Checks& checks) {
                              checks.near("x", 1, 1);
                              throw RunError("no such board");
                            }};
  Runs runs;
  const Reproduction outcome = reproduce(statement, runs);
  EXPECT_EQ(outcome.checks.size(), 1U);
  EXPECT_EQ(outcome.problem, "no such board");
  EXPECT_FALSE(outcome.reproduced());
}

TEST(Deviations, are_of_statements_and_groups_that_are_there_each_once) {
  std::set<std::string> seen;
  for (const Deviation& row : deviations()) {
    EXPECT_FALSE(row.reason.empty()) << row.subjects;
    EXPECT_TRUE(row.status.starts_with("open") || row.status.starts_with("closed")) << row.subjects;
    EXPECT_TRUE(seen.insert(std::string(row.subjects) + ": " + std::string(row.measured)).second)
        << row.subjects;
    if (row.cause == "limits on errors that are exceeded") continue;
    const Statement* const statement = find_statement(std::string(row.subjects));
    ASSERT_NE(statement, nullptr) << row.subjects;
    EXPECT_EQ(row.measured, statement->text) << row.subjects;
    EXPECT_EQ(row.cause == "statements that are not judged", statement->basis.kind == Basis::Kind::not_judged)
        << row.subjects;
    EXPECT_EQ(deviation_of(statement->id), &row) << row.subjects << " is there twice";
  }
}

TEST(Deviations, have_five_cells_under_the_heading_that_is_their_cause) {
  const auto rows = parse_deviations(
      "# D\n\n### The cause\n\n| id | m | r | e | s |\n|---|---|---|---|---|\n"
      "| C01 | rate | too slow. | 3 of 4. | open |\n| a; b | p50 | late |  | closed |\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].cause, "the cause");
  EXPECT_EQ(rows[0].why(), "too slow. 3 of 4.");
  EXPECT_EQ(rows[1].why(), "late");
  EXPECT_THROW((void)parse_deviations("| a | b |\n|---|---|\n| C01 | rate |\n"), std::runtime_error);
}

TEST(Deviations, of_limits_are_found_by_each_group_and_quantity) {
  EXPECT_NE(deviation_of("turns of synthetic processes", "mean gap"), nullptr);
  EXPECT_EQ(deviation_of("turns of synthetic processes", "mean"), nullptr);
  EXPECT_EQ(deviation_of("turns of processes that launch kernel by kernel", "mean gap"),
            deviation_of("turns of synthetic processes", "batches/s"));
}

TEST(Runs, asks_each_question_once) {
  Runs runs;
  const auto text = [](int count) {
    return fmt::format(
        "{{device: jetson-nano, processes: [{{model: resnet50, precision: fp16, count: {}}}], run: "
        "{{duration: 1 s}}}}",
        count);
  };
  EXPECT_EQ(&runs.of(text(1)), &runs.of(text(1)));
  EXPECT_EQ(&runs.of(text(1)), &runs.of(text(1) + "\n"));
  EXPECT_THROW(runs.of(text(20)), RunError);  // does not fit
}

TEST(Statements, are_all_there) {
  std::set<std::string> ids;
  for (const Statement* statement : statements()) ids.emplace(statement->id);
  EXPECT_EQ(ids.size(), statements().size()) << "an id is used twice";
  const auto expect = [&](char source, const std::vector<int>& numbers) {
    for (const int number : numbers)
      EXPECT_TRUE(ids.contains(fmt::format("{}{:02}", source, number))) << number;
  };
  const auto all = [](int last) {
    std::vector<int> numbers(static_cast<std::size_t>(last));
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  };
  expect('C', all(66));
  expect('D', all(10));
  expect('E', all(45));
  expect('F', all(7));
  expect('G', all(6));
  EXPECT_EQ(ids.size(), 134U);
}

TEST(Statements, have_one_of_five_kinds) {
  const std::set<std::string_view> kinds{"value", "trend", "bound", "model", "device"};
  for (const Statement* statement : statements())
    EXPECT_TRUE(kinds.contains(statement->kind)) << statement->id;
}

TEST(Statements, that_do_not_come_out_say_why) {
  Runs runs;
  const Statement with_reason{"C02", "value", {}, "", [](Runs&, Checks& checks) { checks.near("x", 1, 2); }};
  const Statement without{"C00", "value", {}, "", [](Runs&, Checks& checks) { checks.near("x", 1, 2); }};
  EXPECT_TRUE(reproduce(with_reason, runs).expected());
  EXPECT_FALSE(reproduce(without, runs).expected());
}

TEST(AReproduction, has_the_grade_of_its_least_founded_run) {
  Runs runs;
  const Statement two{
      "C00", "value", {}, "", [](Runs& asked, Checks&) {
        (void)asked.of(
            "{device: nvidia-h200, processes: [{model: resnet50, precision: fp16, runtime: cuda-graph}]}");
        (void)asked.of("{device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}");
      }};
  EXPECT_EQ(reproduce(two, runs).grade, "fitted");
  const Statement none{"C00", "value", {}, "", [](Runs&, Checks&) {}};
  EXPECT_EQ(reproduce(none, runs).grade, "");
}

TEST(Statements, that_are_fitted_say_on_what_and_those_not_judged_say_why) {
  for (const Statement* statement : statements()) {
    const bool fitted = statement->basis.kind == Basis::Kind::fitted;
    EXPECT_EQ(statement->basis.chosen.empty(), !fitted) << statement->id;
    if (statement->basis.kind == Basis::Kind::not_judged) {
      EXPECT_NE(deviation_of(statement->id), nullptr) << statement->id;
    }
  }
}

bool is_fitted(const std::string& id) {
  const Statement* const statement = find_statement(id);
  return statement != nullptr && statement->basis.kind == Basis::Kind::fitted;
}

TEST(Statements, that_parameters_were_chosen_on_are_fitted) {
  for (const char* id : {"C07", "C08", "C22", "C23", "C25", "C30", "C34", "C35", "C39", "D03", "E01", "E06",
                         "E18", "F01", "F05"})
    EXPECT_TRUE(is_fitted(id)) << id;
}

// Sources name the studies so, or by author, venue or number.
TEST(Statements, that_sources_of_profile_figures_name_are_fitted) {
  const std::regex study(
      "[a-z]-[a-z]+ study|pipeline study|ISPASS|arXiv 25(03.09546|08.08430|09.20189)|report on energy");
  const std::regex claims("claims? ([A-G][0-9]{2}(, [A-G][0-9]{2})*)"), claim("[A-G][0-9]{2}");
  std::set<std::string> named;
  for (const std::string& device : profiles::device_names()) {
    input::Problems problems;
    const auto profile = profiles::shipped_profile(device, problems);
    for (const profiles::ProfileParameter& figure : profile.value().figures) {
      const std::string where = device + ": " + figure.path + ": " + figure.from.source;
      std::smatch list;
      const bool names = std::regex_search(figure.from.source, list, claims);
      if (figure.from.grade == profiles::ParameterGrade::fitted &&
          std::regex_search(figure.from.source, study)) {
        EXPECT_TRUE(names) << where;
      }
      if (!names) continue;
      const std::string ids = list[1];
      for (auto id = std::sregex_iterator(ids.begin(), ids.end(), claim); id != std::sregex_iterator();
           ++id) {
        EXPECT_TRUE(is_fitted(id->str())) << where;
        named.insert(id->str());
      }
    }
  }
  EXPECT_GE(named.size(), 14U);
}

TEST(AReproduction, of_a_statement_that_is_not_judged_is_never_one) {
  Runs runs;
  const Statement statement{"C66", "value", {Basis::Kind::not_judged, ""}, "", [](Runs&, Checks& checks) {
                              checks.near("x", 1, 1);
                            }};
  const Reproduction outcome = reproduce(statement, runs);
  EXPECT_EQ(outcome.judged(), 0U);
  EXPECT_FALSE(outcome.reproduced());
  EXPECT_TRUE(outcome.expected());
  for (const Statement* real : statements())
    if (real->basis.kind == Basis::Kind::not_judged) {
      EXPECT_FALSE(reproduce(*real, runs).reproduced()) << real->id;
    }
}

TEST(AReproduction, needs_a_check_that_is_judged) {
  Runs runs;
  const Statement statement{
      "C00", "value", {}, "", [](Runs&, Checks& checks) { checks.shows("x", "1", "1"); }};
  EXPECT_FALSE(reproduce(statement, runs).reproduced());
}

TEST(Statements, that_once_came_out_still_do) {
  Runs runs;
  for (const char* id :
       {"C01", "C04", "C05", "C07", "C08", "C09", "C11", "C14", "C21", "C23", "C24", "C25", "C30", "C40",
        "C41", "C42", "C43", "C44", "C45", "C47", "C48", "C50", "C51", "C53", "C54", "C55", "C56", "C57",
        "C58", "C59", "C62", "C63", "C64", "C65", "D03", "D07", "D09", "E13", "E18", "E34", "E36", "E40",
        "E41", "E43", "E45", "F02", "F03", "F05", "F06", "F07", "G01", "G02", "G04", "G06"}) {
    const Reproduction outcome = reproduce(*find_statement(id), runs);
    const std::string worst = outcome.worst() == nullptr ? outcome.problem : outcome.worst()->quantity;
    EXPECT_TRUE(outcome.reproduced()) << id << ": " << worst;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
