#include "scenarios/language/power_mode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/readers/nvpmodel.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

using profiles::plain_mode_name;

std::vector<std::string> names_of(const profiles::NvpFile& file) {
  std::vector<std::string> names;
  for (const profiles::NvpMode& mode : file.modes) names.push_back(mode.name);
  return names;
}

// The requested mode's name, as spelled in the file.
std::optional<std::string> chosen(const profiles::NvpFile& file, const std::optional<input::Cursor>& mode,
                                  const input::Cursor& at) {
  if (!mode) {
    for (const profiles::NvpMode& candidate : file.modes) {
      if (candidate.id == file.default_id) return candidate.name;
    }
    at.problem("the file names no default mode", "mode: " + names_of(file).front());
    return std::nullopt;
  }
  const auto asked = input::Text{100}(*mode);
  if (!asked) return std::nullopt;
  if (const profiles::NvpMode* const found = find_mode(file, *asked)) return found->name;
  mode->problem(fmt::format("the file has no mode '{}'", input::printable(*asked)),
                input::spelling_hint(plain_mode_name(*asked), names_of(file)));
  return std::nullopt;
}

// The shipped variant of a board that has a mode, "jetson-orin-nano-super" of "jetson-orin-nano"; or "".
// Names with another hyphen are variants of a variant, "jetson-orin-nano-4gb-super".
std::string variant_with(const std::string& board, const std::string& mode) {
  for (const std::string& name : profiles::device_names()) {
    if (!name.starts_with(board + '-') || name.find('-', board.size() + 1) != name.npos) continue;
    input::Problems none;
    const auto variant = profiles::find_profile(name, none);
    if (variant && std::ranges::any_of(variant->spec->power_modes, [&](const board::PowerMode& known) {
          return plain_mode_name(known.name) == mode;
        }))
      return name;
  }
  return {};
}

}  // namespace

void read_power_mode(const input::Cursor& at, const LoadContext& context, Scenario& scenario) {
  if (!at.is(input::Kind::mapping)) {
    scenario.power_mode = input::Text{100}(at);
    return;
  }
  input::Mapping mapping(at, "a mapping: file, mode");
  PowerModeFile mode;
  const bool named = mapping.required("file", mode.path, input::Text{});
  const auto asked = mapping.find("mode");
  if (!named) return;
  mode.resolved = resolved(context, mode.path);
  auto file = profiles::read_nvpmodel(mode.resolved, at.problems());
  if (!file) return;
  const auto name = chosen(*file, asked, at);
  if (!name) return;
  mode.mode = *name;
  mode.file = std::make_shared<const profiles::NvpFile>(std::move(*file));
  scenario.power_mode_file = std::move(mode);
}

void check_power_mode(Scenario& scenario, const board::DeviceSpec& device, const input::Cursor& root) {
  if (scenario.power_mode_file) {
    PowerModeFile& mode = *scenario.power_mode_file;
    const auto found =
        profiles::mode_on_board(*mode.file, *find_mode(*mode.file, mode.mode), device, root.problems());
    if (found) mode.notes = found->notes;
    return;
  }
  if (!scenario.power_mode) {
    if (!device.default_power_mode.empty()) scenario.power_mode = device.default_power_mode;
    return;
  }
  std::vector<std::string> names;
  for (const board::PowerMode& mode : device.power_modes) names.push_back(mode.name);
  const std::string name = plain_mode_name(*scenario.power_mode);
  for (const std::string& known : names) {
    if (plain_mode_name(known) != name) continue;
    scenario.power_mode = known;
    return;
  }
  const std::string other = variant_with(device.name, name);
  root.descend("power_mode")
      .problem(fmt::format("{} has no power mode '{}'", device.name, input::printable(*scenario.power_mode)),
               names.empty()    ? "it has none: leave the key out"
               : !other.empty() ? fmt::format("{} has it", other)
                                : input::spelling_hint(name, names));
}

std::optional<board::PowerMode> power_mode_of(const Scenario& scenario, const board::DeviceSpec& device) {
  if (scenario.power_mode_file) {
    const profiles::NvpFile& file = *scenario.power_mode_file->file;
    input::Problems problems;  // empty for a checked scenario
    auto found =
        profiles::mode_on_board(file, *find_mode(file, scenario.power_mode_file->mode), device, problems);
    return found ? std::optional(std::move(found->mode)) : std::nullopt;
  }
  const board::PowerMode* const mode =
      board::find_power_mode(device, scenario.power_mode.value_or(device.default_power_mode));
  return mode != nullptr ? std::optional(*mode) : std::nullopt;
}

}  // namespace jostle::scenarios
