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
  if (!row.bound->each) return fmt::format("mean ≤ {}: {}", limit, verdict);
  return fmt::format("each ≤ {}: {}", limit,
                     row.missed() ? fmt::format("{} of {} beyond", row.beyond, row.count) : verdict);
}

Table summary(const std::vector<scenarios::ComparisonGroup>& groups) {
  Table table({{"runs", Align::left, 0, true},
               {"quantity", Align::left, 0, true},
               {"n", Align::right, 3},
               {"|error| %", Align::right},
               {"bias %", Align::right, 4},
               {"worst %", Align::right, 2},
               {"worst run", Align::left, 1, true},
               {"asked, %", Align::left, 5}});
  for (const scenarios::ComparisonGroup& group : groups) {
    bool first = true;
    for (const scenarios::ErrorSummary& row : scenarios::summarise(group)) {
      table.add({first ? group.name : "", row.quantity, fmt::format("{}", row.count),
                 percent(row.mean_absolute), percent(row.bias, "{:+.2f}"), percent(row.worst, "{:+.2f}"),
                 row.worst_run, asked(row)});
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
        return bound.each && bound.quantity == row.quantity && std::abs(row.error()) > bound.limit;
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

}  // namespace

void add_validate(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("validate", "Simulate the measured runs that ship with this build and compare");
  struct Options {
    bool details = false, markdown = false;
    std::vector<std::string> set;
  };
  const auto options = std::make_shared<Options>();
  command->add_flag("--details", options->details, "Every figure of every run");
  command->add_flag("--markdown", options->markdown, "The tables of docs/validation.md")
      ->excludes("--details");
  command->add_option("--set", options->set, "Change a figure of the profile: gpu.time_slicing.slice='1 ms'")
      ->type_name("KEY=VALUE");
  command->callback([&task, options] {
    task = [options](Context& context) {
      input::Problems problems;
      const auto profile = calibration::parse_profile(calibration::device_text("nvidia-h200").value_or(""),
                                                      "nvidia-h200", problems, options->set);
      if (!profile) {
        context.terminal.note(problems.text());
        return ExitCode::bad_input;
      }
      std::vector<scenarios::ComparisonGroup> groups;
      try {
        groups = scenarios::validate_h200(*profile, [&context](double done) {
          if (context.interrupted) throw Interrupted();
          context.terminal.progress("validate", done);
        });
      } catch (const Interrupted&) {
        context.terminal.complain("interrupted");
        return ExitCode::interrupted;
      }
      context.terminal.clear_progress();
      if (options->markdown) {
        context.terminal.print(markdown(groups));
        return ExitCode::done;
      }
      const Table table = options->details ? details(groups, false) : summary(groups);
      context.terminal.print(table.text(context.terminal.width(), context.terminal.colour()));
      return ExitCode::done;
    };
  });
}

}  // namespace jostle::cli
