#include "cli/run/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "analyses/verdict/verdict.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/result/board_result.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/result/starved.hpp"

namespace jostle::cli {
namespace {

using scenarios::Metric;
using scenarios::ProcessResult;
using scenarios::Result;

// The decimals that show `largest` with this many significant digits; one number for a whole column.
int decimals(double largest, int significant) {
  int before = 1;
  for (double bound = 10; largest >= bound && before < significant; bound *= 10) ++before;
  return significant - before;
}

// A single metric as text.
std::string cell(const Metric& value) {
  return value ? fmt::format("{:.{}f}", *value, decimals(*value, 4)) : none;
}

// The cells of a column of metrics, all with the same number of decimals.
template <class Get>
std::vector<std::string> cells_of(const std::vector<ProcessResult>& processes, int significant,
                                  const Get& get) {
  double largest = 0;
  for (const ProcessResult& process : processes)
    largest = std::max(largest, std::abs(get(process).value_or(0)));
  std::vector<std::string> cells;
  for (const ProcessResult& process : processes) {
    const Metric value = get(process);
    cells.push_back(value ? fmt::format("{:.{}f}", *value, decimals(largest, significant)) : none);
  }
  return cells;
}

std::string label(const ProcessResult& process) {
  if (!process.name.empty()) return process.name;
  return process.training ? process.model + " training" : process.model;
}

// The rows of the processes: more than eight equal ones are one, with the mean of their rates and shares and
// the worst of their latencies.
std::vector<ProcessResult> rows_of(const Result& result) {
  constexpr std::size_t most_alike = 8;
  const auto& all = result.processes;
  std::vector<ProcessResult> rows;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    while (end < all.size() && all[end].entry == all[first].entry && all[end].status == all[first].status)
      ++end;
    const std::size_t count = end - first;
    if (count <= most_alike) {
      rows.insert(rows.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
                  all.begin() + static_cast<std::ptrdiff_t>(end));
      continue;
    }
    ProcessResult& row = rows.emplace_back(all[first]);
    row.name = fmt::format("{} x {}", count, label(row));
    const auto over = [&](auto get, bool mean) {
      Metric sum = 0.0;
      for (std::size_t i = first; i < end; ++i) {
        const Metric& own = get(all[i]);
        sum = !sum || !own ? std::nullopt : mean ? Metric(*sum + *own) : Metric(std::max(*sum, *own));
      }
      return sum && mean ? Metric(*sum / static_cast<double>(count)) : sum;
    };
    using P = const ProcessResult&;
    row.throughput.mean = over([](P p) -> const Metric& { return p.throughput.mean; }, true);
    row.offered = over([](P p) -> const Metric& { return p.offered; }, true);
    row.memory_mb = over([](P p) -> const Metric& { return p.memory_mb; }, true);
    row.latency_ms.p50 = over([](P p) -> const Metric& { return p.latency_ms.p50; }, true);
    row.latency_ms.p90 = over([](P p) -> const Metric& { return p.latency_ms.p90; }, false);
    row.latency_ms.p99 = over([](P p) -> const Metric& { return p.latency_ms.p99; }, false);
    row.latency_ms.pi90 = {};
    for (std::size_t i = first + 1; i < end; ++i) {
      row.drops += all[i].drops;
      if (all[i].stable == false) row.stable = false;
      for (std::size_t k = 0; row.time_share && k < row.time_share->size(); ++k)
        (*row.time_share)[k] += all[i].time_share ? (*all[i].time_share)[k] : 0;
    }
    for (std::size_t k = 0; row.time_share && k < row.time_share->size(); ++k)
      (*row.time_share)[k] /= static_cast<double>(count);
  }
  return rows;
}

struct Cells {
  Column column;
  std::vector<std::string> cells;  // one per process
  std::string total;
};

Table table(const std::vector<Cells>& columns, const std::vector<ProcessResult>& processes, bool total) {
  std::vector<Column> headers;
  for (const Cells& column : columns) headers.push_back(column.column);
  Table table(headers);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    std::vector<std::string> cells;
    for (const Cells& column : columns) cells.push_back(column.cells[i]);
    table.add(std::move(cells), processes[i].status == "ok" ? Style::plain : Style::bad);
  }
  if (total) {
    std::vector<std::string> cells;
    for (const Cells& column : columns) cells.push_back(column.total);
    table.add(std::move(cells), Style::strong);
  }
  return table;
}

template <class Get>
std::vector<std::string> words(const std::vector<ProcessResult>& processes, const Get& get) {
  std::vector<std::string> cells;
  for (const ProcessResult& process : processes) cells.push_back(get(process));
  return cells;
}

// An interval as text: "212 … 260", "212 … grows".
std::string range(const scenarios::Interval& interval) {
  if (!interval) return none;
  const auto& [low, high] = *interval;
  if (std::isinf(high)) return fmt::format("{:.{}f} … grows", low, decimals(low, 4));
  return fmt::format("{:.{}f} … {:.{}f}", low, decimals(low, 4), high, decimals(high, 4));
}

// Adds percentiles of latency, and where p99 is with 90 % if that is known of a row.
void add_latency(std::vector<Cells>& columns, const std::vector<ProcessResult>& rows) {
  using scenarios::Latency;
  for (const auto& [column, which] :
       {std::pair{right("p50 ms", 80), &Latency::p50}, std::pair{right("p90 ms", 30), &Latency::p90},
        std::pair{right("p99 ms", 85), &Latency::p99}}) {
    columns.push_back({column, cells_of(rows, 4, [&](const auto& p) { return p.latency_ms.*which; }), {}});
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].stable == false) columns.back().cells[i] = "grows";
  }
  if (std::ranges::any_of(rows, [](const auto& p) { return p.latency_ms.pi90.p99.has_value(); }))
    columns.push_back({right("90 % of p99 within", 84),
                       words(rows, [](const auto& p) { return range(p.latency_ms.pi90.p99); }),
                       {}});
}

// True if a process does not fit, or the memory is more than half full.
bool memory_matters(const Result& result) {
  const auto& memory = result.system.memory;
  return result.status != "ok" || (memory.used_mb && *memory.used_mb > memory.capacity_mb.value_or(0) / 2);
}

Table table_of_processes(const Result& result) {
  const std::vector<ProcessResult> processes = rows_of(result);
  const auto half_width = [](const ProcessResult& p) -> Metric {
    const auto& [mean, ci95] = std::tie(p.throughput.mean, p.throughput.ci95);
    if (!mean || !ci95) return std::nullopt;
    return ci95->first > 0 ? (ci95->second - ci95->first) / 2 : ci95->second - *mean;  // not cut at 0
  };
  const auto throughput = cells_of(processes, 5, [](const ProcessResult& p) { return p.throughput.mean; });
  const double total = result.system.throughput.value_or(0);
  std::vector<Cells> columns;
  const auto add = [&](Column column, std::vector<std::string> cells, std::string all = {}) {
    columns.push_back({std::move(column), std::move(cells), std::move(all)});
  };
  add(right("#"), words(processes, [](const auto& p) { return fmt::format("{}", p.index); }));
  add(shrinking("process"), words(processes, label), "total");
  add(left("prec", 60), words(processes, [](const auto& p) { return p.precision.value_or(none); }));
  add(right("batch", 70), words(processes, [](const auto& p) { return fmt::format("{}", p.batch); }));
  add(left("runtime", 40), words(processes, [](const auto& p) { return p.runtime; }));
  const auto talks = [](const auto& p) { return p.tokens.has_value(); };
  const char* unit = std::ranges::all_of(processes, talks)    ? "sequences/s"
                     : std::ranges::none_of(processes, talks) ? "images/s"
                                                              : "images or sequences/s";
  add(right(unit), throughput,
      result.system.throughput ? fmt::format("{:.{}f}", total, decimals(total, 5)) : none);
  if (std::ranges::any_of(processes, [](const auto& p) { return p.interval > 0; }))
    add(right("frames/s", 97), cells_of(processes, 5, scenarios::frames_per_s));
  if (std::ranges::any_of(processes, [](const auto& p) { return p.stable == false; }))
    add(right("offered", 96), cells_of(processes, 5, [](const ProcessResult& p) { return p.offered; }));
  add(right("±95 %", 45), cells_of(processes, 3, half_width));
  if (result.system.throughput_pi90)
    add(right("90 % within", 95), words(processes, [](const auto& p) { return range(p.throughput.pi90); }),
        range(result.system.throughput_pi90));
  add_latency(columns, processes);
  if (memory_matters(result)) {
    add(right("MB", 45), cells_of(processes, 4, [](const ProcessResult& p) { return p.memory_mb; }));
  }
  add(left("grade", 75), words(processes, [](const auto& p) { return lowest(p.grades); }));
  if (std::ranges::any_of(processes, [](const auto& p) { return p.drops > 0; })) {
    add(right("drops", 87), words(processes, [](const auto& p) { return fmt::format("{}", p.drops); }));
  }
  if (std::ranges::any_of(processes, [](const auto& p) { return p.status != "ok"; }))
    add(left("status"), words(processes, [](const auto& p) { return p.status; }));
  return table(columns, processes, result.processes.size() > 1);
}

// The table of the streams of processes that have several.
Passage instances_of(const Result& result) {
  constexpr std::size_t most = 64;  // rows
  std::vector<ProcessResult> rows;  // one per instance, with the same columns as for processes
  std::vector<const scenarios::InstanceResult*> instances;
  for (const ProcessResult& process : result.processes) {
    for (const scenarios::InstanceResult& instance : process.instances) {
      if (instances.size() == most) break;
      instances.push_back(&instance);
      rows.push_back(scenarios::row_of(process, instance));
    }
  }
  if (rows.empty()) return {};
  const auto cells = [&](const auto& get) {
    std::vector<std::string> all;
    for (const scenarios::InstanceResult* instance : instances) all.push_back(get(*instance));
    return all;
  };
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < rows.size(); ++i)
    numbers.push_back(fmt::format("{}.{}", rows[i].index, instances[i]->index));
  std::vector<Cells> columns;
  const auto add = [&](Column column, std::vector<std::string> all) {
    columns.push_back({std::move(column), std::move(all), {}});
  };
  add(right("#"), std::move(numbers));
  add(shrinking("instance"), words(rows, label));
  add(left("prec", 60), words(rows, [](const auto& p) { return p.precision.value_or(none); }));
  const auto ordinary = [](const auto* instance) { return instance->priority == "normal"; };
  if (!std::ranges::all_of(instances, ordinary))
    add(left("priority", 40), cells([](const auto& instance) { return instance.priority; }));
  add(right("batch", 70), cells([](const auto& instance) {
        const bool less = instance.mean_batch && *instance.mean_batch < static_cast<double>(instance.batch);
        return less ? fmt::format("{:.3g} of {}", *instance.mean_batch, instance.batch)
                    : fmt::format("{}", instance.batch);
      }));
  add(right("images/s"), cells_of(rows, 5, [](const ProcessResult& p) { return p.throughput.mean; }));
  if (std::ranges::any_of(rows, [](const auto& p) { return p.throughput.pi90.has_value(); }))
    add(right("90 % within", 95), words(rows, [](const auto& p) { return range(p.throughput.pi90); }));
  add_latency(columns, rows);
  if (std::ranges::any_of(rows, [](const auto& p) { return p.drops > 0; }))
    add(right("drops", 87), words(rows, [](const auto& p) { return fmt::format("{}", p.drops); }));
  return {"streams of a process, with their instances", {table(columns, rows, false)}};
}

// The metrics that users of language models see: tokens, and the waits for the first and for the next.
Passage tokens_of(const Result& result) {
  Table table({right("#"), shrinking("language model"), right("tokens/s"), right("prefill/s", 70),
               right("TTFT p50 ms", 80), right("p99", 60), right("ITL p50 ms", 85), right("p99", 65),
               right("tokens/J", 50), right("weights MB", 40), right("KV MB", 30)});
  const auto add = [&](const std::string& number, const std::string& name,
                       const scenarios::TokenResult& tokens) {
    table.add({number, name, cell(tokens.decode_per_s), cell(tokens.prefill_per_s), cell(tokens.ttft_ms.p50),
               cell(tokens.ttft_ms.p99), cell(tokens.itl_ms.p50), cell(tokens.itl_ms.p99),
               cell(tokens.per_joule), cell(tokens.weights_mb), cell(tokens.kv_cache_mb)});
  };
  for (const ProcessResult& process : result.processes) {
    if (process.tokens) add(fmt::format("{}", process.index), label(process), *process.tokens);
    for (const scenarios::InstanceResult& instance : process.instances)
      if (instance.tokens)
        add(fmt::format("{}.{}", process.index, instance.index), scenarios::called(instance),
            *instance.tokens);
  }
  if (table.rows() == 0) return {};
  return {"tokens of language models", {table}};
}

Passage shares_of(const Result& result) {
  constexpr double shown_from = 0.0005;  // smaller shares would print as 0.0
  std::vector<ProcessResult> processes;
  std::ranges::copy_if(rows_of(result), std::back_inserter(processes),
                       [](const auto& p) { return p.time_share.has_value(); });
  std::vector<Cells> columns;
  const auto add = [&](Column column, std::vector<std::string> cells) {
    columns.push_back({std::move(column), std::move(cells), {}});
  };
  add(right("#"), words(processes, [](const auto& p) { return fmt::format("{}", p.index); }));
  add(shrinking("process"), words(processes, label));
  for (const process::ShareRow& row : process::share_rows) {
    const std::size_t i = index_of(row.share);
    double largest = 0;
    for (const ProcessResult& process : processes) largest = std::max(largest, (*process.time_share)[i]);
    if (largest < shown_from) continue;
    add(right(std::string(row.header), 1 + static_cast<int>(1000 * largest)),
        words(processes, [i](const auto& p) { return fmt::format("{:.1f}", 100 * (*p.time_share)[i]); }));
  }
  if (columns.size() == 2) return {};
  return {"where each process's time went, %", {table(columns, processes, false)}};
}

// The background loads, with the cores and memory bandwidth that they took from the processes.
Passage loads_of(const Result& result) {
  if (result.loads.empty()) return {};
  Table table({right("#"), shrinking("load"), right("threads", 40), right("cores"), right("GB/s"),
               left("grade", 50)});
  for (std::size_t i = 0; i < result.loads.size(); ++i) {
    const scenarios::LoadResult& load = result.loads[i];
    table.add({fmt::format("{}", load.behind_processes + i), load.name.empty() ? load.load : load.name,
               fmt::format("{}", load.threads), cell(load.busy_cores), cell(load.bandwidth_gb_s),
               load.grade});
  }
  return {"background loads", {table}};
}

// The stages of the host before and after inference.
Passage stages_of(const Result& result) {
  Table table({right("#"), shrinking("process", 2), shrinking("stage"), right("ms"), left("grade", 1)});
  for (const ProcessResult& process : rows_of(result))
    for (const scenarios::StageResult& stage : process.stages)
      table.add({fmt::format("{}", process.index), label(process), stage.name, cell(stage.ms), stage.grade});
  if (table.rows() == 0) return {};
  return {"stages of the host, a batch", {table}};
}

// The distribution of the means over windows: every metric of the board, and SM active of each process.
Passage windows_of(const Result& result) {
  if (!result.system.gpu.windows) return {};
  const scenarios::GpuWindows& all = *result.system.gpu.windows;
  std::vector<Column> headers{shrinking(""), right("mean")};
  for (const int percentile : scenarios::window_percentiles)
    headers.push_back(right(fmt::format("p{}", percentile), percentile == 50 ? 90 : 60));
  headers.push_back(right("max", 80));
  Table table(headers);
  const auto add = [&](const std::string& name, const scenarios::WindowShares& shares) {
    const auto percent = [](const Metric& share) {
      return share ? fmt::format("{:.1f}", 100 * *share) : none;
    };
    std::vector<std::string> cells{name, percent(shares.mean)};
    for (const Metric& percentile : shares.percentiles) cells.push_back(percent(percentile));
    cells.push_back(percent(shares.max));
    table.add(std::move(cells));
  };
  for (const scenarios::WindowShares& shares : all.shares) {
    std::string name = shares.name;
    std::ranges::replace(name, '_', ' ');
    add(name, shares);
  }
  if (result.processes.size() > 1) {
    for (const ProcessResult& process : result.processes)
      if (process.gpu_windows)
        add(fmt::format("sm active of #{} {}", process.index, label(process)),
            process.gpu_windows->shares[0]);
  }
  return {fmt::format("GPU in {} windows of {:g} us, %", all.samples, all.interval_us), {table}};
}

// Phrases separated by commas, broken into lines.
std::string wrapped(const std::string& head, const std::vector<std::string>& phrases, int width) {
  if (phrases.empty()) return {};
  std::string text = head;
  std::size_t column = display_width(head);
  const std::size_t indent = std::min<std::size_t>(column, 5);
  for (std::size_t i = 0; i < phrases.size(); ++i) {
    const std::string phrase =
        input::printable(phrases[i], std::string::npos) + (i + 1 < phrases.size() ? "," : "");
    if (column + 1 + display_width(phrase) > static_cast<std::size_t>(width) && i > 0) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    }
    text += " " + phrase;
    column += 1 + display_width(phrase);
  }
  return text + "\n";
}

// True if the scenario sets a clock, which the power mode does not hold down then.
bool sets_clock(const Result& result) {
  if (result.resolved.empty()) return false;
  const auto clocks = output::parsed_json(result.resolved).value("clocks", nlohmann::ordered_json());
  return clocks.contains("gpu") || clocks.contains("cpu");
}

// The board in phrases, a row for each part.
struct BoardRow {
  std::string part;
  std::vector<std::string> phrases;
};
std::vector<BoardRow> board_rows(const Result& result) {
  const auto& system = result.system;
  const auto add = [](std::vector<std::string>& to, const Metric& value, const char* form,
                      double factor = 1) {
    if (value) to.push_back(fmt::format(fmt::runtime(form), factor * *value));
  };
  std::vector<std::string> gpu, dla, engines, link, cpu, memory, power;
  add(gpu, system.gpu.busy, "busy {:.1f} %", 100);
  add(gpu, system.gpu.array.sm_active, "SM active {:.1f} %", 100);
  add(gpu, system.gpu.array.tensor_active, "tensor active {:.1f} %", 100);
  add(gpu, system.gpu.switches_per_s, "{:.0f} switches/s");
  add(gpu, system.gpu.clock_mhz, "{:.0f} MHz");
  for (const auto& engine : system.dla) {
    if (engine.busy > 0) dla.push_back(fmt::format("{} busy {:.1f} %", engine.name, 100 * *engine.busy));
  }
  for (const auto& engine : system.engines)
    if (engine.busy) engines.push_back(fmt::format("{} busy {:.1f} %", engine.name, 100 * *engine.busy));
  if (system.link) {
    add(link, system.link->busy, "busy {:.1f} %", 100);
    if (const Metric& sent = system.link->requests_per_s)
      link.push_back(input::decimal(*sent, 4) + " requests/s");
    add(link, system.link->wait_ms, "waited for {:.3g} ms");
    if (system.link->resends > 0) add(link, system.link->resends, "{:.2g} % sent again", 100);
    if (system.link->queued > 0) link.push_back(fmt::format("{} queued at the end", system.link->queued));
    if (system.link->power_w > 0) add(link, system.link->power_w, "{:.3g} W at the sender");
  }
  add(cpu, system.cpu.busy_cores, "{:.2f} cores busy");
  add(cpu, system.cpu.migrations_per_s, "{:.0f} migrations/s");
  add(cpu, system.cpu.involuntary_switches_per_s, "{:.0f} preemptions/s");
  if (system.memory.used_mb && system.memory.capacity_mb)
    memory.push_back(
        fmt::format("{:.0f} of {:.0f} MB held", *system.memory.used_mb, *system.memory.capacity_mb));
  add(memory, system.memory.gpu_share, "{:.1f} % for the GPU", 100);
  if (const Metric& moved = system.memory.bandwidth_gb_s)
    memory.push_back(input::decimal(*moved, 3) + " GB/s");
  const auto grade = scenarios::power_grade(result);
  if (const Metric& watts = system.power_w.mean)
    power.push_back(fmt::format("{:.2f} W{}", *watts, grade ? fmt::format(" ({})", *grade) : ""));
  if (system.power_w.pi90) power.push_back("90 % within " + range(system.power_w.pi90) + " W");
  add(power, system.power_w.peak, "peak {:.2f} W");
  for (const auto& [rail, watts] : system.power_w.rails) {
    if (system.power_w.rails.size() > 1 && watts != system.power_w.mean)
      power.push_back(fmt::format("{} {:.2f} W", rail, watts));
  }
  const bool images = std::ranges::any_of(
      result.processes, [](const ProcessResult& process) { return process.throughput.unit == "images/s"; });
  if (images) add(power, system.energy_per_image_mj, "{:.1f} mJ/image");
  if (const auto& tokens = system.tokens) {
    add(power, tokens->energy_mj, "{:.1f} mJ/token");
    if (tokens->energy_pi90) power.push_back("90 % within " + range(tokens->energy_pi90) + " mJ/token");
  }
  add(power, system.temperature_c, "{:.0f} degC");
  if (system.limited_by != "none" && (system.limited_by != "power_mode" || !sets_clock(result)))
    power.push_back(scenarios::limit_in_words(system.limited_by));
  return {{"GPU", gpu}, {"DLA", dla},    {"video", engines}, {"link", link},
          {"CPU", cpu}, {"RAM", memory}, {"board", power}};
}

// Power, energy and limits of the board alone: "8.92 W (fitted), 16.4 mJ/image, the power cap holds the
// clocks down".
std::string board_words(const Result& result) {
  const auto rows = board_rows(result);
  std::vector<std::string> phrases = rows.back().phrases;
  std::erase_if(phrases, [&](const std::string& phrase) {
    const bool rail = std::ranges::any_of(result.system.power_w.rails,
                                          [&](const auto& of) { return phrase.starts_with(of.first + " "); });
    return rail || phrase == scenarios::limit_in_words("power_mode") || phrase.starts_with("peak ") ||
           phrase.starts_with("90 % within") || phrase.ends_with(" degC");
  });
  return fmt::format("{}", fmt::join(phrases, ", "));
}

std::string system_lines(const Result& result, int width) {
  std::string text;
  for (const BoardRow& row : board_rows(result))
    text += wrapped(fmt::format("{:<5}", row.part), row.phrases, width);
  return text.empty() ? text : "\n" + text;
}

// The processes whose full queues drop a share of their images that can be seen.
std::vector<PageWarning> drops_of(const Result& result) {
  constexpr double least = 0.005;
  std::vector<PageWarning> found;
  for (const ProcessResult& process : result.processes) {
    const double share = scenarios::dropped_share(process).value_or(0);
    if (share < least || !process.offered) continue;
    found.push_back(
        {"dropped",
         fmt::format("process {} ({}) serves {} of {} images/s and drops {} % at the limit of its queue",
                     process.index, input::printable(label(process)),
                     input::decimal(process.throughput.mean.value_or(0), 4),
                     input::decimal(*process.offered, 4), significant(100 * share, 2))});
  }
  return found;
}

// The beginning of the warning that phases stay as drawn, which stands beside how sure a result is.
constexpr std::string_view of_phases = "the phases of ";

// The processes that drop images or were served nothing, and the metrics that are not steady.
std::vector<PageWarning> warnings_of(const Result& result) {
  if (result.status == "thermal_shutdown") return {};  // already reported with the processes
  const std::vector<std::string> unserved = scenarios::starved(result);
  const std::vector<std::string> borrowed = scenarios::computed_as(result);
  const auto among = [](const std::vector<std::string>& some, const std::string& warning) {
    return std::ranges::find(some, warning) != some.end();
  };
  std::vector<PageWarning> found = drops_of(result);
  for (const std::string& warning : result.warnings) {
    if (warning.starts_with(of_phases)) continue;
    const bool other = warning.starts_with("the model of ") || warning.starts_with("the power ");
    const bool unsteady = result.stationary == false && !other && !among(borrowed, warning);
    found.push_back({among(unserved, warning) ? "unserved" : unsteady ? "not steady" : "note", warning});
  }
  return found;
}

// Warnings as one paragraph each, after an empty line.
std::string text_of(const std::vector<PageWarning>& warnings, int width, bool colour) {
  std::string text;
  for (const PageWarning& warning : warnings) {
    const std::string line = paragraph(fmt::format("{}: {}", warning.title, warning.text), width, 0);
    text += styled(warning.title, Style::bad, colour) + line.substr(warning.title.size());
  }
  return text.empty() ? text : "\n" + text;
}

// Sentences as one paragraph each, after an empty line.
std::string text_of(const std::vector<std::string>& sentences, int width) {
  std::string text;
  for (const std::string& sentence : sentences) text += paragraph(sentence, width, 0);
  return text.empty() ? text : "\n" + text;
}

// Adds a sentence on the percentiles that the run is too short for, if there are any.
void add_too_short(std::vector<std::string>& to, const scenarios::Times& times, const char* what,
                   const std::string& who) {
  if (times.needs.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, run] : times.needs) names.push_back(name);
  to.push_back(fmt::format("{} samples are too few for {} {}of {}; simulate about {} s", times.samples,
                           input::listed(names), what, who,
                           input::decimal(times.needs.back().second.run_s, 2)));
}

// The latencies that are unknown, or not known for all requests: a sentence for the first process of each
// entry.
std::vector<std::string> missing_latencies(const Result& result) {
  std::vector<std::string> found;
  std::optional<std::int64_t> reported_entry;  // the last one
  for (const ProcessResult& process : result.processes) {
    const scenarios::Latency& latency = process.latency_ms;
    if (reported_entry == process.entry) continue;
    const std::size_t before = found.size();
    const std::string who = fmt::format("process {} ({})", process.index, input::printable(label(process)));
    add_too_short(found, latency, "", who);
    if (process.tokens) {
      add_too_short(found, process.tokens->ttft_ms, "of the time to the first token ", who);
      add_too_short(found, process.tokens->itl_ms, "of the time between tokens ", who);
    }
    if (!latency.of_served.empty())
      found.push_back(
          fmt::format("{} of {} cover answered requests only; {} were dropped and {} waited at the end",
                      input::listed(latency.of_served), who, process.drops, latency.unfinished));
    if (found.size() > before) reported_entry = process.entry;
  }
  return found;
}

// "325 to 499 images/s in total": where nine of ten boards are, of the total throughput; if every process
// keeps up, of the latencies that the answer tells. Empty without an interval.
std::string measured_range(const Result& result) {
  constexpr std::size_t most = 4;
  const auto& processes = result.processes;
  if (processes.empty() || !result.system.throughput_pi90) return {};
  const bool keeps_up =
      std::ranges::all_of(processes, [](const ProcessResult& process) { return process.stable == true; });
  if (!keeps_up)
    return analyses::band_words(result.system.throughput_pi90, " " + processes.front().throughput.unit) +
           (processes.size() > 1 ? " in total" : "");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < processes.size() && parts.size() < most; ++i) {
    const auto& [value, pi90] = std::tie(processes[i].latency_ms, processes[i].latency_ms.pi90);
    const scenarios::Interval& band = value.p99 ? pi90.p99 : pi90.mean;
    if (band && (i == 0 || processes[i].entry != processes[i - 1].entry))
      parts.push_back(fmt::format("{} {} {}", label(processes[i]), value.p99 ? "p99" : "mean",
                                  analyses::band_words(band, " ms")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "detector's 30 images/s".
std::string requests_of(const ProcessResult& process) {
  return fmt::format("{}'s {} {}", label(process), significant(*process.offered, 3), process.throughput.unit);
}

// The process with which real boards may not keep up although this one keeps up with all; null if there is
// none.
const ProcessResult* least_sure(const Result& result) {
  const auto grows = [](const ProcessResult& one) { return one.stable == false; };
  if (std::ranges::any_of(result.processes, grows)) return nullptr;
  const auto most = std::ranges::max_element(result.processes, {}, &ProcessResult::unstable_share);
  if (most != result.processes.end() && most->unstable_share) return &*most;
  return result.room ? &result.processes[result.room->process] : nullptr;
}

// How sure a result is: how far a real board may be from it, and what a ± is instead.
std::vector<std::string> result_trust(const Result& result) {
  Metric share;  // share of boards on which a process does not keep up
  for (const ProcessResult& one : result.processes) share = std::max(share, one.unstable_share);
  std::vector<std::string> found{grade_sentence(
      share ? analyses::too_slow_words(share) + ". Throughput and latency" : "Throughput and latency",
      lowest(result), measured_range(result))};
  if (!share && result.room) found.front() += "; " + room_words(result);
  for (const std::string& warning : result.warnings)
    if (warning.starts_with(of_phases)) found.front() += "; " + warning;
  if (const auto power = scenarios::power_grade(result)) {
    const scenarios::Interval& watts = result.system.power_w.pi90;
    found.push_back(grade_sentence(
        "Power and energy", *power,
        watts ? fmt::format("{} to {} W", significant(watts->first, 3), significant(watts->second, 3))
              : std::string()));
  }
  found.emplace_back(repeats_sentence);
  return found;
}

// " from detector's request on": there begins the latency of a process behind another.
std::string since_when(const Result& result, std::int64_t entry) {
  if (result.resolved.empty()) return {};
  const auto scenario = output::parsed_json(result.resolved);
  for (const auto& one : scenario["processes"])
    if (!one.contains("load") && entry-- == 0 && one.contains("after"))
      return fmt::format(" from {}'s request on", one["after"].get<std::string>());
  return {};
}

// The answer in a sentence: "front p99 9.15 ms at 100 images/s, 2 x resnet50 p99 12 ms at 172 each; board:
// 14.7 W (fitted)". Each entry has the worst latency of its processes; the slowest four are told.
std::string answer_sentence(const Result& result) {
  constexpr std::size_t most = 4;
  std::vector<std::pair<double, std::string>> parts;  // by latency
  const auto& all = result.processes;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    Metric p99 = 0.0, mean, rate;
    bool grows = false;
    for (; end < all.size() && all[end].entry == all[first].entry; ++end) {
      const scenarios::Latency& latency = all[end].latency_ms;
      p99 = p99 && latency.p99 ? Metric(std::max(*p99, *latency.p99)) : std::nullopt;
      if (latency.mean) mean = std::max(mean.value_or(0), *latency.mean);
      if (all[end].throughput.mean) rate = rate.value_or(0) + *all[end].throughput.mean;
      grows = grows || all[end].stable == false;
    }
    if (!rate) continue;
    const bool several = end - first > 1;
    std::string text = several ? fmt::format("{} x ", end - first) : "";
    text += label(all[first]);
    if (grows)
      text += " latency grows";
    else if (p99 || mean)
      text += fmt::format(" {} {} ms{}", p99 ? "p99" : "mean", significant(p99 ? *p99 : *mean, 3),
                          since_when(result, all[first].entry));
    text += fmt::format(" at {} {}{}", significant(*rate / static_cast<double>(end - first), 3),
                        all[first].throughput.unit, several ? " each" : "");
    parts.emplace_back(grows ? 1e9 : p99.value_or(mean.value_or(0)), std::move(text));
  }
  if (parts.size() > most)
    std::ranges::stable_sort(parts, std::greater{}, &std::pair<double, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i)
    text += (text.empty() ? "" : ", ") + parts[i].second;
  if (parts.size() > most) text += fmt::format(", {} others sooner", parts.size() - most);
  if (const ProcessResult* const one = least_sure(result))
    text += fmt::format("; the real board may not keep up with {}", requests_of(*one));
  if (const std::string board = board_words(result); !board.empty())
    text += fmt::format("{}board: {}", text.empty() ? "" : "; ", board);
  return text;
}

// The verdict, with a bar for the p99, else the mean, of each entry that no limit names.
std::optional<scenarios::Verdict> with_every_process(const Result& result) {
  std::optional<scenarios::Verdict> verdict = result.verdict;
  if (!verdict) return verdict;
  for (const ProcessResult& process : result.processes) {
    const std::optional<std::int64_t> entry = process.entry;
    if (std::ranges::find(verdict->limits, entry, &scenarios::Judged::entry) != verdict->limits.end())
      continue;
    const scenarios::Latency& latency = process.latency_ms;
    const bool p99 = latency.p99.has_value();
    scenarios::Judged& bar = verdict->limits.emplace_back();
    bar.entry = entry;
    bar.words = label(process) + (p99 ? " p99" : " mean latency");
    bar.unit = "ms";
    bar.value = p99 ? latency.p99 : latency.mean;
    bar.pi90 = p99 ? latency.pi90.p99 : latency.pi90.mean;
    bar.grows = process.stable == false;
  }
  return verdict;
}

// The metrics that did not reach the requested precision of run.until.
std::vector<std::string> unconverged(const Result& result) {
  std::vector<std::string> found;
  for (const ProcessResult& process : result.processes) {
    std::vector<std::string> names;
    for (const auto& [metric, precise] : process.converged)
      if (!precise) names.push_back(metric);
    if (!names.empty())
      found.push_back(fmt::format("not as precise as requested: {} of process {} ({})", input::listed(names),
                                  process.index, input::printable(label(process))));
  }
  return found;
}

}  // namespace

std::string room_words(const Result& result) {
  return fmt::format("one that is {:.0f} % slower does not keep up with {}", 100 * result.room->slower,
                     requests_of(result.processes[result.room->process]));
}

std::string stable_up_to(double share) {
  return fmt::format("stable up to {:.3g} % of its requests, all else as it is",
                     std::floor(1000 * share) / 10);
}

std::vector<PageWarning> overloads_of(const Result& result) {
  std::vector<PageWarning> found;
  for (std::size_t i = 0; i < result.processes.size();) {
    std::size_t count = 0, first = i;
    double offered = 0, served = 0;
    Metric could_serve = 0.0;
    for (; i < result.processes.size() && result.processes[i].entry == result.processes[first].entry; ++i) {
      const ProcessResult& process = result.processes[i];
      if (process.stable != false) continue;
      if (count++ == 0) first = i;
      offered += process.offered.value_or(0);
      served += process.throughput.mean.value_or(0);
      could_serve =
          could_serve && process.stable_rate ? Metric(*could_serve + *process.stable_rate) : std::nullopt;
    }
    if (count == 0) continue;
    const std::string name = input::printable(label(result.processes[first]));
    const std::string who = count == 1 ? fmt::format("process {} ({})", result.processes[first].index, name)
                                       : fmt::format("{} processes ({})", count, name);
    const std::string up_to = could_serve ? "; " + stable_up_to(*could_serve / offered) : "";
    found.push_back({"overloaded", fmt::format("latency grows without bound; {} {} {} of {} images/s{}", who,
                                               count == 1 ? "serves" : "serve", input::decimal(served, 4),
                                               input::decimal(offered, 4), up_to)});
  }
  return found;
}

std::string overload_lines(const Result& result, int width, bool colour) {
  return text_of(overloads_of(result), width, colour);
}

std::string sharing_lines(const Result& result, int width) {
  const std::string note = scenarios::sharing_note(result);
  return note.empty() ? note : "\n" + paragraph("sharing: " + note, width, 0);
}

std::string report(const Result& result, int width, bool colour) {
  std::vector<std::string> facts{result.device, fmt::format("seed {}", result.seed),
                                 input::decimal(result.simulated_s, 4) + " s simulated"};
  if (result.replications > 1)
    facts.back() =
        fmt::format("mean of {} replications of {} s", result.replications,
                    input::decimal(result.simulated_s / static_cast<double>(result.replications), 4));
  if (result.system.stop != "duration") facts.push_back("stopped by " + result.system.stop);
  const std::string name = input::printable(result.scenario, std::string::npos);
  std::string title = wrapped(name + ":", facts, width);
  if (title.find('\n') == title.size() - 1 && colour) {
    title.replace(0, name.size(), styled(name, Style::strong, true));
  }
  return title + "\n" + table_of_processes(result).text(width, colour) +
         passage_text(instances_of(result), width, colour) + passage_text(tokens_of(result), width, colour) +
         overload_lines(result, width, colour) + text_of(warnings_of(result), width, colour) +
         sharing_lines(result, width) + text_of(missing_latencies(result), width) +
         text_of(unconverged(result), width) + passage_text(shares_of(result), width, colour) +
         passage_text(stages_of(result), width, colour) + passage_text(loads_of(result), width, colour) +
         passage_text(windows_of(result), width, colour) + system_lines(result, width);
}

PageWords report_words(const Result& result) {
  PageWords words = page_words(scenarios::in_words(result.resolved));
  words.question = analyses::question_of(result, words.scenario);
  words.scenario.clear();  // the question names it
  words.answer.push_back({"", {}, {answer_sentence(result)}});
  words.answer.push_back({"", {table_of_processes(result)}});
  words.missing = missing_latencies(result);
  std::ranges::copy(unconverged(result), std::back_inserter(words.missing));
  words.warnings = overloads_of(result);
  for (const ProcessResult& process : result.processes)
    if (process.status != "ok" && words.warnings.size() < 3)
      words.warnings.push_back({fmt::format("process {}", process.index),
                                fmt::format("({}) {}", label(process), process.problem)});
  std::ranges::copy(warnings_of(result), std::back_inserter(words.warnings));
  words.trust = result_trust(result);
  words.verdict = with_every_process(result);
  if (const std::string note = scenarios::sharing_note(result); !note.empty())
    words.warnings.push_back({"sharing", note});
  for (Passage passage : {instances_of(result), tokens_of(result), shares_of(result), stages_of(result),
                          loads_of(result), windows_of(result)})
    if (!passage.tables.empty()) words.more.push_back(std::move(passage));
  Passage board{"the board"};
  for (const BoardRow& row : board_rows(result))
    if (!row.phrases.empty())
      board.lines.push_back(fmt::format("{}: {}", row.part, fmt::join(row.phrases, ", ")));
  words.more.push_back(std::move(board));
  return words;
}

bool say_who_fits(const std::string& file, const Result& result, Terminal& terminal) {
  constexpr std::string_view no_room = "does not fit into memory";
  const ProcessResult* first = nullptr;
  std::size_t without_room = 0, lost = 0;
  for (const ProcessResult& process : result.processes) {
    if (process.status == "ok") continue;
    if (!process.problem.starts_with(no_room)) {
      ++lost;
      continue;
    }
    if (first == nullptr) first = &process;
    ++without_room;
  }
  if (result.status == "thermal_shutdown") {
    terminal.complain(fmt::format("{}: {}", input::file_name(file), result.processes.front().problem));
    return false;
  }
  if (first == nullptr) return lost == 0;
  const std::string which = fmt::format("process {} ({})", first->index, input::printable(label(*first)));
  std::string text = fmt::format("{}: ", input::file_name(file));
  if (without_room == 1)
    text += which + " " + first->problem;
  else
    text += fmt::format("{} of {} processes do not fit into memory; the first is {}{}", without_room,
                        result.processes.size(), which, first->problem.substr(no_room.size()));
  if (lost > 0)
    text += fmt::format(" and takes {} with it", input::counted(lost, "other process", "other processes"));
  terminal.complain(text);
  return false;
}

std::string power_range(const scenarios::Interval& relative) {
  if (!relative) return {};
  return fmt::format("; 90 % of measured power within {:+.0f} % to {:+.0f} % of these",
                     100 * (relative->first - 1), 100 * (relative->second - 1));
}

}  // namespace jostle::cli
