// What is written where: results, complaints, colour and the progress line.
#include "cli/terminal/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/terminal/interrupt.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

TEST(Terminal, results_go_to_standard_output_and_complaints_to_standard_error) {
  CaptureStdout();
  CaptureStderr();
  Terminal terminal({});
  terminal.print("a result\n");
  terminal.complain("not so");
  EXPECT_EQ(GetCapturedStdout(), "a result\n");
  EXPECT_EQ(GetCapturedStderr(), "jostle: not so\n");
}

TEST(Terminal, progress_is_silent_where_no_terminal_listens) {
  CaptureStderr();
  Terminal terminal({});
  terminal.progress("gate.yaml", 0.1);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  terminal.progress("gate.yaml", 0.5);
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(Terminal, progress_of_a_long_run_is_shown_and_wiped_before_other_words) {
  CaptureStderr();
  {
    Terminal terminal({.progress = true});
    terminal.progress("gate.yaml", 0.1);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    terminal.progress("gate.yaml", 0.5);
    terminal.note("done\n");
  }
  const std::string text = GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("\r\x1b[K 50 %  gate.yaml"));
  EXPECT_THAT(text, testing::EndsWith("\r\x1b[Kdone\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("10 %"))) << "nothing is shown in the first half second";
}

TEST(Terminal, a_pipe_or_file_gets_the_full_width_without_colour_unless_columns_are_asked_for) {
  CaptureStdout();
  CaptureStderr();
  unsetenv("COLUMNS");
  const Terminal::Settings piped = Terminal::detect();
  setenv("COLUMNS", "60", 1);
  const Terminal::Settings asked = Terminal::detect();
  setenv("COLUMNS", "sixty", 1);
  const Terminal::Settings nonsense = Terminal::detect();
  setenv("COLUMNS", "1", 1);
  const Terminal::Settings narrow = Terminal::detect();
  unsetenv("COLUMNS");
  (void)GetCapturedStdout();
  (void)GetCapturedStderr();
  EXPECT_EQ(piped.width, Terminal::unlimited);
  EXPECT_FALSE(piped.colour);
  EXPECT_FALSE(piped.progress);
  EXPECT_EQ(asked.width, 60);
  EXPECT_EQ(nonsense.width, Terminal::unlimited);
  EXPECT_EQ(narrow.width, 20);
}

// Runs `use` with standard output replaced by `descriptor`.
template <class Use>
void with_output(int descriptor, const Use& use) {
  const int saved = dup(STDOUT_FILENO);
  dup2(descriptor, STDOUT_FILENO);
  use();
  dup2(saved, STDOUT_FILENO);
  close(saved);
}

TEST(Terminal, a_reader_that_went_away_is_told_from_a_fault) {
  (void)handle_signals();
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  with_output(ends[1], [] {
    Terminal terminal({});
    try {
      terminal.print("x");
      ADD_FAILURE() << "nobody reads this";
    } catch (const OutputError& error) {
      EXPECT_TRUE(error.closed());
    }
  });
  close(ends[1]);
}

TEST(Interrupt, control_c_raises_the_flag) {
  const std::atomic<bool>& flag = handle_signals();
  EXPECT_FALSE(flag);
  std::raise(SIGINT);
  EXPECT_TRUE(flag);
  EXPECT_FALSE(handle_signals()) << "a new run starts with a lowered flag";
}

TEST(Styled, colour_is_off_when_told_so) {
  EXPECT_EQ(styled("x", Style::bad, true), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(styled("x", Style::bad, false), "x");
  EXPECT_EQ(styled("x", Style::plain, true), "x");
}

TEST(Shortened, text_is_cut_at_a_character_not_inside_one) {
  EXPECT_EQ(shortened("±±±±", 3), "±±…");
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 1), "…");
  EXPECT_EQ(shortened("abcd", 0), "");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
