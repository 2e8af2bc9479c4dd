#include "cli/explain/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analyses/interval/power_interval.hpp"
#include "analyses/metrics/metric.hpp"
#include "analyses/verdict/verdict.hpp"
#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/units.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/starved.hpp"

namespace jostle::cli {
namespace {

using analyses::Change;
using analyses::Explained;
using analyses::Explanation;
using analyses::Tried;
using scenarios::Metric;

constexpr int longest_bar = 40;
constexpr std::size_t longest_label = 30, longest_header = 24;

// True if the rates of equal processes differ, so that one of them does not represent all.
bool differs(double least, double most) {
  return most - least > 0.05 * most;
}
std::string rates(double least, double most) {
  const auto rate = [](double one) { return one == 0 ? "0" : significant(one, 4); };
  return differs(least, most) ? rate(least) + " to " + rate(most) : rate((least + most) / 2);
}

// The headline of a group: "4 x resnet50 fp16 b1 tensorrt: 61.2 images/s each, p99 65.3 ms"; for one that
// does not keep up "61.2 of 70 images/s each, latency grows"; for equal ones with different rates "0 to 333
// images/s".
std::string headline(const Explanation& explanation, const Explained& explained) {
  double least = 0, most = 0, offered = 0;
  Metric p99 = 0.0, mean = 0.0;  // the worst of the group; none if one is not known
  bool first = true;
  for (const std::size_t index : explained.group.processes) {
    const scenarios::ProcessResult& process = explanation.result.processes[index];
    if (!process.throughput.mean) continue;
    least = first ? *process.throughput.mean : std::min(least, *process.throughput.mean);
    most = std::max(most, *process.throughput.mean);
    const auto worse = [](const Metric& worst, const Metric& own) {
      return worst && own ? Metric(std::max(*worst, *own)) : std::nullopt;
    };
    p99 = worse(p99, process.latency_ms.p99);
    mean = worse(mean, process.latency_ms.mean);
    if (process.stable == false) offered = std::max(offered, process.offered.value_or(0));
    first = false;
  }
  if (first) return explained.group.label;
  const bool differ = differs(least, most);
  const std::string rate = rates(least, most);
  const char* each = explained.group.processes.size() > 1 && !differ ? " each" : "";
  const scenarios::ProcessResult& one = explanation.result.processes[explained.group.processes.front()];
  if (offered > 0)
    return fmt::format("{}: {} of {} {}{}, latency grows", explained.group.label, rate,
                       input::decimal(offered, 4), one.throughput.unit, each);
  const std::string latency = p99    ? fmt::format(", p99 {} ms", significant(*p99, 4))
                              : mean ? fmt::format(", mean latency {} ms", significant(*mean, 4))
                                     : std::string();
  return fmt::format("{}: {} {}{}{}", explained.group.label, rate, one.throughput.unit, each, latency);
}

// The lines of a language model: the metrics that its users see, the GPU's part of a decode step, and the
// rest of a token's time.
std::string tokens_lines(const std::string& who, const scenarios::TokenResult& tokens, int width) {
  std::string text;
  if (tokens.decode_per_s) text += fmt::format("{} tokens/s", significant(*tokens.decode_per_s, 3));
  const auto add = [&text](const Metric& value, const char* form) {
    if (value) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), significant(*value, 3));
  };
  add(tokens.prefill_per_s, "{} tokens/s of prompts");
  add(tokens.ttft_ms.p50, "TTFT {} ms (p50)");
  add(tokens.itl_ms.p99, "ITL p99 {} ms");
  if (!tokens.itl_ms.p99) add(tokens.itl_ms.p50, "ITL {} ms (p50)");
  if (text.empty()) return text;
  text = paragraph(who + text, width, 2);
  if (!tokens.step_gb || !tokens.decode_per_s || tokens.decoded == 0) return text;
  const double step_ms = tokens.itl_ms.mean.value_or(1e3 / *tokens.decode_per_s);
  const double kernels_ms = tokens.step_kernels_ms.value_or(0);
  if (kernels_ms <= 0) return text;  // the cores compute it
  std::string line =
      fmt::format("a decode step moves {} GB: memory bounds {:.0f} % of the {} ms of its kernels",
                  significant(*tokens.step_gb, 3), 100 * tokens.step_memory_share.value_or(0),
                  significant(kernels_ms, 3));
  if (step_ms > kernels_ms)
    line += fmt::format(
        "; from one token to the next it is {} ms, {:.0f} % for the work of the cores, waits and steps of "
        "others",
        significant(step_ms, 3), 100 * (1 - kernels_ms / step_ms));
  return text + paragraph(line, width, 2);
}
std::string tokens_text(const Explanation& explanation, const Explained& explained, int width) {
  const scenarios::ProcessResult& one = explanation.result.processes[explained.group.processes.front()];
  std::string text = one.tokens ? tokens_lines("", *one.tokens, width) : std::string();
  for (const std::string& line : explained.turns) text += paragraph(line, width, 2);
  for (const scenarios::InstanceResult& stream : one.instances)
    if (stream.tokens) text += tokens_lines(scenarios::called(stream) + ": ", *stream.tokens, width);
  return text;
}

// A line for each group of equal streams of a process with several streams: "detector b4 on 2 streams: 310.2
// images/s each, p99 7.1 ms". Among equal processes, the first is shown.
std::string streams(const Explanation& explanation, const Explained& explained, int width) {
  const auto& all = explanation.result.processes[explained.group.processes.front()].instances;
  std::string text;
  const auto alike = [](const scenarios::InstanceResult& a, const scenarios::InstanceResult& b) {
    return a.name == b.name && a.model == b.model && a.precision == b.precision && a.batch == b.batch &&
           a.priority == b.priority;
  };
  for (auto first = all.begin(); first != all.end();) {
    const auto end =
        std::find_if_not(first, all.end(), [&](const auto& other) { return alike(*first, other); });
    double least = first->throughput.mean.value_or(0), most = least;
    Metric p99;
    for (auto one = first; one != end; ++one) {
      least = std::min(least, one->throughput.mean.value_or(0));
      most = std::max(most, one->throughput.mean.value_or(0));
      if (one->latency_ms.p99) p99 = std::max(p99.value_or(0), *one->latency_ms.p99);
    }
    const bool several = end - first > 1;
    std::string line = fmt::format("{} b{}{}: {} images/s{}", scenarios::called(*first), first->batch,
                                   several ? fmt::format(" on {} streams", end - first) : "",
                                   rates(least, most), several && !differs(least, most) ? " each" : "");
    if (first->stable == false) line += ", latency grows";
    if (p99) line += fmt::format(", p99 {} ms", significant(*p99, 4));
    text += paragraph(line, width, 2);
    first = end;
  }
  return text;
}

std::string bars(const Explained& explained, int width) {
  if (!explained.share) return {};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < explained.share->size(); ++i)
    if ((*explained.share)[i] > 0) order.push_back(i);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return (*explained.share)[i]; });
  std::string text;
  for (const std::size_t i : order) {
    const int tenths = (*explained.share)[i];
    std::string line =
        fmt::format("  {:<9} {:>3}.{} %", process::share_rows[i].header, tenths / 10, tenths % 10);
    if (explained.batch_ms) line += fmt::format(" {:>9.3f} ms", *explained.batch_ms * tenths / 1000);
    const int room = width - static_cast<int>(display_width(line)) - 3;
    text += line + "  " + bar(tenths / 1000.0, std::clamp(room, 1, longest_bar)) + "\n";
  }
  return text;
}

std::string group_text(const Explanation& explanation, const Explained& explained, int width, bool colour) {
  std::string head = paragraph(headline(explanation, explained), width, 0);
  head.pop_back();
  return "\n" + styled(head, Style::strong, colour) + "\n" + streams(explanation, explained, width) +
         tokens_text(explanation, explained, width) + bars(explained, width) +
         paragraph(explained.sentence, width, 2) +
         (explained.latency.empty() ? std::string() : paragraph(explained.latency, width, 2)) +
         (explained.pieces.empty() ? std::string() : paragraph(explained.pieces, width, 2));
}

// A figure of a change in the table.
struct Figure {
  std::string header;
  Change change;
  int digits, importance;
  int percent;     // importance of the column of its change; less than 0: there is none
  std::string of;  // header of that column
};

// The figures in the order of their columns: the objective, totals by unit, then what all have; each once.
std::vector<Figure> figures_of(const analyses::Aim& aim, const Tried& tried) {
  const auto header = [](std::string name, const std::string& unit) {
    if (unit == "W" || unit.starts_with("mJ")) return unit;
    if (name.starts_with("mean latency of ")) name.erase(4, 8);  // "mean of front ms": columns are narrow
    return name + (unit.empty() || unit.starts_with("/") ? "" : " ") + unit;
  };
  std::vector<Figure> all{{header(aim.name, aim.unit), tried.objective, 4, 0, 0, "%"}};
  const auto add = [&all](Figure figure) {
    if (std::ranges::find(all, figure.header, &Figure::header) == all.end()) all.push_back(std::move(figure));
  };
  for (const analyses::UnitChange& unit : tried.units)
    add({unit.unit + "/s", unit.per_s, 4, aim.of == analyses::Aim::Of::latency ? 46 : 62, 36,
         unit.unit + " %"});
  add({header(aim.tail, "ms"), tried.p99_ms, 4, 60, 40, "p99 %"});
  add({"W", tried.power_w, 3, 55, -1, ""});
  for (const analyses::UnitChange& unit : tried.units)
    add({unit.unit == "images" ? "mJ/image" : "mJ/token", unit.energy_mj, 3, 45, -1, ""});
  return all;
}

// The cells of a row: of the board as it is, or after the change.
std::vector<std::string> change_cells(const Explanation& explanation, const Tried& tried, bool after) {
  const bool grows = after ? !tried.overloaded.empty() : explanation.overload.has_value();
  std::vector<std::string> cells;
  for (const Figure& figure : figures_of(explanation.aim, tried)) {
    const Change& change = figure.change;
    const Metric& value = after ? change.after : change.before;
    const bool latency = figure.header.ends_with(" ms");
    cells.push_back(latency && !value && grows ? "grows" : significant(value, figure.digits));
    if (figure.percent < 0) continue;
    const bool known = after && change.half_width && change.before.value_or(0) != 0;
    cells.push_back(after ? signed_percent(change.relative()) : "");
    cells.push_back(known ? fmt::format("{:.1f}", 100 * *change.half_width / *change.before) : "");
  }
  const auto prices =
      after ? analyses::prices_in_words(tried, explanation.result) : std::vector<std::string>{};
  cells.push_back(fmt::format("{}", fmt::join(prices, ", ")));
  return cells;
}

// The rows in the order of the table: those that matter most first, numbered. Columns without a value are
// left out.
Table what_ifs_table(const Explanation& explanation) {
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };
  std::vector<Row> rows;
  const auto add = [&](const std::string& label, const Tried& tried, bool after, Style style) {
    rows.push_back({change_cells(explanation, tried, after), style});
    rows.back().cells.insert(rows.back().cells.begin(), shortened(label, longest_label));
  };
  add("as it is", explanation.tried.front(), false, Style::strong);
  int rank = 0;
  for (const std::size_t index : explanation.leading) {
    const Tried& tried = explanation.tried[index];
    add(fmt::format("{}. {}", ++rank, tried.what_if.label), tried, true, Style::strong);
  }
  for (std::size_t i = 0; i < explanation.tried.size(); ++i) {
    const Tried& tried = explanation.tried[i];
    if (std::ranges::find(explanation.leading, i) != explanation.leading.end()) continue;
    add(tried.what_if.label + (tried.all_fit ? "" : ": " + analyses::why_none(tried.results.front())), tried,
        true, tried.all_fit ? Style::plain : Style::bad);
  }
  std::vector<Column> columns{left("what if")};
  for (const Figure& figure : figures_of(explanation.aim, explanation.tried.front())) {
    columns.push_back(right(shortened(figure.header, longest_header), figure.importance));
    if (figure.percent < 0) continue;
    columns.push_back(right(figure.of, figure.percent));
    columns.push_back(
        {.header = "±", .importance = figure.percent == 0 ? 50 : 35, .full = "± of " + figure.header});
  }
  columns.push_back(left("price", 47));
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (std::ranges::any_of(rows,
                            [&](const Row& row) { return !row.cells[i].empty() && row.cells[i] != none; }))
      continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (Row& row : rows) row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Table table(std::move(columns));
  for (Row& row : rows) table.add(std::move(row.cells), row.style);
  return table;
}

// One process or three: p99 (the mean, where p99 is not known as it is) and rate of each model, memory, and
// what a crash takes with it.
Passage ways_passage(const Explanation& explanation) {
  constexpr std::size_t most = 6;  // models with columns of their own
  Passage passage{"one process or several: the same models in other ways"};
  const std::vector<analyses::Way>& ways = explanation.ways;
  if (ways.size() < 2) return passage;
  const std::vector<analyses::WayPart>& models = ways.front().parts;
  const bool p99 =
      std::ranges::all_of(models, [](const analyses::WayPart& part) { return part.p99_ms || part.grows; });
  std::vector<Column> columns{shrinking("way")};
  const int digits = 3;
  for (std::size_t i = 0; i < std::min(most, models.size()); ++i) {
    columns.push_back(right(shortened(models[i].label, 14) + (p99 ? " p99" : " ms"), i == 0 ? 0 : 90));
    columns.push_back({.header = "/s", .importance = 40, .full = shortened(models[i].label, 14) + " /s"});
  }
  columns.push_back(right("MB", 60));
  columns.push_back(left("a crash takes", 70));
  Table table(std::move(columns));
  for (const analyses::Way& way : ways) {
    if (!way.reason.empty()) {
      passage.lines.push_back(fmt::format("not {}: {}", way.label, way.reason));
      continue;
    }
    std::vector<std::string> cells{shortened(way.label, longest_label)};
    for (std::size_t i = 0; i < std::min(most, models.size()); ++i) {
      const analyses::WayPart& part = way.parts[i];
      const Metric& time = p99 ? part.p99_ms : part.mean_ms;
      cells.push_back(part.grows && !time ? "grows" : significant(time, digits));
      cells.push_back(significant(part.per_s, digits));
    }
    cells.push_back(significant(way.memory_mb, 4));
    constexpr std::string_view takes = "a crash takes ";
    cells.push_back(way.isolation.starts_with(takes) ? way.isolation.substr(takes.size())
                                                     : "all, by the GPU");
    table.add(std::move(cells), way.name.empty() ? Style::strong : Style::plain);
    for (const scenarios::ProcessResult& process : explanation.result.processes)
      if (way.name == "as-streams" && !process.stages.empty())
        passage.lines.push_back(fmt::format("{}: {} keeps a process of its own, for its stages", way.label,
                                            scenarios::called(process)));
  }
  if (table.rows() > 1) passage.tables.push_back(std::move(table));
  return passage;
}

// Where nine of ten measurements of the tokens are; empty unless that was asked for.
std::string token_range(const std::optional<scenarios::TotalTokens>& tokens) {
  if (!tokens || !tokens->per_s_pi90) return {};
  std::string text = fmt::format("; 90 % within {} to {} tokens/s", significant(tokens->per_s_pi90->first, 3),
                                 significant(tokens->per_s_pi90->second, 3));
  if (const scenarios::Interval& energy = tokens->energy_pi90)
    text +=
        fmt::format(" and {} to {} mJ/token", significant(energy->first, 3), significant(energy->second, 3));
  return text;
}

// The grade of watts and energies; empty if the board's power is not known.
std::string power_sentence(const Explanation& explanation) {
  const auto grade = scenarios::power_grade(explanation.result);
  return grade ? fmt::format("power and energy: grade {}{}{}", *grade,
                             power_range(analyses::relative_power_interval(explanation.result)),
                             token_range(explanation.result.system.tokens))
               : std::string();
}

// The meaning of the numbers in front of changes.
constexpr const char* numbered =
    "numbered: greatest gain for its price, one of each kind of change; their ± is over 5 "
    "pairs of seeds, that of the others within one run";

// The effects of the changes, for terminal and page: limits, the table, who wins, clocks. `prices`: in lines
// of their own, where the table has no room.
std::vector<Passage> passages(const Explanation& explanation, bool prices) {
  const auto changes = [&](const char* title, const auto& sentence_of_change) {
    Passage passage{title};
    for (const Tried& tried : explanation.tried)
      if (const std::string& sentence = sentence_of_change(tried); !sentence.empty())
        passage.lines.push_back(tried.what_if.label + ": " + sentence);
    return passage;
  };
  std::vector<Passage> found{{"limits"}};
  for (const analyses::ActiveLimit& limit : explanation.limits) found.front().lines.push_back(limit.sentence);
  if (!explanation.tried.empty()) {
    Passage passage =
        changes("what each change would bring", [](const Tried& tried) { return tried.what_if.note; });
    std::vector<std::string> notes;
    const analyses::Aim& aim = explanation.aim;
    if (!aim.missing.empty())
      notes.push_back(fmt::format("the run has no {}: changes are judged by {}", aim.missing, aim.name));
    if (aim.of == analyses::Aim::Of::speed)
      notes.emplace_back("speed: how many times as fast each process is, the mean of all");
    if (!explanation.leading.empty()) notes.emplace_back(numbered);
    for (std::size_t i = 0; prices && i < explanation.leading.size(); ++i) {
      const auto price =
          analyses::prices_in_words(explanation.tried[explanation.leading[i]], explanation.result);
      if (!price.empty()) notes.push_back(fmt::format("price of {}: {}", i + 1, fmt::join(price, ", ")));
    }
    passage.lines.insert(passage.lines.begin(), notes.begin(), notes.end());
    const auto shows = std::ranges::find_if(
        explanation.tried, [](const Tried& tried) { return tried.what_if.role != analyses::Role::advice; });
    if (shows != explanation.tried.end() && shows != explanation.tried.begin())
      passage.lines.push_back(
          fmt::format("from `{}` on nobody can make them: they show what is short, or "
                      "what something costs",
                      shows->what_if.label));
    if (std::string graded = power_sentence(explanation); !graded.empty())
      passage.lines.push_back(std::move(graded));
    passage.tables.push_back(what_ifs_table(explanation));
    found.push_back(std::move(passage));
  }
  if (Passage ways = ways_passage(explanation); !ways.tables.empty()) found.push_back(std::move(ways));
  found.push_back(changes("who would win and who would starve",
                          [](const Tried& tried) { return tried.outcomes.sentence; }));
  // Ways of stages and other boards are many: of these only what leads.
  found.push_back(changes("what the clocks would do", [&](const Tried& tried) {
    const analyses::ChangeKind kind = tried.what_if.kind;
    const auto index = static_cast<std::size_t>(&tried - explanation.tried.data());
    const bool many = kind == analyses::ChangeKind::stages || kind == analyses::ChangeKind::boards ||
                      kind == analyses::ChangeKind::pair;
    const bool leads = std::ranges::find(explanation.leading, index) != explanation.leading.end();
    return many && !leads ? std::string() : tried.sentence;
  }));
  std::erase_if(found,
                [](const Passage& passage) { return passage.lines.empty() && passage.tables.empty(); });
  return found;
}

std::string reported_text(const Explanation& explanation, int width, bool colour) {
  const analyses::Reported& tool = explanation.reported;
  const scenarios::SystemResult& system = explanation.result.system;
  const bool jetson = tool.tool == "tegrastats";
  std::string text;
  const auto percent = [](const Metric& share, const char* name) {
    return share ? fmt::format(", {} {:.1f} %", name, 100 * *share) : std::string();
  };
  const auto line = [&](const std::string& shown, std::string truth) {
    if (truth.starts_with(", ")) truth.erase(0, 2);
    text += paragraph(shown + (truth.empty() ? "" : ": " + truth), width, 2);
  };
  if (tool.gpu_percent) {
    line(fmt::format("{} {:.0f} %", jetson ? "GR3D_FREQ" : "utilization.gpu", *tool.gpu_percent),
         percent(system.gpu.busy, "GPU busy") + percent(system.gpu.array.sm_active, "SM active") +
             percent(system.gpu.array.issue_slot, "issue slot") +
             percent(system.gpu.array.tensor_active, "tensor active"));
  }
  if (tool.cpu_percent) {
    line(fmt::format("CPU {:.0f} %, mean of {} cores", *tool.cpu_percent, tool.cores),
         fmt::format("{:.2f} cores busy", system.cpu.busy_cores.value_or(0)));
  }
  if (tool.emc_percent) {
    line(fmt::format("EMC_FREQ {:.0f} %", *tool.emc_percent),
         fmt::format("{} of {} GB/s", input::decimal(*system.memory.bandwidth_gb_s, 3),
                     input::decimal(*tool.peak_bandwidth_gb_s, 3)));
  }
  const auto grade = scenarios::power_grade(explanation.result);
  for (const auto& [rail, watts] : tool.rails_w)
    line(jetson ? fmt::format("{} {:.0f}mW", rail, 1000 * watts) : fmt::format("power.draw {:.2f} W", watts),
         grade ? "grade " + *grade : std::string());
  if (text.empty()) return {};
  return "\n" + styled("what " + tool.tool + " would show, and what is so", Style::strong, colour) + "\n" +
         text;
}

// The answer in a sentence: "limited by the GPU; best change: batch 2 (images/s +29.8 %)".
scenarios::Verdict answer_of(const Explanation& explanation) {
  scenarios::Verdict answer;
  if (const auto& overload = explanation.overload) {
    std::vector<std::string> names;
    for (const std::size_t index : overload->processes) {
      const std::string name = scenarios::called(explanation.result.processes[index]);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    answer.text = fmt::format("overloaded: of {:.3g} images/s for {} {:.3g} are served; ", overload->offered,
                              input::listed(names), overload->served);
  }
  if (explanation.critical)
    answer.text += fmt::format("limited by {}; ", in_words(explanation.critical->resource));
  if (explanation.leading.empty()) {
    answer.text += "best change: none brings more than it costs";
    return answer;
  }
  const Tried& best = explanation.tried[explanation.leading.front()];
  answer.text += "best change: " +
                 (best.worth.rescues ? best.what_if.label + " (then all processes keep up)" : best.named());
  return answer;
}

}  // namespace

std::string explanation_text(const Explanation& explanation, int width, bool colour) {
  const scenarios::Result& result = explanation.result;
  std::string text =
      head_text(explanation_words(explanation), width, colour, verdict_line(result.verdict, width, colour)) +
      "\n" +
      paragraph(fmt::format("{}: {}, seed {}, {} s simulated", result.scenario, result.device, result.seed,
                            input::decimal(result.simulated_s, 4)),
                width, 0);
  if (explanation.overload)
    text += overload_lines(result, width, colour) + paragraph(explanation.overload->sentence, width, 0);
  if (const double dropped = analyses::ResultMetrics(result).dropped(); dropped > 0)
    text += paragraph(fmt::format("{} % of the requests of a process are dropped, at the limit of its queue; "
                                  "latencies are those of the others.",
                                  significant(100 * dropped, 2)),
                      width, 0);
  for (const std::string& sentence : scenarios::starved(result)) text += paragraph(sentence, width, 0);
  for (const Explained& explained : explanation.groups)
    text += group_text(explanation, explained, width, colour);
  text += sharing_lines(result, width);
  text += passage_text({"what else runs", {}, explanation.tenants}, width, colour);
  if (explanation.critical)
    text += passage_text({"critical resource", {}, {explanation.critical->sentence}}, width, colour);
  constexpr int narrow = 100;  // has no room for prices in every table
  for (const Passage& passage : passages(explanation, width < narrow))
    text += passage_text(passage, width, colour);
  return text + reported_text(explanation, width, colour);
}

PageWords explanation_words(const Explanation& explanation) {
  scenarios::Result result = explanation.result;
  if (!result.verdict) result.verdict.emplace();  // with a bar for each process
  PageWords words = report_words(result);
  words.question = fmt::format("What limits {} on {}, and which change brings most",
                               analyses::networks_of(explanation.result),
                               scenarios::in_words(explanation.result.resolved).board);
  add_reasons(words, explanation);
  words.why = analyses::reasons_of(result, explanation.groups);
  // The answer to the question comes first: the limit and the best change.
  Passage answer;
  words.verdict->text = answer_of(explanation).text;
  words.verdict->met.reset();
  if (explanation.critical) {
    answer.lines.push_back("limited by " + explanation.critical->sentence);
  }
  if (!words.best.empty()) answer.lines.push_back("best change: " + std::exchange(words.best, {}));
  answer.lines.push_back(result.verdict->text);
  words.answer.front() = std::move(answer);
  if (!words.missing.empty())
    words.more.push_back({"what the table lacks", {}, std::exchange(words.missing, {})});
  const std::vector<Passage> found = passages(explanation, false);
  words.more.insert(words.more.begin(), found.begin(), found.end());
  return words;
}

}  // namespace jostle::cli
