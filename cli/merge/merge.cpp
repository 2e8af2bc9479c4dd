// `jostle merge`: joins the parts of a study (sweep --shard) in one file.
#include <memory>
#include <string>
#include <vector>

#include "analyses/study/store.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/subcommand.hpp"
#include "input/file_id.hpp"

namespace jostle::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
};

ExitCode merge(const MergeOptions& options, Terminal& terminal) {
  for (const std::string& file : options.files) {
    (void)analyses::read_study(file);  // all are checked before anything is written
    input::note_read(file);
  }
  analyses::Store store(options.output);
  store.merge(options.files);
  tell_damage(store, "dropped", terminal);
  return ExitCode::done;
}

}  // namespace

void add_merge(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("merge", "Join the parts of a study (sweep --shard) in one file");
  const auto options = std::make_shared<MergeOptions>();
  add_value(*command, "FILE", options->files, "", "Files with parts of one study")->required();
  add_value(*command, "-o,--output", options->output, "FILE",
            "Output file; points of the same study that it already holds are kept")
      ->required();
  add_examples(*command,
               {"merge part1.sqlite part2.sqlite -o whole.sqlite", "merge part*.sqlite -o whole.sqlite"});
  command->callback(
      [&task, options] { task = [options](Context& context) { return merge(*options, context.terminal); }; });
}

}  // namespace jostle::cli
