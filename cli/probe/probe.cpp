// `jostle probe`: measures the machine that it runs on, part by part, into a folder.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "calibration/probe/part.hpp"
#include "calibration/probe/run.hpp"
#include "cli/laboratory/laboratory.hpp"
#include "cli/options.hpp"
#include "cli/terminal/table.hpp"
#include "input/printable.hpp"

namespace jostle::cli {
namespace {

namespace probe = calibration::probe;

struct ProbeOptions : probe::ProbeQuestion {
  bool list = false;
};

// The parts, and what is known of the machine without measuring.
ExitCode list_parts(const probe::Identity& identity, Context& context) {
  Table table({left("part"), left("group"), {"s"}, {"quick, s"}, shrinking("gives")});
  for (const probe::Part& part : probe::parts())
    table.add({std::string(part.name), std::string(part.group), fmt::format("{}", part.seconds),
               fmt::format("{}", part.quick_seconds), std::string(part.gives)});
  context.terminal.print(table.text(context.terminal.width(), context.terminal.colour()) +
                         "\nThis machine:\n");
  Table machine({left("key"), shrinking("value")});
  for (const auto& [key, value] : probe::identity_rows(identity)) machine.add({key, value});
  context.terminal.print(machine.text(context.terminal.width(), context.terminal.colour()));
  return ExitCode::done;
}

// The announcement of what is measured, how long it takes, and what is left out.
std::string announcement(const probe::ProbeQuestion& question, const probe::Identity& identity) {
  std::string text =
      fmt::format("Measures this machine into {}:\n{}", input::printable(question.folder.string(), 400),
                  probe::probe_plan(probe::parts(), question, identity));
  if (identity.emulated)
    text += fmt::format(
        "  The processor is emulated: this command is for {}, and /proc/cpuinfo tells of another "
        "architecture. What is measured is the emulation, no board.\n",
        identity.architecture);
  if (const std::string left_out = probe::left_out_parts(identity); !left_out.empty())
    text += fmt::format("  {}\n", left_out);
  return text;
}

std::string ending(const probe::ProbeReport& report, const probe::ProbeQuestion& question) {
  const std::string folder = input::printable(question.folder.string(), 400);
  std::string text;
  if (!report.finished.empty()) text += fmt::format("Measured: {}.\n", fmt::join(report.finished, ", "));
  if (!report.kept.empty()) text += fmt::format("Kept from before: {}.\n", fmt::join(report.kept, ", "));
  if (!report.aside.empty())
    text +=
        fmt::format("Set aside: {}; the reason is in why.txt of each folder. Run it again to measure them.\n",
                    fmt::join(report.aside, ", "));
  if (!report.finished.empty() || !report.kept.empty())
    text += fmt::format("Next: jostle calibrate auto {} -o mine.yaml\n", folder);
  return text;
}

ExitCode run_parts(const ProbeOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  const probe::Identity identity = probe::read_identity(probe::MachineFiles(options.root));
  if (options.list) return list_parts(identity, context);
  terminal.note(announcement(options, identity));
  const probe::ProbeListener listener{
      .say = [&terminal](const std::string& line) { terminal.note("probe: " + line + '\n'); },
      .progress = [&terminal](std::string_view what, double done) { terminal.progress(what, done); }};
  const probe::ProbeReport report = probe::run_probe(probe::parts(), options, context.interrupted, listener);
  terminal.clear_progress();
  switch (report.ended) {
    case probe::Probed::refused:
      terminal.complain(report.why);
      return ExitCode::failed;
    case probe::Probed::interrupted:
      terminal.complain("interrupted; the same command goes on after the parts that are finished");
      return ExitCode::interrupted;
    case probe::Probed::set_aside:
      terminal.print(ending(report, options));
      return ExitCode::set_aside;
    case probe::Probed::done:
      break;
  }
  terminal.print(ending(report, options));
  return ExitCode::done;
}

}  // namespace

void add_probe(CLI::App& app, Task& task) {
  CLI::App* const command =
      app.add_subcommand("probe", "Measure the machine that this runs on, for a profile of it");
  const auto options = std::make_shared<ProbeOptions>();
  options->folder = "probe";
  add_value(*command, "-o,--output", options->folder, "DIR",
            "The folder to write; what it holds of this machine in this state is kept (default: probe)");
  command->add_flag(
      "--quick", options->quick,
      "Measure within two minutes, with wider intervals; streams and steps of power are left out");
  add_value(*command, "--only", options->only, "WORD,...",
            "Measure these groups of parts alone: gpu, cpu, memory, power, or parts by name")
      ->delimiter(',')
      ->check(one_of(probe::part_words(probe::parts())));
  command->add_flag("--list", options->list,
                    "Print the parts and what the system tells of this machine, and end");
  command->add_flag("--busy", options->busy, "Measure although others use the processor or the GPU");
  command->add_flag("--pin", options->pin,
                    "Hold clocks at their highest meanwhile; all are given back (root only)");
  add_value(*command, "--root", options->root, "DIR",
            "Read /proc, /sys, /etc and /dev below this folder (for tests)")
      ->group("");
  add_examples(*command, {"probe --list", "probe --quick --only cpu --busy -o board"});
  set_task(*command, task, options, run_parts);
}

}  // namespace jostle::cli
