// The comparison of online tuners as text.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/plan/text.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using analyses::OnlineAnswer;
using analyses::OnlineTrack;

Json settings_of(const OnlineAnswer& answer, std::size_t candidate) {
  return output::parsed_json(answer.candidates.values(candidate));
}

std::string online_settings_text(const Json& settings) {
  std::string text;
  for (const auto& [key, value] : settings.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        value.is_string() ? value.get<std::string>() : output::json_text(value));
  return text;
}

}  // namespace

std::string online_text(const std::string& file, const OnlineAnswer& answer, int width, bool colour) {
  const auto& tracks = answer.comparison.tracks;
  const std::size_t windows = tracks.front().regret.size();
  std::string text =
      paragraph(
          fmt::format("{}: {}, {} of {} s", file, input::counted(answer.candidates.size(), "configuration"),
                      input::counted(windows, "window"), input::decimal(answer.window_s, 3)),
          width, 0) +
      paragraph("true optimum: " + online_settings_text(settings_of(answer, answer.comparison.best)), width,
                2);
  const auto at = [&](double share) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(windows)));
  };
  const std::size_t early = at(0.1), middle = at(1.0 / 3);
  Table table({shrinking("tuner"), right("configurations", 40), right("converged after", 50),
               right(fmt::format("regret at {}", early), 20), right(fmt::format("at {}", middle), 30),
               right(fmt::format("at {}", windows)), right("last score", 45)});
  const std::string note = analyses::power_note(answer);
  for (const OnlineTrack& track : tracks)
    table.add({track.method, fmt::format("{}", track.tried),
               track.settled ? fmt::format("{}", *track.settled) : "never",
               fmt::format("{:.1f}", track.regret[early - 1]),
               fmt::format("{:.1f}", track.regret[middle - 1]), fmt::format("{:.1f}", track.regret.back()),
               fmt::format("{:.1f} %", 100 * track.last_score)});
  return text + "\n" + table.text(width, colour) +
         (note.empty() ? std::string() : paragraph("note: " + note, width, 0)) +
         paragraph(
             "Regret: sum over the windows so far of 1 - score. Score: first objective relative to the "
             "optimum, 0 if a limit is violated. Converged: all later windows are within 1 % of the optimum.",
             width, 0);
}

}  // namespace jostle::cli
