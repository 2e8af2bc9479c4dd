#include "cli/import/scenarios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/file_id.hpp"
#include "input/units.hpp"
#include "models/board/spec.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::cli {

const std::vector<ConfigurationKind>& configuration_kinds() {
  static const std::vector<ConfigurationKind> kinds{
      {"deepstream-app", "deepstream-app's configuration, as a scenario", calibration::deepstream_scenario},
      {"triton", "the folder of a model repository of Triton, as a scenario", calibration::triton_scenario},
      {"docker-compose", "a file of docker compose, as a scenario", calibration::compose_scenario}};
  return kinds;
}

const ConfigurationKind* find_configuration(const std::string& name) {
  const auto& kinds = configuration_kinds();
  const auto found = std::ranges::find(kinds, name, &ConfigurationKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

namespace {

// The rate as scenarios write it; empty, with a problem, if it is none.
std::string rate_in_words(const std::string& rate, input::Problems& problems) {
  if (rate.empty()) return rate;
  const auto parsed = input::parse_quantity(rate, input::rate_dimension());
  if (parsed.value && *parsed.value > 0) return fmt::format("{:g} /s", *parsed.value);
  problems.add({}, "--rate", parsed.value ? "must be positive" : parsed.message, parsed.hint);
  return {};
}

}  // namespace

ExitCode import_scenario(const ConfigurationKind& kind, const std::string& path,
                         calibration::ImportWishes wishes, const std::string& out, Context& context) {
  input::Problems problems;
  input::note_read(path);
  wishes.folder = std::filesystem::path(out).parent_path().string();
  const auto file = output::open_if_given(out);
  wishes.rate = rate_in_words(wishes.rate, problems);
  if (!wishes.device.empty()) {
    if (const auto profile = profiles::find_profile(wishes.device, problems))
      wishes.default_mode = profile->spec->default_power_mode;
  } else if (!wishes.power_mode.empty()) {
    problems.add({}, "--power-mode", "is a mode of a board", "--device NAME says which");
  }
  const auto scenario = problems.empty() ? kind.read(path, wishes, problems) : std::nullopt;
  // A configuration of another board may ask for the impossible on this one.
  if (scenario)
    static_cast<void>(scenarios::parse_scenario({scenario->text, "the scenario of " + path, wishes.folder},
                                                scenarios::shipped_catalogue(), {}, problems));
  if (!scenario || !problems.empty()) return context.terminal.refuse(problems);
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
