#include "calibration/probe/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "calibration/probe/busy.hpp"
#include "calibration/probe/pinned_clocks.hpp"
#include "calibration/probe/summary.hpp"
#include "output/temporaries.hpp"
#include "output/uninterrupted.hpp"

namespace jostle::calibration::probe {
namespace {

namespace fs = std::filesystem;

double seconds_since_1970() {
  timespec at{};
  clock_gettime(CLOCK_REALTIME, &at);
  return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
}

int seconds_of(const Part& part, bool quick) {
  return quick ? part.quick_seconds : part.seconds;
}

// True for a folder that holds nothing, or only the networks that `jostle record` left.
bool holds_networks_alone(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename() != "networks") return false;
  return fs::is_directory(folder, error);
}

class ProbeRun {
 public:
  ProbeRun(std::span<const Part> all, const ProbeQuestion& question, const std::atomic<bool>& interrupted,
           const ProbeListener& listener)
      : all_(all),
        question_(question),
        interrupted_(interrupted),
        listener_(listener),
        files_(question.root) {}

  ProbeReport run() {
    identity_ = read_identity(files_);
    // A made-up board without a GPU has none, whatever this machine has.
    const bool expected = identity_.gpu.present;
    if (expected || question_.root == "/")
      add_driver_facts(
          {question_.folder, question_.root, question_.quick, interrupted_, [](double, std::string_view) {}},
          identity_.gpu);
    if (expected && !identity_.gpu.present) listener_.say(left_out_parts(identity_));
    claim_.emplace(question_.folder);
    std::optional<PinnedClocks> pins;
    if (question_.pin) {
      if (const std::string why = pin_refusal(geteuid()); !why.empty()) {
        refuse(why);
        return std::move(report_);
      }
      pins.emplace(question_.root, identity_.gpu.present && !identity_.gpu.integrated, listener_.say);
    }
    if (!open_folder()) return std::move(report_);
    std::vector<Part> chosen = chosen_parts(all_, question_.only, identity_);
    if (chosen.empty()) {
      refuse(identity_.gpu.present
                 ? "there is no part to run"
                 : "there is no part to run without a GPU: " + identity_.gpu.absent_because);
      return std::move(report_);
    }
    drop_finished(chosen);
    if (!chosen.empty() && !question_.busy) {
      if (const std::string reason = busy_reason(files_, interrupted_); !reason.empty()) {
        refuse(reason + ". End them, or measure all the same with --busy");
        return std::move(report_);
      }
    }
    if (!chosen.empty() && !interrupted_) write_folder();
    for (const Part& part : chosen) whole_ += seconds_of(part, question_.quick);
    for (const Part& part : chosen) {
      if (!cool_enough() || interrupted_ || !still_same_state()) break;
      run_part(part);
      before_ += seconds_of(part, question_.quick);
    }
    if (interrupted_) report_.ended = Probed::interrupted;
    return std::move(report_);
  }

 private:
  void refuse(std::string why) {
    report_.ended = Probed::refused;
    report_.why = std::move(why);
  }

  // Reads what the folder holds already. False, with the reason in the report, if it is of another board, of
  // another state, or no folder of a probe.
  bool open_folder() {
    folder_.path = question_.folder;
    folder_.identity = identity_;
    folder_.settings = read_settings(files_);
    std::error_code error;
    const bool there = fs::exists(question_.folder, error);
    if (!there || holds_networks_alone(question_.folder)) return true;
    if (!fs::exists(question_.folder / "identity.csv", error)) {
      refuse(question_.folder.string() + " is there, and no folder of a probe: choose another --output");
      return false;
    }
    input::Problems problems;
    auto before = read_probe_folder(question_.folder, problems);
    if (!before) {
      refuse("the folder cannot be read: " + problems.text());
      return false;
    }
    if (board_key(before->identity) != board_key(identity_)) {
      refuse(fmt::format("{} holds a probe of another board ({}; this is {}): choose another --output",
                         question_.folder.string(), board_key(before->identity), board_key(identity_)));
      return false;
    }
    const std::string changed = state_difference(before->settings, folder_.settings);
    if (!changed.empty()) {
      refuse(fmt::format("{} holds a probe in another state ({}): set it back, or choose another --output",
                         question_.folder.string(), changed));
      return false;
    }
    folder_ = std::move(*before);
    folder_.identity = identity_;
    return true;
  }

  // Takes away the parts that the folder has, measured as thoroughly as asked.
  void drop_finished(std::vector<Part>& chosen) {
    std::erase_if(chosen, [this](const Part& part) {
      const auto known = std::ranges::find(folder_.parts, part.name, &FinishedPart::name);
      const bool keep = known != folder_.parts.end() && (!known->quick || question_.quick);
      if (keep) {
        report_.kept.emplace_back(part.name);
        listener_.say(fmt::format("{} is there already", part.name));
      }
      return keep;
    });
  }

  // The manifest comes last: a part counts once it is listed there.
  void write_folder() {
    const output::Uninterrupted whole;
    write_file(folder_.path / "identity.csv", identity_csv(folder_.identity));
    write_file(folder_.path / "settings.txt", state_text(folder_.settings));
    write_file(folder_.path / "parameters.csv", parameters_csv(folder_.parameters));
    write_file(folder_.path / "manifest.csv", manifest_csv(folder_.parts));
  }

  // Waits until the machine is cool and does not throttle. False if it stays hot.
  bool cool_enough() {
    const std::string why = wait_until_cool(files_, interrupted_, listener_.say);
    if (why.empty() || interrupted_) return true;
    report_.ended = Probed::set_aside;
    report_.why = "the machine stays hot or throttled: " + why;
    listener_.say(report_.why);
    return false;
  }

  bool still_same_state() {
    const std::string changed = state_difference(folder_.settings, read_settings(files_));
    if (changed.empty()) return true;
    report_.ended = Probed::set_aside;
    report_.why = fmt::format("the machine is no longer in the state that {} holds: {}",
                              folder_.path.string(), changed);
    listener_.say(report_.why);
    return false;
  }

  void run_part(const Part& part) {
    const fs::path place = folder_.path / fmt::format("{}.part", part.name);
    std::error_code ignored;
    fs::remove_all(place, ignored);
    const output::Temporary listed(place.string());
    fs::create_directory(place, ignored);
    give_to_caller(place);
    StateWatch watch(files_);
    const auto progress = [&](double done, std::string_view what) {
      watch.look(false);
      const double all = std::max(1, whole_);
      listener_.progress(fmt::format("{}: {}", part.name, what),
                         (before_ + std::clamp(done, 0.0, 1.0) * seconds_of(part, question_.quick)) / all);
    };
    listener_.say(
        fmt::format("{}: {}, about {} s", part.name, part.gives, seconds_of(part, question_.quick)));
    FinishedPart finished{
        .name = std::string(part.name), .quick = question_.quick, .start = seconds_since_1970()};
    Outcome outcome;
    std::string failure;
    try {
      outcome = part.run({place, question_.root, question_.quick, interrupted_, progress});
      widen_by_machine(outcome);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (interrupted_) {
      fs::remove_all(place, ignored);
      return;
    }
    watch.look(true);
    finished.end = seconds_since_1970();
    if (failure.empty() && outcome.parameters.empty() && outcome.files.empty())
      failure = outcome.problems.empty() ? "it measured nothing"
                                         : fmt::format("{}", fmt::join(outcome.problems, "; "));
    if (!failure.empty())
      set_aside(part, place, ".failed", failure);
    else if (!watch.changed().empty())
      set_aside(part, place, ".mixed", "the state changed: " + watch.changed());
    else
      finish(part, place, std::move(finished), std::move(outcome));
  }

  void set_aside(const Part& part, const fs::path& place, const char* suffix, const std::string& why) {
    const output::Uninterrupted whole;
    write_file(place / "why.txt", why + "\n");
    std::error_code ignored;
    for (const char* const other : {".failed", ".mixed"})
      fs::remove_all(folder_.path / (std::string(part.name) + other), ignored);
    fs::rename(place, folder_.path / (std::string(part.name) + suffix));
    report_.ended = Probed::set_aside;
    report_.aside.emplace_back(part.name);
    claim_->keep();
    listener_.say(fmt::format("{} is set aside as {}{}: {}", part.name, part.name, suffix, why));
  }

  void finish(const Part& part, const fs::path& place, FinishedPart finished, Outcome outcome) {
    const output::Uninterrupted whole;
    std::erase_if(folder_.parts, [&](const FinishedPart& old) { return old.name == part.name; });
    std::erase_if(folder_.parameters, [&](const ProbedParameter& old) { return old.part == part.name; });
    for (const std::string& file : outcome.files) {
      fs::create_directories((folder_.path / file).parent_path());
      give_to_caller((folder_.path / file).parent_path());
      fs::rename(place / file, folder_.path / file);
      finished.files.push_back(file);
    }
    std::error_code ignored;
    fs::remove_all(place, ignored);
    for (const char* const old : {".failed", ".mixed"})
      fs::remove_all(folder_.path / (std::string(part.name) + old), ignored);
    if (finished.files.empty()) finished.files.emplace_back("parameters.csv");
    finished.note = fmt::format("{}", fmt::join(outcome.problems, "; "));
    for (Measured& one : outcome.parameters) {
      std::erase_if(folder_.parameters,
                    [&](const ProbedParameter& old) { return old.measured.parameter == one.parameter; });
      folder_.parameters.push_back({std::move(one), std::string(part.name)});
    }
    folder_.parts.push_back(std::move(finished));
    write_folder();
    claim_->keep();
    for (const std::string& problem : outcome.problems)
      listener_.say(fmt::format("{}: {}", part.name, problem));
    report_.finished.emplace_back(part.name);
  }

  std::span<const Part> all_;
  const ProbeQuestion& question_;
  const std::atomic<bool>& interrupted_;
  const ProbeListener& listener_;
  MachineFiles files_;
  Identity identity_;
  std::optional<Claim> claim_;
  ProbeFolder folder_;
  ProbeReport report_;
  int whole_ = 0, before_ = 0;  // seconds of all parts, and of those that are over
};

}  // namespace

std::string probe_plan(std::span<const Part> all, const ProbeQuestion& question, const Identity& identity) {
  int seconds = 0;
  std::string text;
  for (const Part& part : chosen_parts(all, question.only, identity)) {
    const int own = seconds_of(part, question.quick);
    seconds += own;
    text += fmt::format("  {:<12} {:>4} s  {}\n", part.name, own, part.gives);
  }
  const std::string time =
      seconds <= 180 ? fmt::format("{} s", seconds) : fmt::format("{} min", (seconds + 59) / 60);
  return text + fmt::format("  together about {}. {}\n", time,
                            question.pin ? "Clocks are held at their highest meanwhile, and given back."
                                         : "Nothing on the machine is changed.");
}

ProbeReport run_probe(std::span<const Part> all, const ProbeQuestion& question,
                      const std::atomic<bool>& interrupted, const ProbeListener& listener) {
  return ProbeRun(all, question, interrupted, listener).run();
}

}  // namespace jostle::calibration::probe
