// `--html FILE`: a result as a self-contained HTML page with its data and its charts (web/).
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/table.hpp"
#include "scenarios/language/in_words.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::cli {

// Adds the option --html FILE.
void add_html(CLI::App& command, std::string& path);

// The page. `kind` is the command: run, sweep, plan, offload or reproduce. The function that builds `data`
// documents it; web/src/KIND.js draws it.
[[nodiscard]] std::string html_page(std::string_view kind, const std::string& title,
                                    const nlohmann::ordered_json& data);

// Lines of JSON as one array.
[[nodiscard]] nlohmann::ordered_json json_lines(const std::string& text);

// A number rounded to six significant digits, enough for a chart.
[[nodiscard]] double rounded(double value);

// The words that a page begins with, before its charts: the question, the answer as a table, why it is so,
// and how sure it is. They are those of the terminal, made by the same functions.

// A table or sentences under a heading.
struct Passage {
  std::string title;                    // empty: none
  std::vector<Table> tables = {};       // at most one
  std::vector<std::string> lines = {};  // a paragraph each
  bool wide = false;                    // true: the table needs the whole width of a screen
};

// A passage on a terminal: after an empty line the title, then the tables and the lines. Empty if it has
// none.
[[nodiscard]] std::string passage_text(const Passage& passage, int width, bool colour);

// A word that says what is wrong ("overloaded"), and the sentence behind it.
struct PageWarning {
  std::string title, text;
};

// A verdict as the first line of an answer: what is missed stands out. Empty without one.
[[nodiscard]] std::string verdict_line(const std::optional<scenarios::Verdict>& verdict, int width,
                                       bool colour);

struct PageWords {
  // On top of everything, with a bar for each of its limits and for each process without one.
  std::optional<scenarios::Verdict> verdict = {};
  std::string scenario;                   // the board in words
  std::vector<std::string> processes;     // the processes in words
  std::string run;                        // how it was run, with the seed
  std::string question = {};              // without its question mark; empty: what the scenario gives
  std::vector<Passage> answer = {};       // the tables of the first screen
  std::vector<std::string> missing = {};  // gaps of the tables, and why
  std::vector<std::string> why = {};      // at most two sentences
  std::string best = {};                  // the best change; empty: not looked for
  std::vector<std::string> trust = {};    // grades with their meanings
  std::vector<PageWarning> warnings = {};
  std::vector<Passage> more = {};  // folded
};

// The head of an answer on a terminal: what was asked, the answer, why, and how sure it is. `also`: a second
// line of the answer.
[[nodiscard]] std::string head_text(const PageWords& words, int width, bool colour,
                                    const std::string& also = {});

// All words on a terminal. Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string words_text(const PageWords& words, int width, bool colour);

// With the scenario of words already in it.
[[nodiscard]] PageWords page_words(const scenarios::InWords& scenario);

// For the data of a page, as `words`. Sentences begin with a capital and end with a full stop; those on how
// sure it is after the second are folded.
[[nodiscard]] nlohmann::ordered_json words_json(PageWords words);

// How far a real board may be from figures of a grade: "Power: a real board may differ by some 25 % (fitted:
// ...)"; with a prediction interval: "Power: 9 of 10 real boards should show 11.8 to
// 17 W (...)". Without a grade, nothing in brackets.
[[nodiscard]] std::string grade_sentence(const std::string& of, const std::string& grade,
                                         const std::string& range = {});

// The meaning of a ± beside a grade.
inline constexpr const char* repeats_sentence =
    "± and 95 % tell only how far repeats of the simulation differ";

}  // namespace jostle::cli
