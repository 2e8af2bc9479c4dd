// `jostle reproduce`: simulates published statements and checks them.
#include "calibration/claims/reproduce.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>

#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {
namespace {

using calibration::Check;
using calibration::Reproduction;

std::string verdict(const Check& check) {
  switch (check.verdict) {
    case calibration::Verdict::holds:
      return "reproduced";
    case calibration::Verdict::shown:
      return "not judged";
    case calibration::Verdict::fails:
      break;
  }
  return check.off ? fmt::format("missed by {:+.0f} %", *check.off * 100) : "contradicted";
}

std::string verdict(const Reproduction& outcome) {
  if (!outcome.problem.empty()) return "not simulated";
  if (outcome.reproduced()) return "reproduced";
  if (outcome.judged() == 0) return "not judged";
  return fmt::format("{} of {} missed", outcome.failed(), outcome.checks.size());
}

Style style_of(bool good) {
  return good ? Style::plain : Style::bad;
}

// The basis of a prediction: "fitted: cuda_efficiency".
std::string basis(const calibration::Basis& basis) {
  std::string text(to_string(basis.kind));
  return basis.chosen.empty() ? text : fmt::format("{}: {}", text, basis.chosen);
}

// The overview: a row per statement, with its worst failed check.
Table overview(const std::vector<Reproduction>& outcomes) {
  Table table({left("claim"), shrinking("statement", 3), left("verdict"), left("basis", 3), left("grade", 4),
               shrinking("worst", 2), shrinking("claimed", 1), shrinking("predicted", 1)});
  for (const Reproduction& outcome : outcomes) {
    const Check* const worst = outcome.worst();
    table.add({std::string(outcome.statement->id), std::string(outcome.statement->text), verdict(outcome),
               std::string(to_string(outcome.statement->basis.kind)), outcome.grade,
               worst ? worst->quantity : outcome.problem, worst ? worst->claimed : "",
               worst ? worst->predicted : ""},
              style_of(outcome.failed() == 0 && outcome.problem.empty()));
  }
  return table;
}

// The table of checks, with a row for each.
Table checks(const std::vector<Reproduction>& outcomes) {
  Table table(
      {left("claim"), shrinking("quantity"), shrinking("claimed"), shrinking("predicted"), left("verdict")});
  for (const Reproduction& outcome : outcomes) {
    std::string id(outcome.statement->id);
    for (const Check& check : outcome.checks)
      table.add({std::exchange(id, ""), check.quantity, check.claimed, check.predicted, verdict(check)},
                style_of(check.verdict != calibration::Verdict::fails));
    if (!outcome.problem.empty())
      table.add({std::exchange(id, ""), outcome.problem, "", "", "not simulated"}, Style::bad);
  }
  return table;
}

// The number of reproduced statements by basis: "32 of 80 predicted, 17 of 28 fitted".
std::string by_basis(const std::vector<Reproduction>& outcomes) {
  using Kind = calibration::Basis::Kind;
  std::string text;
  for (const Kind kind : {Kind::predicted, Kind::fitted, Kind::given}) {
    std::ptrdiff_t all = 0, reproduced = 0;
    for (const Reproduction& outcome : outcomes) {
      if (outcome.statement->basis.kind != kind) continue;
      ++all;
      reproduced += outcome.reproduced() ? 1 : 0;
    }
    if (all > 0) text += fmt::format("{} of {} {}, ", reproduced, all, to_string(kind));
  }
  const auto not_judged = std::ranges::count_if(outcomes, [](const Reproduction& outcome) {
    return outcome.statement->basis.kind == Kind::not_judged;
  });
  return text + fmt::format("{} not judged", not_judged);
}

std::string summary(const std::vector<Reproduction>& outcomes) {
  const auto reproduced = std::ranges::count_if(outcomes, &Reproduction::reproduced);
  const auto not_simulated =
      std::ranges::count_if(outcomes, [](const Reproduction& outcome) { return !outcome.problem.empty(); });
  std::size_t judged = 0, missed = 0;
  for (const Reproduction& outcome : outcomes) {
    judged += outcome.judged();
    missed += outcome.failed();
  }
  return fmt::format("{} of {} statements reproduced ({}), {} not simulated; {} of {} checks hold\n",
                     reproduced, outcomes.size(), by_basis(outcomes), not_simulated, judged - missed, judged);
}

// The reasons for the statements that are missed, or not judged.
std::string reasons(const std::vector<Reproduction>& outcomes, const char* format, bool missed) {
  std::string text;
  for (const Reproduction& outcome : outcomes)
    if (missed == (outcome.failed() > 0) && !outcome.reproduced())
      if (const auto* const known = calibration::deviation_of(outcome.statement->id))
        text += fmt::format(fmt::runtime(format), outcome.statement->id, known->why());
  return text;
}

// Missed statements with one cause.
struct Misses {
  std::string cause;
  std::size_t all = 0;  // missed statements, of every cause
  std::vector<std::string_view> ids = {};

  // "9 of 52 misses: the model has one efficiency for all kernels ..."; with `named` also which: "(C02, C06,
  // ...)".
  [[nodiscard]] std::string text(std::size_t named) const {
    const std::string which = named == 0
                                  ? ""
                                  : fmt::format(" ({}{})", fmt::join(ids | std::views::take(named), ", "),
                                                ids.size() > named ? ", ..." : "");
    return fmt::format("{} of {}: {}{}", ids.size(), input::counted(all, "miss", "misses"), cause, which);
  }
};

// The causes that missed statements have in common, the largest group first.
std::vector<Misses> common_causes(const std::vector<Reproduction>& outcomes) {
  const auto all = static_cast<std::size_t>(
      std::ranges::count_if(outcomes, [](const Reproduction& outcome) { return outcome.failed() > 0; }));
  std::vector<Misses> groups;
  for (const calibration::Deviation& known : calibration::deviations())
    if (groups.empty() || groups.back().cause != known.cause) groups.push_back({known.cause, all});
  for (const Reproduction& outcome : outcomes)
    if (const auto* const known = calibration::deviation_of(outcome.statement->id);
        known != nullptr && outcome.failed() > 0)
      std::ranges::find(groups, known->cause, &Misses::cause)->ids.push_back(outcome.statement->id);
  std::erase_if(groups, [](const Misses& group) { return group.ids.empty(); });
  std::ranges::stable_sort(groups, std::greater{}, [](const Misses& group) {
    return group.cause == calibration::own_reason ? 0 : group.ids.size();
  });
  return groups;
}

// The table of docs/claims.md.
std::string markdown(const std::vector<Reproduction>& outcomes) {
  Table table(
      {left("claim"), left("kind"), left("statement"), left("basis"), left("grade"), left("verdict")});
  for (const Reproduction& outcome : outcomes)
    table.add({std::string(outcome.statement->id), std::string(outcome.statement->kind),
               std::string(outcome.statement->text), basis(outcome.statement->basis), outcome.grade,
               verdict(outcome)});
  return summary(outcomes) + "\n" + table.markdown() +
         "\n## Statements that are not reproduced, and why\n\n" + reasons(outcomes, "- **{}** {}\n", true) +
         "\n## Statements that are not judged, and why\n\n" + reasons(outcomes, "- **{}** {}\n", false) +
         "\n## Every check\n\n" + checks(outcomes).markdown();
}

// The field `get` of each check: "resnet50: 9.75 x; yolov8n: 3 x".
std::string joined(const Reproduction& outcome, std::string Check::*get) {
  std::string text;
  for (const Check& check : outcome.checks)
    text += (text.empty() ? "" : "; ") + check.quantity + ": " + check.*get;
  return text;
}

// The relative error of greatest magnitude among values and bounds.
std::optional<double> error(const Reproduction& outcome) {
  std::optional<double> most;
  for (const Check& check : outcome.checks)
    if (check.off && std::abs(*check.off) >= std::abs(most.value_or(0))) most = check.off;
  return most;
}

// A line with one JSON object per statement.
std::string json(const std::vector<Reproduction>& outcomes) {
  using Json = nlohmann::ordered_json;
  std::string lines;
  for (const Reproduction& outcome : outcomes) {
    const auto off = error(outcome);
    const auto* const known = calibration::deviation_of(outcome.statement->id);
    Json entry{
        {"id", outcome.statement->id},
        {"stated", joined(outcome, &Check::claimed)},
        {"simulated", outcome.problem.empty() ? Json(joined(outcome, &Check::predicted)) : Json()},
        {"error", off ? Json(*off) : Json()},
        {"holds", outcome.reproduced()},
        {"grade", outcome.grade.empty() ? Json() : Json(outcome.grade)},
        {"why", outcome.reproduced()      ? Json()
                : outcome.problem.empty() ? Json(known != nullptr ? known->why() : "")
                                          : Json(outcome.problem)},
        {"basis", to_string(outcome.statement->basis.kind)},
        {"chosen", outcome.statement->basis.chosen.empty() ? Json() : Json(outcome.statement->basis.chosen)},
        {"source", calibration::source_of(outcome.statement->id)},
        {"kind", outcome.statement->kind},
        {"statement", outcome.statement->text},
        {"checks", Json::array()}};
    for (const Check& check : outcome.checks)
      entry["checks"].push_back({{"quantity", check.quantity},
                                 {"stated", check.claimed},
                                 {"simulated", check.predicted},
                                 {"error", check.off ? Json(*check.off) : Json()},
                                 {"verdict", verdict(check)}});
    entry["cause"] = known != nullptr && outcome.failed() > 0 ? Json(known->cause) : Json();
    lines += output::json_text(entry) + "\n";
  }
  return lines;
}

// The numbers of statements that hold, fail and cannot be judged: "Of 4 statements, 2 are reproduced, 1 is
// missed and 1 cannot be judged; 9 of 12 checks hold".
std::string hold_words(const std::vector<Reproduction>& outcomes) {
  std::size_t hold = 0, judged = 0, missed = 0, failing = 0;
  for (const Reproduction& outcome : outcomes) {
    judged += outcome.judged();
    missed += outcome.failed();
    if (outcome.reproduced())
      ++hold;
    else if (outcome.statement->basis.kind != calibration::Basis::Kind::not_judged)
      ++failing;
  }
  const auto are = [](std::size_t count) { return count == 1 ? "is" : "are"; };
  return fmt::format("of {}, {} {} reproduced, {} {} missed and {} cannot be judged; {} of {} checks hold",
                     input::counted(outcomes.size(), "statement"), hold, are(hold), failing, are(failing),
                     outcomes.size() - hold - failing, judged - missed, judged);
}

// How far to trust a prediction after this: the statements that nothing was chosen to match, and the others.
std::vector<std::string> trust_of(const std::vector<Reproduction>& outcomes) {
  std::size_t blind = 0, hold = 0;
  for (const Reproduction& outcome : outcomes) {
    if (outcome.statement->basis.kind != calibration::Basis::Kind::predicted) continue;
    ++blind;
    hold += outcome.reproduced() ? 1 : 0;
  }
  std::vector<std::string> found;
  if (blind > 0)
    found.push_back(fmt::format(
        "Nothing was chosen to match {} of these statements, and {} of them hold: a prediction of this kind "
        "comes true in about {:.0f} of 10 cases (a value counts if it is within 15 %)",
        blind, hold, 10.0 * static_cast<double>(hold) / static_cast<double>(blind)));
  found.push_back(
      "In full: " + by_basis(outcomes) +
      " (fitted: a parameter was chosen to match the same work; given: true of the model by itself)");
  return found;
}

// The head of the page: the summary, the reproduced statements by source, and what the worst misses rest on.
PageWords reproduce_words(const std::vector<Reproduction>& outcomes) {
  PageWords words;
  words.question =
      "How much of what published studies measured does the simulator reproduce, each statement simulated "
      "again, and why does it miss the rest";
  words.answer.push_back({"", {}, {hold_words(outcomes)}});
  Table table({shrinking("source"), right("reproduced"), right("missed"), right("not judged", 40),
               right("statements", 30)});
  std::vector<std::string> sources;
  for (const Reproduction& outcome : outcomes)
    if (const std::string source(calibration::source_of(outcome.statement->id));
        std::ranges::find(sources, source) == sources.end())
      sources.push_back(source);
  for (const std::string& source : sources) {
    std::array<std::size_t, 3> counts{};  // reproduced, not judged, missed
    for (const Reproduction& outcome : outcomes) {
      if (source != calibration::source_of(outcome.statement->id)) continue;
      const bool judged = outcome.statement->basis.kind != calibration::Basis::Kind::not_judged;
      ++counts.at(!judged ? 1 : outcome.reproduced() ? 0 : 2);
    }
    table.add({source, fmt::format("{}", counts[0]), fmt::format("{}", counts[2]),
               fmt::format("{}", counts[1]), fmt::format("{}", counts[0] + counts[1] + counts[2])});
  }
  words.answer.push_back({"by source", {table}});
  Passage causes{"why the misses miss"};
  for (const Misses& group : common_causes(outcomes)) {
    words.why.push_back(group.text(0));
    causes.lines.push_back(group.text(outcomes.size()));
  }
  words.more.push_back(std::move(causes));
  words.trust = trust_of(outcomes);
  return words;
}

struct ReproduceOptions {
  std::vector<std::string> ids;
  bool details = false, markdown = false;
  std::string format = "table", html;
};

std::string printed(const std::vector<Reproduction>& outcomes, const ReproduceOptions& options,
                    const Terminal& terminal) {
  if (options.markdown) return markdown(outcomes);
  const Table table = options.details ? checks(outcomes) : overview(outcomes);
  std::string text = summary(outcomes);
  for (const Misses& group : common_causes(outcomes)) text += paragraph(group.text(3), terminal.width(), 2);
  text += paragraph("how sure: " + trust_of(outcomes).front(), terminal.width(), 0) + "\n" +
          table.text(terminal.width(), terminal.colour());
  if (options.details)
    text += "\n" + reasons(outcomes, "{}: {}\n", true) + reasons(outcomes, "{}: {}\n", false);
  return text;
}

ExitCode reproduce(const ReproduceOptions& options, Context& context) {
  std::vector<const calibration::Statement*> wanted;
  for (const std::string& id : options.ids) {
    wanted.push_back(calibration::find_statement(id));
    if (wanted.back() == nullptr)
      return context.terminal.refuse(
          fmt::format("no statement '{}'; `jostle reproduce` lists all", input::printable(id)));
  }
  if (wanted.empty()) wanted = calibration::statements();
  const auto page = output::open_if_given(options.html);
  calibration::Runs runs(&context.interrupted);
  std::vector<Reproduction> outcomes;
  for (const calibration::Statement* statement : wanted) {
    context.terminal.progress(fmt::format("reproduce {}", statement->id),
                              static_cast<double>(outcomes.size()) / static_cast<double>(wanted.size()));
    outcomes.push_back(calibration::reproduce(*statement, runs));
  }
  context.terminal.clear_progress();
  if (options.format == "json")
    context.terminal.print_data(json(outcomes));
  else
    context.terminal.print(printed(outcomes, options, context.terminal));
  if (page)
    output::write_whole(*page, html_page("reproduce", "Published statements",
                                         {{"words", words_json(reproduce_words(outcomes))},
                                          {"claims", json_lines(json(outcomes))}}));
  return std::ranges::all_of(outcomes, &Reproduction::expected) ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_reproduce(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("reproduce", "Simulate published statements and check whether they are reproduced");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("ID", options->ids, "Statements, such as C06 or c06 (default: all)");
  command->add_flag("--details", options->details,
                    "Print every check of every statement, and the reasons for failures");
  CLI::Option* const markdown =
      command->add_flag("--markdown", options->markdown, "Print the tables of docs/claims.md");
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->excludes(markdown);
  markdown->excludes("--details");
  add_html(*command, options->html);
  add_examples(*command, {"reproduce C06 --details", "reproduce --format json"});
  set_task(*command, task, options, reproduce);
}

}  // namespace jostle::cli
