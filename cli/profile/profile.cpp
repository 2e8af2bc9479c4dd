// `jostle profile compare`: two device profiles side by side.
#include "profiles/profile/profile.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "profiles/profile/difference.hpp"

namespace jostle::cli {
namespace {

struct CompareProfilesOptions {
  std::string first, second, block;
};

std::string shown_value(const std::optional<profiles::ProfileParameter>& parameter) {
  return parameter ? parameter->value : none;
}

std::string shown_grade(const std::optional<profiles::ProfileParameter>& parameter) {
  return parameter ? to_string(parameter->from.grade) : "";
}

ExitCode compare_profiles(const CompareProfilesOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  const auto first = profiles::find_profile(options.first, problems);
  const auto second = profiles::find_profile(options.second, problems);
  if (!first || !second) return terminal.refuse(problems);
  const profiles::ProfileDifference difference = profiles::profile_difference(*first, *second);
  Table table({left("parameter"),
               {input::printable(options.first), Align::right, 0, true},
               left("grade", 1),
               {input::printable(options.second), Align::right, 0, true},
               left("grade", 2),
               right("ratio")});
  for (const profiles::ParameterDifference& each : difference.parameters) {
    if (!each.path.starts_with(options.block)) continue;
    table.add({each.path, shown_value(each.first), shown_grade(each.first), shown_value(each.second),
               shown_grade(each.second), each.ratio ? fmt::format("{:.3g}", *each.ratio) : ""});
  }
  if (table.rows() > 0) terminal.print(table.text(terminal.width(), terminal.colour()) + '\n');
  const std::string inside = options.block.empty() ? ""
                                                   : fmt::format(", {} of them in {}", table.rows(),
                                                                 input::printable(options.block));
  terminal.print(fmt::format("Different: {}{}. Equal: {}.\n",
                             input::counted(difference.parameters.size(), "parameter"), inside,
                             difference.equal));
  return ExitCode::done;
}

}  // namespace

void add_profile(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("profile", "Look at device profiles");
  command->require_subcommand(1);
  CLI::App* const compare =
      command->add_subcommand("compare", "Print the parameters in which two profiles differ");
  const auto options = std::make_shared<CompareProfilesOptions>();
  compare->add_option("A", options->first, "A shipped profile, or a .yaml file")->required()->type_name("");
  compare->add_option("B", options->second, "Another one; ratios are its values over those of A")
      ->required()
      ->type_name("");
  compare
      ->add_option("--block", options->block, "Only parameters whose path begins so: cpu, gpu.time_slicing")
      ->type_name("PATH");
  const auto examples = {"profile compare nvidia-h100 nvidia-h200 --block gpu.time_slicing",
                         "profile compare jetson-orin-nano my-board.yaml"};
  add_examples(*compare, examples);
  add_examples(*command, examples);
  compare->callback([&task, options] {
    task = [options](Context& context) { return compare_profiles(*options, context); };
  });
}

}  // namespace jostle::cli
