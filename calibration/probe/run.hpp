// Runs the parts of a probe, one after the other, into a folder: each whole or not at all.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/probe/folder.hpp"
#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

struct ProbeQuestion {
  std::filesystem::path folder;  // is created if it is missing
  std::filesystem::path root = "/";
  bool quick = false;
  std::vector<std::string> only = {};  // words of part_words(); empty: everything
  bool busy = false;                   // measure although others use the machine
  bool pin = false;                    // hold clocks at their highest meanwhile; root only
};

struct ProbeListener {
  std::function<void(const std::string& line)> say;                  // the steps done, a sentence each
  std::function<void(std::string_view what, double done)> progress;  // 0 to 1 of the whole probe
};

enum class Probed {
  done,
  refused,     // nothing was measured; `why` says it
  set_aside,   // a part failed, or the state changed in it; the others are done
  interrupted  // finished parts stay
};

struct ProbeReport {
  Probed ended = Probed::done;
  std::string why = {};
  std::vector<std::string> finished = {}, kept = {}, aside = {};  // names of parts
};

// The parts that would run, with their seconds, as lines for people; `files` are the machine's.
[[nodiscard]] std::string probe_plan(std::span<const Part> all, const ProbeQuestion& question,
                                     const Identity& identity);

// Runs the parts of `all` that the question asks for. A part that the folder has already, measured as
// thoroughly, is kept. The machine's settings are compared before and after each part and whenever it reports
// progress: if they change, or if clocks were taken away, the part goes to NAME.mixed with why.txt; if it
// measures nothing, to NAME.failed. Refuses a busy machine, a folder of another board or state, and to pin
// clocks for others than root. What it pins is given back before it returns. Throws input::Refused if the
// folder cannot be written or another probe writes to it, and std::runtime_error if a file cannot be written.
[[nodiscard]] ProbeReport run_probe(std::span<const Part> all, const ProbeQuestion& question,
                                    const std::atomic<bool>& interrupted, const ProbeListener& listener);

}  // namespace jostle::calibration::probe
