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
    if (!rows.only_reads()) {
      context.terminal.complain("only read-only SQL statements are allowed");
      return ExitCode::bad_input;
    }
    print_rows(rows,
               options.format == "csv"    ? RowFormat::csv
               : options.format == "json" ? RowFormat::json
                                          : RowFormat::table,
               context.terminal);
  } catch (const analyses::DatabaseError& error) {
    context.terminal.complain(error.what());
    return ExitCode::bad_input;
  }
  return ExitCode::done;
}

}  // namespace

void add_query(CLI::App& app, Task& task) {
  CLI::App* const command = app.add_subcommand("query", "Query the file of a study with SQL");
  const auto options = std::make_shared<QueryOptions>();
  command->add_option("FILE", options->file, "A file written by `jostle sweep`")->required()->type_name("");
  command
      ->add_option("SQL", options->sql,
                   "One read-only statement; default: SELECT * FROM results, one row per point")
      ->type_name("");
  command
      ->add_option("--format", options->format,
                   "Output format: a table (default), CSV, or one line of JSON per row")
      ->check(one_of({"table", "csv", "json"}))
      ->type_name("table|csv|json");
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
  command->callback(
      [&task, options] { task = [options](Context& context) { return run_query(*options, context); }; });
}

}  // namespace jostle::cli
