// The result of a fleet plan as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "analyses/plan/words.hpp"
#include "cli/plan/text.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/result/metric_json.hpp"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;
using analyses::Criterion;
using analyses::Fleet;
using analyses::FleetChoice;
using scenarios::Interval;
using scenarios::Metric;

std::string interval_note(const Interval& interval) {
  return interval ? fmt::format(" (90 % interval {} to {})", significant(interval->first, 3),
                                significant(interval->second, 3))
                  : std::string();
}

std::string grade_note(const FleetChoice& choice) {
  return choice.power_grade ? fmt::format(" ({})", *choice.power_grade) : std::string();
}

// The power mode, with the JetPack that it needs; a dash: there is none.
std::string mode_of(const FleetChoice& choice) {
  return input::printable(choice.power_mode.value_or("–")) +
         (choice.jetpack.empty() ? "" : fmt::format(" (JetPack {})", input::printable(choice.jetpack)));
}

// The board with its settings, its costs and how sure they are.
std::string choice_sentence(const Fleet& fleet, const FleetChoice& choice) {
  std::string text = fleet_name(fleet, choice);
  if (choice.power_mode) text += ", mode " + mode_of(choice);
  if (output::parsed_json(choice.settings).size() > 0)
    text += ": " + analyses::plain_settings(choice.settings);
  if (choice.price) text += fmt::format("; price {:.6g}", *choice.price);
  if (choice.cost_per_hour)
    text += fmt::format("; cost {:.3g} an hour, {:.3g} a million frames", *choice.cost_per_hour,
                        *choice.cost_per_million);
  if (choice.energy_per_hour)
    text += fmt::format(", of it energy {:.3g} and {:.3g}{}", *choice.energy_per_hour,
                        *choice.energy_per_million, grade_note(choice));
  if (!choice.price && !choice.cost_per_hour) text += "; no price known";
  text += fmt::format("; {}{}{}", watts_words(choice), grade_note(choice), interval_note(choice.power_pi90));
  text +=
      fmt::format("; means of {}, feasible in {} of repeats",
                  input::counted(choice.replications, "replication"), probability_text(choice.p_feasible));
  return text;
}

// Why it takes so many boards of this type, and what the busiest hour and lost boards cost.
std::vector<std::string> why_so_many(const Fleet& fleet, const FleetChoice& choice) {
  std::vector<std::string> found;
  if (const auto& fewer = choice.fewer_boards)
    found.push_back(fmt::format("with {} ({} a board{}): {}", input::counted(fewer->boards, "board"),
                                input::counted(fewer->cameras, "camera"),
                                fleet.spare > 0 ? fmt::format(" once {} is lost", fleet.spare) : "",
                                fewer->why));
  const bool all = choice.capacity >= fleet.cameras && fleet.cameras > 1;
  const std::string mode =
      choice.modes > 1 && choice.power_mode
          ? fmt::format("so set, in mode {}, the least power of the {} that were tried, ", mode_of(choice),
                        choice.modes)
          : "";
  found.push_back(fmt::format("{}one board carries {}{}", mode, all ? "all " : "", carries_sentence(choice)));
  if (choice.strongest)
    found.back() += fmt::format("; the most is {}{}", choice.strongest->cameras, choice.strongest->setting);
  std::ranges::copy(margin_costs(fleet, choice), std::back_inserter(found));
  return found;
}

double price_if(const Fleet& fleet, const FleetChoice& choice, std::int64_t carries) {
  return *choice.price / static_cast<double>(choice.boards) * static_cast<double>(boards_if(fleet, carries));
}

// The kinds that are neither bought nor rented at a known price; empty: there is none.
std::string price_note(const Fleet& fleet) {
  std::vector<std::string> devices;
  for (const FleetChoice& choice : fleet.choices)
    if (!choice.price && !choice.cost_per_hour) devices.push_back(choice.device);
  if (devices.empty()) return {};
  return fmt::format(
      "no price of {} is known, so whether it is cheaper is not: give it under fleet.price, that of a card "
      "with its server",
      fmt::join(devices, ", "));
}

// The first choice (there is one) if the model were off by its usual error: "at the model's usual error of 25
// % a board carries 16 to 27 cameras: it would be 2 to 3 boards; jetson-nano stays the cheapest". Empty
// without a grade.
std::string fleet_decision(const Fleet& fleet) {
  const FleetChoice& first = fleet.choices.front();
  if (!first.if_off) return {};
  const auto& [error, slow, fast] = *first.if_off;
  const std::int64_t carries = std::max(slow, first.strongest ? first.strongest->slow : 0);
  const std::int64_t least = boards_if(fleet, fast), most = boards_if(fleet, carries);
  std::string text = fmt::format(
      "at the model's usual error of {:.0f} % a board carries {} to {} cameras{}: ", 100 * error, slow, fast,
      carries > slow ? fmt::format(" so set, a slow one {}{}", carries, first.strongest->setting) : "");
  if (carries == 0) return text + "it may not carry one";
  text += least == most ? fmt::format("it stays at {}", input::counted(least, "board"))
                        : fmt::format("it would be {} to {} boards", least, most);
  if (!first.price) return text;
  const auto priced = [&](const FleetChoice& other) {
    return &other != &first && other.price && other.if_off && other.if_off->fast > 0;
  };
  if (std::ranges::none_of(fleet.choices, priced)) return text;
  const double dearest = price_if(fleet, first, carries);
  const auto rival = std::ranges::find_if(fleet.choices, [&](const FleetChoice& other) {
    return priced(other) && price_if(fleet, other, other.if_off->fast) < dearest;
  });
  return text + (rival == fleet.choices.end() ? fmt::format("; {} stays the cheapest{}", first.device,
                                                            all_bought(fleet) ? "" : " of those with a price")
                                              : fmt::format("; then {} may be cheaper", rival->device));
}

Table fleet_table(const Fleet& fleet) {
  Table table({left("board"), shrinking("mode", 70), right("boards"), right("cameras/board", 50),
               right("max cameras/board", 40), right("W"), left("grade", 48), right("kWh/day", 45),
               right("mJ/frame", 30), right("p99 ms", 65), right("price"), right("an hour", 55)});
  const auto number = [](const Metric& value, int digits) {
    return value ? significant(*value, digits) : "–";
  };
  for (const FleetChoice& choice : fleet.choices)
    table.add(
        {choice.device +
             (choice.host_w    ? " (server)"
              : choice.is_card ? " (card)"
                               : "") +
             (choice.rtt_ms ? fmt::format(" at {} ms", significant(*choice.rtt_ms, 3)) : ""),
         mode_of(choice), fmt::format("{}", choice.boards), fmt::format("{}", choice.max_cameras),
         fmt::format("{}", choice.capacity), significant(choice.power_w, 3), choice.power_grade.value_or("–"),
         significant(choice.energy_kwh_day, 3), number(choice.energy_per_frame_mj, 3),
         number(choice.p99_ms, 3), choice.price ? fmt::format("{:.6g}", *choice.price) : "–",
         choice.cost_per_hour ? fmt::format("{:.3g}", *choice.cost_per_hour) : "–"},
        &choice == &fleet.choices.front() ? Style::strong : Style::plain);
  for (const analyses::LeftOut& left_out : fleet.carry_none) {
    std::vector<std::string> cells(12, "–");
    cells.front() = left_out.device;
    cells[2] = "none";
    table.add(std::move(cells), Style::bad);
  }
  return table;
}

// Boards of several types for a lower price; empty: there is no such combination.
std::string mix_sentence(const Fleet& fleet) {
  if (!fleet.mix) return {};
  std::string mix;
  for (std::size_t i = 0; i < fleet.choices.size(); ++i)
    if (fleet.mix->boards[i] > 0)
      mix += fmt::format("{}{} x {} ({})", mix.empty() ? "" : " + ", fleet.mix->boards[i],
                         fleet.choices[i].device, input::counted(fleet.mix->cameras[i], "camera"));
  return fleet.mix->per_hour ? fmt::format("Cheaper combination: {}, {:.3g} an hour", mix, fleet.mix->price)
                             : fmt::format("Cheaper combination: {}, price {:.6g}", mix, fleet.mix->price);
}

}  // namespace

PageWords fleet_words(const Fleet& fleet, const scenarios::InWords& scenario) {
  PageWords words = page_words(scenario);
  std::vector<std::string> boards;
  for (const FleetChoice& choice : fleet.choices) boards.push_back(choice.device);
  for (const analyses::LeftOut& left_out : fleet.carry_none) boards.push_back(left_out.device);
  words.scenario = fmt::format("{} on {}{}{}", fleet.asked.networks, fmt::join(boards, ", "),
                               fleet.asked.board.empty() ? "" : ", ", fleet.asked.board);
  words.processes.clear();
  words.verdict = verdict_of(fleet);
  words.question = words.verdict->question;
  Passage answer{"", {fleet_table(fleet)}};
  if (!fleet.choices.empty()) {
    const FleetChoice& first = fleet.choices.front();
    words.why = why_so_many(fleet, first);
    if (std::string decision = fleet_decision(fleet); !decision.empty())
      words.trust.push_back(std::move(decision));
    const auto range = [](const Interval& pi90, const char* unit) {
      return pi90
                 ? fmt::format("{} to {} {}", significant(pi90->first, 3), significant(pi90->second, 3), unit)
                 : std::string();
    };
    if (!first.grade.empty()) words.trust.push_back(grade_sentence("Throughput and latency", first.grade));
    if (first.power_grade)
      words.trust.push_back(grade_sentence(first.power_pi90 ? "Power" : "Power and energy",
                                           *first.power_grade, range(first.power_pi90, "W")));
    if (!first.sharing_note.empty()) words.warnings.push_back({"sharing", first.sharing_note});
    words.trust.emplace_back(repeats_sentence);
  }
  for (const analyses::LeftOut& one : fleet.carry_none) answer.lines.push_back(one.text());
  words.answer.push_back(std::move(answer));
  words.more.push_back(
      {"how it was searched",
       {},
       {fmt::format("{} of {} simulated in {}", input::counted(fleet.settings, "configuration"),
                    input::counted(fleet.choices.size() + fleet.carry_none.size(), "board type"),
                    input::counted(fleet.simulated, "run"))}});
  words.best = mix_sentence(fleet);
  for (const std::string& note : {fleet.power_note, price_note(fleet)})
    if (!note.empty()) words.warnings.push_back({"note", note});
  for (const FleetChoice& choice : fleet.choices) {
    std::vector<std::string> lines{choice_sentence(fleet, choice)};
    std::ranges::copy(why_so_many(fleet, choice), std::back_inserter(lines));
    words.more.push_back({fleet_name(fleet, choice), {}, std::move(lines)});
  }
  return words;
}

}  // namespace jostle::cli
