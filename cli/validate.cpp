// `jostle validate`: predictions against the measured runs that ship with this build.
#include "scenarios/validate/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include "calibration/profile/profile.hpp"
#include "cli/subcommand.hpp"
#include "cli/table.hpp"
#include "scenarios/validate/boards.hpp"

namespace jostle::cli {
namespace {

// Ctrl-C, between two groups of runs.
struct Interrupted : std::exception {};

std::string percent(double share, const char* format = "{:.2f}") {
  return fmt::format(fmt::runtime(format), share * 100);
}

// What was asked, and whether it was reached.
std::string asked(const scenarios::ErrorSummary& row) {
  if (!row.bound) return "";
  const std::string limit = percent(row.bound->limit, "{:g}");
  const std::string verdict = row.missed() ? "missed" : "reached";
  if (row.bound->judged != scenarios::Judged::each) {
    const bool mean = row.bound->judged == scenarios::Judged::mean;
    return fmt::format("{} ≤ {}: {}", mean ? "mean" : "median", limit, verdict);
  }
  return fmt::format("each ≤ {}: {}", limit,
                     row.missed() ? fmt::format("{} of {} beyond", row.beyond, row.count) : verdict);
}

Table summary(const std::vector<scenarios::ComparisonGroup>& groups) {
  Table table({{"runs", Align::left, 0, true},
               {"quantity", Align::left, 0, true},
               {"n", Align::right, 3},
               {"|error| %", Align::right},
               {"median %", Align::right, 4},
               {"bias %", Align::right, 4},
               {"worst %", Align::right, 2},
               {"worst run", Align::left, 1, true},
               {"asked, %", Align::left, 5}});
  for (const scenarios::ComparisonGroup& group : groups) {
    bool first = true;
    for (const scenarios::ErrorSummary& row : scenarios::summarise(group)) {
      table.add({first ? group.name : "", row.quantity, fmt::format("{}", row.count),
                 percent(row.mean_absolute), percent(row.median_absolute), percent(row.bias, "{:+.2f}"),
                 percent(row.worst, "{:+.2f}"), row.worst_run, asked(row)});
      first = false;
    }
  }
  return table;
}

// Every figure of every run, or those that miss a bound which is asked of each.
Table details(const std::vector<scenarios::ComparisonGroup>& groups, bool only_beyond) {
  Table table({{"run", Align::left, 0, true},
               {"quantity", Align::left, 0, true},
               {"measured", Align::right},
               {"predicted", Align::right},
               {"error %", Align::right}});
  for (const scenarios::ComparisonGroup& group : groups) {
    for (const scenarios::Comparison& row : group.comparisons) {
      const auto beyond = [&row](const scenarios::Bound& bound) {
        return bound.judged == scenarios::Judged::each && bound.quantity == row.quantity &&
               std::abs(row.error()) > bound.limit;
      };
      if (only_beyond && std::ranges::none_of(group.bounds, beyond)) continue;
      table.add({row.run, row.quantity, fmt::format("{:.2f}", row.measured),
                 fmt::format("{:.2f}", row.predicted), percent(row.error(), "{:+.2f}")});
    }
  }
  return table;
}

// For docs/validation.md.
std::string markdown(const std::vector<scenarios::ComparisonGroup>& groups) {
  return summary(groups).markdown() + "\nConfigurations beyond what is asked of each:\n\n" +
         details(groups, true).markdown();
}

struct Options {
  std::string subject;
  bool details = false, markdown = false, fit = false;
  std::vector<std::string> set;
};

std::vector<scenarios::ComparisonGroup> compare(const Options& options, const calibration::Profile& h200,
                                                const std::function<void(double)>& progress) {
  std::vector<scenarios::ComparisonGroup> groups;
  if (options.subject != "boards") groups = scenarios::validate_h200(h200, progress);
  if (options.subject != "h200") {
    for (scenarios::ComparisonGroup& group : scenarios::validate_boards(progress))
      groups.push_back(std::move(group));
  }
  return groups;
}

ExitCode validate(const Options& options, Context& context) {
  input::Problems problems;
  const auto profile = calibration::parse_profile(calibration::device_text("nvidia-h200").value_or(""),
                                                  "nvidia-h200", problems, options.set);
  if (!profile) {
    context.terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  const auto progress = [&context](double done) {
    if (context.interrupted) throw Interrupted();
    context.terminal.progress("validate", done);
  };
  std::string text;
  try {
    if (options.fit) {
      text = scenarios::factors_csv(scenarios::fit_board_factors(progress));
    } else {
      const auto groups = compare(options, *profile, progress);
      text = options.markdown ? markdown(groups)
                              : (options.details ? details(groups, false) : summary(groups))
                                    .text(context.terminal.width(), context.terminal.colour());
    }
  } catch (const Interrupted&) {
    context.terminal.complain("interrupted");
    return ExitCode::interrupted;
  }
  context.terminal.clear_progress();
  context.terminal.print(text);
  return ExitCode::done;
}

}  // namespace

void add_validate(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("validate", "Simulate the measured runs that ship with this build and compare");
  const auto options = std::make_shared<Options>();
  command
      ->add_option(
          "SUBJECT", options->subject,
          "h200: contention, measured for jostle; boards: published times of Jetsons; both if absent")
      ->check(CLI::IsMember({"h200", "boards"}))
      ->type_name("");
  command->add_flag("--details", options->details, "Every figure of every run");
  command->add_flag("--markdown", options->markdown, "The tables of docs/validation.md")
      ->excludes("--details");
  command
      ->add_flag("--fit", options->fit,
                 "Fit the cost model's factors on the boards' runs; prints calibration/factors.csv")
      ->excludes("--details")
      ->excludes("--markdown");
  command
      ->add_option("--set", options->set,
                   "Change a figure of the H200's profile: gpu.time_slicing.slice='1 ms'")
      ->type_name("KEY=VALUE");
  command->callback(
      [&task, options] { task = [options](Context& context) { return validate(*options, context); }; });
}

}  // namespace jostle::cli
