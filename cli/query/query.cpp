// `jostle query`: runs a read-only SQL query on the file of a study.
#include <memory>
#include <string>

#include "analyses/study/store.hpp"
#include "cli/options.hpp"
#include "cli/query/rows.hpp"
#include "cli/subcommand.hpp"

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
      "as "
      "JSON). The view results joins them: point, status, a column for each varied key (batch, gpu_mhz), "
      "then "
      "throughput, process_throughput_min, process_throughput_mean, latency_mean_ms, latency_p50_ms, "
      "latency_p99_ms (of the worst process), power_w, power_peak_w, energy_per_image_mj, memory_mb, "
      "gpu_busy, "
      "temperature_c, simulated_s, power_grade (of watts and energies), limited_by, stop, problem.");
  add_examples(*command, {"query study.sqlite \"SELECT batch, throughput FROM results ORDER BY throughput\"",
                          "query study.sqlite \"SELECT json_extract(result, '$.system.gpu.sm_active') FROM "
                          "outcomes\" --format csv"});
  set_task(*command, task, options, run_query);
}

}  // namespace jostle::cli
