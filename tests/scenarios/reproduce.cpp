// The published statements: all there, judged by the rules, and those that came out still do.
#include "scenarios/reproduce/reproduce.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "scenarios/run.hpp"

namespace jostle::scenarios {
namespace {

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

TEST(ATrend, is_exact) {
  Checks checks;
  checks.rises("x", {1, 2, 3});
  checks.rises("x", {1, 1, 3});
  checks.falls("x", {3, 2, 1});
  checks.falls("x", {3, 2, 2});
  checks.ordered("x", {{"a", 2}, {"b", 1}});
  checks.ordered("x", {{"a", 1}, {"b", 1}});
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
  const Statement statement{"C00", StatementKind::value, "", "", [](Runs&, Checks& checks) {
                              checks.near("x", 1, 1);
                              throw RunError("no such board");
                            }};
  Runs runs;
  const Reproduction outcome = reproduce(statement, runs);
  EXPECT_EQ(outcome.checks.size(), 1U);
  EXPECT_EQ(outcome.problem, "no such board");
  EXPECT_FALSE(outcome.reproduced());
}

TEST(Runs, asks_each_question_once) {
  Runs runs;
  const scenarios::Setup setup{"jetson-nano", "resnet50", "fp16"};
  EXPECT_EQ(&runs.of(setup), &runs.of(setup));
  EXPECT_THROW(runs.of({"jetson-nano", "resnet50", "fp16", 1, 20}), RunError);  // does not fit
}

TEST(Statements, are_all_there) {
  std::set<std::string> ids;
  for (const Statement* statement : statements()) ids.emplace(statement->id);
  EXPECT_EQ(ids.size(), statements().size()) << "an id is used twice";
  const auto expect = [&](char source, std::initializer_list<int> numbers) {
    for (const int number : numbers)
      EXPECT_TRUE(ids.contains(fmt::format("{}{:02}", source, number))) << number;
  };
  expect('C', {6,  7,  12, 21, 22, 23, 24, 34, 35, 36, 37, 38, 39, 40, 41,
               42, 43, 44, 45, 46, 47, 51, 52, 53, 56, 57, 62, 63, 64, 65});
  expect('D', {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  expect('E', {40, 41, 42, 43, 44, 45});
  expect('F', {2});
  expect('G', {1, 2, 3, 4, 5, 6});
}

TEST(Statements, that_once_came_out_still_do) {
  Runs runs;
  for (const char* id : {"C07", "C21", "C22", "C23", "C41", "C42", "C43", "C44", "C45", "C47", "C51", "C53",
                         "C62", "C63", "C64", "C65", "E40", "E41", "E45", "F02", "G01", "G03", "G06"}) {
    const Reproduction outcome = reproduce(*find_statement(id), runs);
    const std::string worst = outcome.worst() == nullptr ? outcome.problem : outcome.worst()->quantity;
    EXPECT_TRUE(outcome.reproduced()) << id << ": " << worst;
  }
}

}  // namespace
}  // namespace jostle::scenarios
