#include "cli/import/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/file_id.hpp"
#include "output/output_file.hpp"

namespace jostle::cli {

const std::vector<ConfigurationKind>& configuration_kinds() {
  static const std::vector<ConfigurationKind> kinds{
      {"deepstream-app", "deepstream-app's configuration, as a scenario", calibration::deepstream_scenario},
      {"triton", "the folder of a model repository of Triton, as a scenario", calibration::triton_scenario}};
  return kinds;
}

const ConfigurationKind* find_configuration(const std::string& name) {
  const auto& kinds = configuration_kinds();
  const auto found = std::ranges::find(kinds, name, &ConfigurationKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

ExitCode import_scenario(const ConfigurationKind& kind, const std::string& path,
                         calibration::ImportWishes wishes, const std::string& out, Context& context) {
  input::Problems problems;
  input::note_read(path);
  wishes.folder = std::filesystem::path(out).parent_path().string();
  const auto file = output::open_if_given(out);
  const auto scenario = kind.read(path, wishes, problems);
  if (!scenario) {
    context.terminal.note(problems.text());
    return ExitCode::bad_input;
  }
  if (file)
    output::write_whole(*file, scenario->text);
  else
    context.terminal.print_data(scenario->text);
  std::string notes;
  for (const std::string& line : scenario->unsaid) notes += fmt::format("not said: {}\n", line);
  context.terminal.note(notes);
  return ExitCode::done;
}

}  // namespace jostle::cli
