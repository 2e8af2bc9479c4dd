#include "cli/study_files.hpp"

#include <filesystem>
#include <utility>

#include "cli/options.hpp"
#include "input/file.hpp"

namespace jostle::cli {

std::optional<analyses::Study> read_study(const StudyFile& file, input::Problems& problems) {
  auto study = analyses::load_study(file.path, problems);
  if (!study || !calibration::is_another_kind(study->document, file.path, file.kinds, problems)) return study;
  return std::nullopt;
}

std::optional<ReadyStudy> ready_study(const StudyFile& file, unsigned threads, analyses::Profiles& profiles,
                                      Context& context, bool report,
                                      const std::function<void(analyses::Study&)>& change) {
  input::Problems problems;
  auto study = read_study(file, problems);
  std::optional<analyses::CheckedStudy> checked;
  if (study) {
    change(*study);
    checked = analyses::check_points(*study, profiles, threads, &context.interrupted, problems);
  }
  if (report) {
    context.terminal.note(problems.text());
    if (checked) {
      for (const std::string& warning : checked->warnings) context.terminal.complain("warning: " + warning);
    }
  }
  if (!checked) return std::nullopt;
  return ReadyStudy{*std::move(study), *std::move(checked)};
}

std::string title_of(const analyses::Study& study) {
  const input::Node name = study.scenario ? study.scenario->find("name") : nullptr;
  if (name && !name->text.empty()) return name->text;
  return input::is_standard_input(study.origin) ? "standard input"
                                                : std::filesystem::path(study.origin).stem().string();
}

void add_threads(CLI::App& command, unsigned& threads, const std::string& what) {
  command
      .add_option_function<std::string>(
          "--threads",
          [&threads](const std::string& text) {
            const std::uint64_t count = whole_number("--threads", text);
            if (count < 1 || count > 1024) throw CLI::ValidationError("--threads", "from 1 to 1024");
            threads = static_cast<unsigned>(count);
          },
          what + " to run in parallel (default: one per core)")
      ->type_name("N");
}

}  // namespace jostle::cli
