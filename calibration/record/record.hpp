// `jostle record`: runs of other people's tools on this machine, alone and beside themselves, as evidence.
//
// DIR/networks/MODEL@TOOL/ holds the tool's output and rates.csv, whole or not at all; what is there is kept.
// Runs beside themselves are rows of DIR/networks/mixes.csv.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "calibration/record/tools.hpp"

namespace jostle::calibration::record {

struct RecordQuestion {
  std::filesystem::path folder;              // folder of the board; is created if it is missing
  std::vector<std::string> words;            // models, or a command line
  std::string python = "python3";            // for tools that are scripts
  std::vector<std::string> precisions;       // empty: the tool's
  std::vector<std::int64_t> batches, equal;  // empty: as in the model's file, or 1; none beside themselves
  std::string input;                         // trtexec: NAME:DIMS of an input whose dimensions are open
  std::string name, runtime, pattern, unit = "images/s";  // a command: its name, and how its output reads
  bool quick = false, busy = false;
  bool dry_run = false;  // the programs and files are looked for, the time is told, and nothing else happens
};

enum class RecordEnded { done, refused, set_aside, interrupted };

struct RecordReport {
  RecordEnded ended = RecordEnded::done;
  std::string why = {};
  std::vector<std::string> finished = {}, kept = {}, aside = {};
};

struct RecordListener {
  std::function<void(const std::string& line)> say;
  std::function<void(const std::string& what, double done)> progress;
};

// Why nothing may be measured now, in a sentence: others use the machine, or it stays hot (this waits for it,
// at most 180 s). Empty: it may.
[[nodiscard]] std::string not_ready(bool busy, const std::atomic<bool>& interrupted,
                                    const RecordListener& listener);

// Records models with a tool, or with `tool` null the command line in the question. A run in which the state
// of the machine changes, or which fails, goes to NAME.mixed or NAME.failed with why.txt. Throws
// input::Refused if the folder cannot be written or another recorder writes to it, and std::runtime_error if
// a file cannot be written.
[[nodiscard]] RecordReport record_tool(const Tool* tool, const RecordQuestion& question,
                                       const std::atomic<bool>& interrupted, const RecordListener& listener);

}  // namespace jostle::calibration::record
