// The tools that `jostle record` drives, a row each: the program, the arguments of its runs, and how its
// output reads.
//
// In arguments, {model}, {engine}, {precision}, {batch}, {shapes}, {threads}, {seconds}, {warmup} and {out}
// stand for the file of the network, the engine that was built of it, the settings of the run and its folder.
// An argument in which one of them is empty is left out.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration::record {

// A way to read what a program prints: a regular expression with one group, the number.
struct Pattern {
  std::string_view expression;
  std::string_view unit;  // unit of the number: images/s, ms or us for a batch
};

struct ToolRun {
  std::string_view name;       // "graph": part of the name of its files
  std::string_view arguments;  // separated by spaces
  std::string_view format;  // form of standard output: a name of `jostle import`; empty: the tool's patterns
  std::string_view runtime;
  std::string_view file = {};         // a file in {out} that is read too
  std::string_view file_format = {};  // its format
  std::string_view transfers = {};    // "none": without copies to the device and back
  bool timed = true;  // gives rates, so it also runs beside itself (--equal), and watts are read; else `file`
                      // alone counts
};

struct Tool {
  std::string_view word;                    // "trtexec"
  std::span<const std::string_view> found;  // programs, the first that is there
  std::string_view origin;                  // where it comes from, for somebody who lacks it
  std::string_view suffix;                  // ending of a model's file
  std::string_view placement;
  std::string_view
      build;  // arguments that make {engine}, once for each model and setting; empty: none is made
  std::span<const ToolRun> runs;
  std::span<const Pattern> patterns;
  std::span<const std::string_view> precisions, threads;  // tried by default; threads: 1, half, all
  std::string_view always = {};                           // arguments before those of each run
  std::string_view script = {};                           // embedded, the first argument of the program
};

[[nodiscard]] std::span<const Tool> tools();
// Null if there is none of that name.
[[nodiscard]] const Tool* find_tool(std::string_view word);

// Patterns of a program that prints its rate or the time of a batch in usual words.
[[nodiscard]] std::span<const Pattern> usual_patterns();

struct Settings {
  std::string model, engine, precision, batch, shapes, threads, seconds, warmup, out;
};
// The arguments of a run with its settings.
[[nodiscard]] std::vector<std::string> filled_arguments(std::string_view arguments, const Settings& settings);

// A script that the command carries: torch, onnxruntime.
[[nodiscard]] std::string_view script_of(std::string_view word);

struct Command {
  std::vector<std::string> words;  // the program, found in PATH, and its arguments
  std::filesystem::path output;    // file of standard output and standard error; empty: those of this process
};

struct Ran {
  std::vector<int>
      codes;  // exit codes, 128 + the signal that ended it; 127: the program could not be started
  double seconds = 0;
  double watts = 0;  // watts of the board in the last half, without the last 0.3 s; 0: no sensor
  bool interrupted = false, too_late = false;
};

// Runs them all at once and waits. An interruption or the limit ends all of them. `meanwhile` is called some
// ten times a second.
[[nodiscard]] Ran run_together(const std::vector<Command>& commands, double limit_s,
                               const std::atomic<bool>& interrupted, const std::function<void()>& meanwhile);

// The path of a program: as given, if it has a slash, else in PATH; empty if there is none that may be run.
[[nodiscard]] std::string program_at(const std::string& name);

}  // namespace jostle::calibration::record
