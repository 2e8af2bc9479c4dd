// `jostle query`: runs a read-only SQL query on the file of a study.

#include "cli/query/query.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "analyses/study/store.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "cli/terminal/table.hpp"
#include "input/csv.hpp"
#include "output/json.hpp"

namespace jostle::cli {
namespace {

struct QueryOptions {
  std::string file, sql = "SELECT * FROM results", format = "table";
  bool content = false;
};

ExitCode run_query(const QueryOptions& options, Context& context) {
  try {
    analyses::Database database = analyses::read_study(options.file);
    if (options.content) {
      analyses::write_content(
          database, [&](std::string_view line) { context.terminal.print_data(std::string(line) + "\n"); });
      return ExitCode::done;
    }
    analyses::SqlStatement rows(database, options.sql);
    if (!rows.only_reads()) return context.terminal.refuse("only read-only SQL statements are allowed");
    print_rows(rows,
               options.format == "csv"    ? RowFormat::csv
               : options.format == "json" ? RowFormat::json
                                          : RowFormat::table,
               context.terminal);
  } catch (const analyses::DatabaseError& error) {
    return context.terminal.refuse(error.what());
  }
  return ExitCode::done;
}

using analyses::SqlStatement;

constexpr std::size_t print_buffer_size = 1 << 16;  // bytes

// A number with five significant digits; other text unchanged.
std::string table_cell(const SqlStatement& rows, int column) {
  const std::string text(rows.text(column));
  if (!rows.is_number(column)) return text;
  if (text.find_first_of(".e") == std::string::npos) return text;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return fmt::format("{:.5g}", number);
}

// `brief`: without the columns that have no value in any row.
void print_table(SqlStatement& rows, bool brief, Terminal& terminal) {
  const int count = rows.columns();
  std::vector<std::vector<std::string>> cells;
  std::vector<bool> numbers(static_cast<std::size_t>(count), true), shown(numbers.size(), !brief);
  while (rows.step()) {
    std::vector<std::string>& row = cells.emplace_back();
    for (int i = 0; i < count; ++i) {
      row.push_back(table_cell(rows, i));
      if (rows.is_null(i)) continue;
      shown[static_cast<std::size_t>(i)] = shown[static_cast<std::size_t>(i)] || !row.back().empty();
      if (!rows.is_number(i)) numbers[static_cast<std::size_t>(i)] = false;
    }
  }
  std::vector<Column> columns;
  for (int i = 0; i < count; ++i) {
    const bool number = numbers[static_cast<std::size_t>(i)];
    if (!shown[static_cast<std::size_t>(i)]) continue;
    columns.push_back({rows.name(i), number ? Align::right : Align::left, i == 0 ? 0 : count - i, !number});
  }
  Table table(std::move(columns));
  for (std::vector<std::string>& row : cells) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (shown[i]) kept.push_back(std::move(row[i]));
    table.add(std::move(kept));
  }
  terminal.print(table.text(terminal.width(), terminal.colour()));
}

std::string line_of(const SqlStatement& rows, RowFormat format) {
  if (format == RowFormat::json) {
    auto object = nlohmann::ordered_json::object();
    for (int i = 0; i < rows.columns(); ++i) object[rows.name(i)] = json_cell(rows, i);
    return output::json_text(object) + "\n";
  }
  std::string line;
  for (int i = 0; i < rows.columns(); ++i)
    line += (i == 0 ? "" : ",") + input::csv_field(std::string(rows.text(i)));
  return line + "\n";
}

}  // namespace

void add_query(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("query", "Query the file of a study with SQL");
  const auto options = std::make_shared<QueryOptions>();
  add_value(*command, "FILE", options->file, "", "A file written by `jostle sweep`")->required();
  add_value(*command, "SQL", options->sql, "",
            "One read-only statement; default: SELECT * FROM results, one row per point");
  add_choice(*command, "--format", options->format, "table|csv|json",
             "Output format: a table (default), CSV, or one line of JSON per row");
  command->add_flag("--content", options->content,
                    "Print the whole content as lines of JSON; identical for identical studies");
  command->footer(
      "\nTables: study (name, value), points (point, key, settings), outcomes (key, status, metrics, result "
      "as JSON). The view results joins them: point, status, a column for each varied key (batch, gpu_mhz), "
      "then throughput, process_throughput_min, process_throughput_mean, latency_mean_ms, latency_p50_ms, "
      "latency_p99_ms (of the worst process), power_w, power_peak_w, energy_per_image_mj, memory_mb, "
      "gpu_busy, temperature_c, simulated_s, power_grade (of watts and energies), limited_by, stop, "
      "problem.");
  add_examples(*command, {"query study.sqlite \"SELECT batch, throughput FROM results ORDER BY throughput\"",
                          "query study.sqlite \"SELECT json_extract(result, '$.system.gpu.sm_active') FROM "
                          "outcomes\" --format csv"});
  set_task(*command, task, options, run_query);
}

nlohmann::ordered_json json_cell(const SqlStatement& rows, int column) {
  if (rows.is_null(column)) return nullptr;
  const std::string text(rows.text(column));
  if (!rows.is_number(column)) return text;
  auto number = output::parsed_json_or_discarded(text);
  return number.is_number() ? number : nlohmann::ordered_json(text);  // Inf stays text
}

void print_rows(SqlStatement& rows, RowFormat format, Terminal& terminal) {
  if (format == RowFormat::table || format == RowFormat::brief_table)
    return print_table(rows, format == RowFormat::brief_table, terminal);
  std::string text;
  if (format == RowFormat::csv) {
    for (int i = 0; i < rows.columns(); ++i) text += (i == 0 ? "" : ",") + input::csv_field(rows.name(i));
    text += "\n";
  }
  while (rows.step()) {
    text += line_of(rows, format);
    if (text.size() < print_buffer_size) continue;
    terminal.print_data(text);
    text.clear();
  }
  terminal.print_data(text);
}

}  // namespace jostle::cli
