// `jostle validate`: compares predictions with measured runs, shipped or the user's own.
#include "calibration/validate/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/evidence_files.hpp"
#include "calibration/validate/left_out.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "cli/page/html_page.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "cli/validate/error_table.hpp"
#include "cli/validate/left_out_tables.hpp"
#include "input/csv.hpp"
#include "input/file.hpp"
#include "models/board/spec.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::cli {
namespace {

// Rates, times or watts: the kind of a quantity by the words in its name.
std::string kind_of(const std::string& quantity) {
  const auto has = [&quantity](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return quantity.find(word) != std::string::npos; });
  };
  if (has({"W", "power", "energy", "watts"})) return "power and energy";
  if (has({"p50", "p90", "p99", "latency", "TTFT", "ITL", "prefill", "time", "turn", "ms", "step"}))
    return "latency and other times";
  return has({"memory", "MB"}) ? "memory" : "throughput";
}

// The head of a page: how many of the limits are kept, and how the values scatter.
PageWords validation_words(const std::vector<calibration::ComparisonGroup>& groups) {
  PageWords words;
  std::map<std::string, std::vector<double>> errors;  // by kind of quantity
  std::set<std::string> runs;
  for (const calibration::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    for (const calibration::Comparison& value : group.comparisons) {
      if (!(value.measured > 0)) continue;
      errors[kind_of(value.quantity)].push_back(std::abs(value.error()));
      runs.insert(group.name + value.what_ran());
    }
  }
  words.question = "How far are predictions from what was measured on real boards and GPUs";
  if (!errors.empty()) {
    words.question = fmt::format("How far is predicted {} from what was measured on real boards and GPUs",
                                 fmt::join(std::views::keys(errors), ", "));
    std::vector<std::string> kinds;
    for (auto& [kind, of_kind] : errors) {
      std::ranges::sort(of_kind);
      const auto within = [&of_kind = of_kind](double share) {
        return percent(of_kind[static_cast<std::size_t>(share * static_cast<double>(of_kind.size() - 1))],
                       "{:.3g}");
      };
      kinds.push_back(
          fmt::format("{} values of {}: half are off by less than {} %, nine of ten by less than {} %",
                      of_kind.size(), kind, within(0.5), within(0.9)));
    }
    words.answer.push_back({"", {}, std::move(kinds)});
    words.trust.push_back(
        fmt::format("{} measured runs stand behind these figures: for work that resembles them, expect "
                    "errors of this size; for other work expect more",
                    runs.size()));
  }
  if (Table over = exceeded_table(groups); over.rows() > 0) words.answer.push_back({"", {std::move(over)}});
  std::vector<std::string> causes = why_exceeded(groups);
  words.why.assign(causes.begin(),
                   causes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, causes.size())));
  if (causes.size() > 2) words.more.push_back({"why limits are exceeded", {}, std::move(causes)});
  if (words.why.empty())
    for (const calibration::ComparisonGroup& group : groups)
      if (!group.is_view && !group.note.empty() && words.why.size() < 2)
        words.why.push_back(group.name + ": " + group.note);
  words.trust.emplace_back(
      "A limit says how good a prediction must be to be used; one on the mean holds for a group, one on each "
      "for every value");
  return words;
}

// `subject`: the heading.
std::string validation_page(const std::string& subject,
                            const std::vector<calibration::ComparisonGroup>& groups) {
  using Json = nlohmann::ordered_json;
  Json data{{"words", words_json(validation_words(groups))},
            {"errors", output::parsed_json(validation_json(groups, {})).at("groups")},
            {"groups", Json::array()}};
  for (const calibration::ComparisonGroup& group : groups) {
    if (group.is_view) continue;
    Json values = Json::array();
    for (const calibration::Comparison& value : group.comparisons)
      values.push_back({{"run", value.run},
                        {"quantity", value.quantity},
                        {"measured", rounded(value.measured)},
                        {"predicted", rounded(value.predicted)},
                        {"covered", value.covered ? Json(*value.covered) : Json()}});
    data["groups"].push_back({{"runs", group.name}, {"note", group.note}, {"values", std::move(values)}});
  }
  return html_page("validate", subject, data);
}

constexpr int file_width = 120;  // columns of a table that no terminal limits

// The comparisons; `left_out` only for the shipped boards.
struct Compared {
  std::vector<calibration::ComparisonGroup> groups;
  std::optional<calibration::LeftOut> left_out;
};

// The tables of docs/validation.md.
std::string markdown(const Compared& compared) {
  std::string text = error_table(compared.groups).markdown() +
                     "\nRuns over the limit that applies to each run:\n\n" +
                     details_table(compared.groups, true).markdown();
  if (compared.left_out)
    text += fmt::format("\n{}\n\nThe {} that are most wrong:\n\n{}\n{}", left_out_counts(*compared.left_out),
                        worst_shown, worst_table(*compared.left_out).markdown(),
                        not_yet_table(*compared.left_out).markdown());
  return text;
}

struct ValidateOptions {
  std::string subject;
  bool all = false, details = false, markdown = false, fit = false, uncertainty = false;
  std::string html;  // file name; empty: none
  std::string format = "table";
  std::vector<std::string> set, evidence, onnx;
};

Compared compare(const ValidateOptions& options, const profiles::Profile& profile,
                 const std::function<void(double)>& progress) {
  Compared compared;
  std::vector<calibration::ComparisonGroup>& groups = compared.groups;
  const profiles::TraceFiles& own =
      calibration::embedded_traces(profiles::shipped_evidence(profile.spec->evidence));
  const auto subject_is = [&](std::string_view name) {
    return options.subject.empty() || options.subject == name;
  };
  if (options.subject != "boards" && options.subject != "language" && options.subject != "mps" &&
      options.subject != "pytorch" && options.subject != "host")
    groups =
        calibration::validate_h200(profile, progress, own.empty() ? calibration::embedded_traces() : own);
  if (options.subject == "mps")
    for (calibration::ComparisonGroup& group : calibration::validate_clients(progress))
      groups.push_back(std::move(group));
  if (options.subject == "host")
    for (calibration::ComparisonGroup& group : calibration::validate_host(progress))
      groups.push_back(std::move(group));
  if (options.subject == "pytorch")
    for (calibration::ComparisonGroup& group : calibration::validate_frameworks(progress).groups)
      groups.push_back(std::move(group));
  if (subject_is("language"))
    for (calibration::ComparisonGroup& group : calibration::validate_language(progress))
      groups.push_back(std::move(group));
  if (subject_is("boards")) {
    for (calibration::ComparisonGroup& group : calibration::validate_boards(progress).groups)
      groups.push_back(std::move(group));
    compared.left_out =
        calibration::judge_left_out(calibration::shipped_evidence(), calibration::shipped_fit(), progress);
    for (calibration::ComparisonGroup& group : calibration::grouped_errors(*compared.left_out))
      groups.push_back(std::move(group));
  }
  return compared;
}

// A shipped profile or a profile file, with the parameters in `set` overridden.
std::optional<analyses::UncertainProfile> profile_of(const std::string& name,
                                                     const std::vector<std::string>& set,
                                                     input::Problems& problems) {
  const bool path = input::is_path(name);
  return analyses::uncertain_profile(path ? "" : name, path ? name : "", problems, set);
}

void write_page(const ValidateOptions& options, output::OutputFile& page,
                const std::vector<calibration::ComparisonGroup>& groups) {
  const std::string subject = options.evidence.empty() ? "Validation of jostle"
                                                       : fmt::format("{} against {}", options.subject,
                                                                     fmt::join(options.evidence, ", "));
  output::write_whole(page, validation_page(subject, groups));
}

std::string shown(const ValidateOptions& options, const Terminal& terminal, const Compared& compared) {
  if (options.format == "json") return validation_json(compared.groups, compared.left_out);
  if (options.markdown) return markdown(compared);
  const int width = terminal.width() == Terminal::unlimited ? file_width : terminal.width();
  const auto text = [&](const Table& table) { return table.text(width, terminal.colour()); };
  if (options.details) return text(details_table(compared.groups, false));
  std::string all = error_text(compared.groups, options.all ? ErrorRows::all : ErrorRows::over_limit, width,
                               terminal.colour());
  if (compared.left_out)
    all += "\n" + paragraph(left_out_counts(*compared.left_out), std::min(width, max_prose_width), 0);
  if (compared.left_out && options.all)
    all += fmt::format("\nthe {} that are most wrong\n{}\nwhat rows wait for\n{}", worst_shown,
                       text(worst_table(*compared.left_out)), text(not_yet_table(*compared.left_out)));
  return all;
}

std::function<void(double)> progress_of(Context& context) {
  return [&context](double done) {
    if (context.interrupted) throw scenarios::Interrupted();
    context.terminal.progress("validate", done);
  };
}

ExitCode validate_own(const ValidateOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  input::Problems problems;
  const auto profile = profile_of(options.subject, options.set, problems);
  if (!profile) return terminal.refuse(problems);
  try {
    const calibration::EvidenceFiles files = calibration::read_evidence_files(options.evidence, options.onnx);
    for (const std::string& note : files.notes) terminal.note("note: " + note + '\n');
    const auto page = output::open_if_given(options.html);
    if (!files.traces.empty()) {
      const auto groups =
          calibration::validate_h200(profile->base.profile, progress_of(context), files.traces);
      terminal.clear_progress();
      if (groups.empty()) return terminal.refuse(options.evidence.front() + ": no runs to compare with");
      if (page) write_page(options, *page, groups);
      terminal.print(shown(options, terminal, {groups, {}}));
      return ExitCode::done;
    }
    const std::vector<calibration::RunConfiguration>& configurations = files.configurations;
    if (configurations.empty())
      return terminal.refuse(options.evidence.front() + ": contains no metric that jostle predicts");
    const auto groups = calibration::validate_evidence(*profile, configurations, &context.interrupted);
    if (page) write_page(options, *page, groups);
    terminal.print(shown(options, terminal, {groups, {}}));
  } catch (const input::CsvError& error) {
    return terminal.refuse(error.what());
  }
  return ExitCode::done;
}

ExitCode validate(const ValidateOptions& options, Context& context) {
  if (!options.evidence.empty()) return validate_own(options, context);
  const bool shipped = options.subject.empty() || options.subject == "h200" || options.subject == "boards" ||
                       options.subject == "language" || options.subject == "mps" ||
                       options.subject == "pytorch" || options.subject == "host";
  input::Problems problems;
  const auto profile = profile_of(shipped ? "nvidia-h200" : options.subject, options.set, problems);
  if (!profile) return context.terminal.refuse(problems);
  // The shipped contention runs of the H200 are no evidence for another GPU.
  if (!shipped && profile->base.profile.spec->evidence.empty())
    return context.terminal.refuse("validate " + options.subject +
                                   ": EVIDENCE is required (or use validate h200, boards, language or mps)");
  const auto page = output::open_if_given(options.html);
  const auto progress = progress_of(context);
  std::string text, notes;
  if (options.uncertainty) {
    calibration::ShippedUncertainty found = calibration::shipped_uncertainty(progress);
    text = std::move(found.csv);
    notes = error_text(found.coverage, ErrorRows::all, context.terminal.width(), false);
  } else if (options.fit) {
    text = calibration::factors_csv(
        calibration::fit_board_factors(calibration::shipped_run_configurations(), progress));
  } else {
    const Compared compared = compare(options, profile->base.profile, progress);
    if (page) write_page(options, *page, compared.groups);
    text = shown(options, context.terminal, compared);
  }
  context.terminal.clear_progress();
  context.terminal.note(notes);
  if (options.uncertainty || options.fit || options.format == "json")
    context.terminal.print_data(text);
  else
    context.terminal.print(text);
  return ExitCode::done;
}

// The files that maintainers make of the shipped measurements.
void add_tables(CLI::App* command, ValidateOptions* options) {
  command
      ->add_flag("--fit", options->fit,
                 "Fit the factors of the cost model to the runs of the boards; prints profiles/factors.csv")
      ->excludes("--details")
      ->excludes("--markdown");
  command
      ->add_flag("--uncertainty", options->uncertainty,
                 "Uncertainty of the shipped profiles; prints profiles/uncertainty.csv, and on stderr how "
                 "many held-out runs it covers")
      ->excludes("--details")
      ->excludes("--markdown");
}

}  // namespace

void add_validate(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("validate", "Simulate measured runs, shipped or your own, and compare");
  const auto options = std::make_shared<ValidateOptions>();
  add_value(*command, "SUBJECT", options->subject, "",
            "h200: contention on an H200, measured for jostle; boards: published times of Jetsons; language: "
            "language models, alone and beside others; default: these three. mps: clients of MPS, with and "
            "without shares of the SMs. pytorch: networks that nobody calibrated, on an H100. host: few "
            "cores, loads on them and sources that poll, on an H200. Or a profile (name or file) to compare "
            "with EVIDENCE; without EVIDENCE, an H200 profile is compared with the shipped runs");
  add_value(*command, "EVIDENCE", options->evidence, "",
            "CSV files of measurements, or a folder of them (see docs/calibration.md)");
  add_value(*command, "--onnx", options->onnx, "FILE",
            "The .onnx file of a network in EVIDENCE, which knows it by its content; may be repeated (also "
            "looked for beside it, and here)");
  command->add_flag("--all", options->all,
                    "Print every group, and what is most wrong; default: what is over its limit");
  command->add_flag("--details", options->details, "Print every measured value of every run");
  add_html(*command, options->html);
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str()
      ->excludes("--details");
  command->add_flag("--markdown", options->markdown, "Print the tables of docs/validation.md")
      ->excludes("--details");
  add_tables(command, options.get());
  add_value(*command, "--set", options->set, "KEY=VALUE",
            "Override a parameter of the profile (default: the H200's): gpu.time_slicing.slice='1 ms'");
  add_examples(*command, {"validate boards --details", "validate language --all",
                          "validate jetson-orin-nano-super evidence.csv"});
  set_task(*command, task, options, validate);
}

}  // namespace jostle::cli
