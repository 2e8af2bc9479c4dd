// The words of a page are those of the terminal, as sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyses/plan/words.hpp"
#include "cli/page/html_page.hpp"
#include "cli/plan/text.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

TEST(PageWords, are_sentences_and_leave_names_as_they_are) {
  PageWords words = page_words({.board = "a board", .processes = {"one"}, .run = "4 s"});
  words.why = {"the GPU: it is short", "jetson_clocks would help", ""};
  const auto json = words_json(words);
  EXPECT_EQ(json.at("scenario"), "a board");
  EXPECT_EQ(json.at("why"), (nlohmann::ordered_json{"The GPU: it is short.", "jetson_clocks would help."}));
  EXPECT_EQ(json.at("best"), "");
}

TEST(PageWords, hold_tables_with_what_may_be_hidden) {
  Table table({{"process", Align::left}, {"p99 ms", Align::right, 85}});
  table.add({"gate", "12.3"}, Style::bad);
  PageWords words;
  words.answer.push_back({"answer", {table}, {"and a line"}});
  const auto answer = words_json(words).at("answer").at(0);
  EXPECT_EQ(answer.at("lines").at(0), "And a line.");
  EXPECT_EQ(answer.at("table").at("columns").at(1),
            (nlohmann::ordered_json{{"name", "p99 ms"}, {"right", true}, {"importance", 85}}));
  EXPECT_EQ(answer.at("table").at("rows").at(0),
            (nlohmann::ordered_json{{"cells", {"gate", "12.3"}}, {"style", "bad"}}));
}

TEST(PageWords, say_how_far_a_real_board_may_be_from_a_grade_or_an_interval) {
  EXPECT_EQ(grade_sentence("Power", "fitted"),
            "Power: a real board may differ by some 25 % (fitted: to measured runs)");
  EXPECT_EQ(grade_sentence("Power", "measured", "11.8 to 17 W"),
            "Power: 9 of 10 real boards should show 11.8 to 17 W (measured: on this "
            "device)");
}

TEST(PageWords, of_a_fleet_say_how_many_boards_it_may_be_and_leave_the_interval_of_latency_to_the_verdict) {
  analyses::Fleet fleet;
  analyses::FleetChoice& choice = fleet.choices.emplace_back();
  choice.settings = "{}";
  choice.boards = choice.capacity = choice.max_cameras = 1;
  choice.grade = "fitted";
  choice.power_grade = "fitted";
  choice.if_off = analyses::CarriedIfOff{.error = 0.25, .slow = 1, .fast = 2};
  fleet.cameras = 1;
  const auto trust = [&] { return fmt::format("{}", fmt::join(fleet_words(fleet, {}).trust, "; ")); };
  EXPECT_NE(trust().find("usual error of 25 %"), std::string::npos) << trust();
  EXPECT_NE(trust().find("Power and energy: a real board may differ by some 25 %"), std::string::npos);
  fleet.cameras = 2;  // a slow board carries one as it is set, and both in another mode
  choice.strongest = analyses::Strongest{.cameras = 3, .setting = " in mode MAXN", .slow = 2};
  EXPECT_NE(
      trust().find("a board carries 1 to 2 cameras so set, a slow one 2 in mode MAXN: it stays at 1 board"),
      std::string::npos)
      << trust();
  fleet.cameras = 1;
  choice.strongest.reset();
  choice.p99_pi90 = {{20.0, 45.0}};
  choice.power_pi90 = {{11.8, 17.0}};
  EXPECT_NE(trust().find("a board carries 1 to 2 cameras: it stays at 1 board"), std::string::npos)
      << trust();
  EXPECT_NE(trust().find("Throughput and latency: a real board may differ by"), std::string::npos) << trust();
  EXPECT_NE(trust().find("should show 11.8 to 17.0 W"), std::string::npos) << trust();
}

TEST(PageWords, of_a_plan_say_what_becomes_of_its_limits_if_the_model_is_off) {
  analyses::Plan plan;
  plan.goal.metrics = {"system.throughput", "processes.latency_ms.p99"};
  plan.goal.criteria = {{true, {}}, {false, 40}};
  plan.goal.objectives = 1;
  plan.best.emplace();
  plan.best->settings = "{}";
  plan.best->values = {100, 20};
  plan.best->intervals.resize(2);
  plan.best->half_widths.resize(2);
  plan.if_off = analyses::IfOff{.error = 0.3};
  plan.verdict.emplace();
  const auto trust = [&] { return fmt::format("{}", fmt::join(plan_words(plan, {}).trust, "; ")); };
  EXPECT_NE(trust().find("off by its usual 30 %, all limits are still met"), std::string::npos) << trust();
  plan.if_off->missed = {{1, 41.0}};
  EXPECT_NE(trust().find("p99 latency would come to 41 ms"), std::string::npos) << trust();
}

TEST(PageWords, call_no_share_of_repeats_of_the_simulation_all_but_certain) {
  EXPECT_EQ(probability_text(0.982), "98.2 %");
  EXPECT_EQ(probability_text(0.99999), "> 99 %");
  EXPECT_EQ(probability_text(1e-6), "< 1 %");
}

TEST(PageWords, give_the_usual_error_of_a_grade_as_the_number_that_its_words_have) {
  for (const char* const grade : {"measured", "interpolated", "fitted", "datasheet", "assumed"}) {
    const auto share = scenarios::usual_error_share(grade);
    ASSERT_TRUE(share) << grade;
    EXPECT_NE(scenarios::usual_error(grade).find(fmt::format("{:.0f} %", 100 * *share)),
              std::string_view::npos)
        << grade;
  }
  EXPECT_FALSE(scenarios::usual_error_share("guessed"));
}

TEST(PageWords, name_settings_as_people_do_and_not_by_their_paths) {
  EXPECT_EQ(analyses::plain_settings(
                R"({"power_mode": "15W", "processes.0.arrivals.streams": 14, "processes.0.count": 2})"),
            "power mode 15W, streams 14, processes 2");
  EXPECT_EQ(analyses::plain_settings(
                R"({"clocks.gpu": "918 MHz", "processes.0.batch": 4, "processes.1.batch": 8})"),
            "GPU clock 918 MHz, batch of process 0: 4, batch of process 1: 8");
  EXPECT_EQ(analyses::plain_settings("{}"), "the scenario unchanged");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
