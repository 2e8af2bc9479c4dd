// How a probe runs its parts: what stays, what is set aside, what is refused. The parts are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <functional>
#include <sstream>

#include "calibration/probe/part.hpp"
#include "calibration/probe/run.hpp"
#include "input/problems.hpp"
#include "tests/calibration/made_up_boards.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;

using probe::Measured;
using probe::Outcome;
using probe::Part;
using probe::Probed;
using probe::ProbeReport;
using probe::Session;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::atomic<bool> stop{false};  // what parts set that are interrupted
int runs = 0;                   // how often the part `good` ran

Outcome good(const Session& session) {
  ++runs;
  session.progress(0.5, "half");
  Outcome outcome;
  write_file(session, outcome, "raw/good.csv", "sample,us\n0,1\n");
  write_file(session, outcome, "table.csv", "a,b\n1,2\n");
  outcome.parameters.push_back({"cpu.costs.context_switch", 2.5, "us", 0.01, 100, "a test, with a comma"});
  outcome.problems.emplace_back("one sensor is missing");
  return outcome;
}
Outcome changes_the_state(const Session& session) {
  std::ofstream(session.root / "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq") << "115200\n";
  return good(session);
}
Outcome raises_an_alarm(const Session& session) {
  std::ofstream(session.root / "sys/class/hwmon/hwmon2/oc1_event_cnt") << "7\n";
  return good(session);
}
Outcome fails(const Session& session) {
  Outcome half;
  write_file(session, half, "raw/half.csv", "a\n1\n");
  throw std::runtime_error("the GPU is lost");
}
Outcome finds_nothing(const Session&) {
  return {{}, {}, {"no core is allowed"}};
}
Outcome is_interrupted(const Session& session) {
  Outcome half;
  write_file(session, half, "raw/half.csv", "a\n1\n");
  stop = true;
  return {{{"seen.half", 1, "us", 0.1, 1, "half"}}, {}, {}};
}

Part part(std::string_view name, Outcome (*run)(const Session&), bool on_gpu = false) {
  return {name, "cpu", "something", 2, 1, on_gpu, run};
}

class ProbeRun : public testing::Test {
 protected:
  ProbeRun() {
    made_up::orin_nano(tree);
    stop = false;
    runs = 0;
  }
  ProbeReport run(const std::vector<Part>& parts, bool quick = false) {
    said.clear();
    return run_probe(
        parts, {.folder = folder(), .root = tree.root(), .quick = quick, .busy = true}, stop,
        {.say = [this](const std::string& line) { said += line + '\n'; }, .progress = [](auto, double) {}});
  }
  [[nodiscard]] fs::path folder() const { return out.root() / "probe"; }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(folder() / name).rdbuf();
    return all.str();
  }

  made_up::Tree tree, out;
  std::string said;
};

TEST_F(ProbeRun, TakesAFolderInWhichOnlyNetworksWereRecorded) {
  fs::create_directories(folder() / "networks");
  std::ofstream(folder() / "networks/rates.csv") << "a\n";
  EXPECT_EQ(run({part("good", good)}).ended, Probed::done);
  EXPECT_TRUE(fs::exists(folder() / "networks/rates.csv"));
}

TEST_F(ProbeRun, leaves_what_its_parts_measured) {
  const ProbeReport report = run({part("one", good)});
  EXPECT_EQ(report.ended, Probed::done) << report.why;
  EXPECT_THAT(report.finished, ElementsAre("one"));
  EXPECT_EQ(text("table.csv"), "a,b\n1,2\n");
  EXPECT_EQ(text("raw/good.csv"), "sample,us\n0,1\n");
  EXPECT_FALSE(fs::exists(folder() / "one.part"));
  input::Problems problems;
  const auto read = probe::read_probe_folder(folder(), problems);
  ASSERT_TRUE(read) << problems.text();
  ASSERT_EQ(read->parts.size(), 1u);
  EXPECT_EQ(read->parts[0].note, "one sensor is missing");
  EXPECT_THAT(read->parts[0].files, ElementsAre("raw/good.csv", "table.csv"));
  ASSERT_EQ(read->parameters.size(), 1u);
  EXPECT_EQ(read->parameters[0].measured.how, "a test, with a comma");
  EXPECT_EQ(read->parameters[0].measured.value, 2.5);
  EXPECT_EQ(read->identity.power_mode, "MAXN_SUPER");
}

TEST_F(ProbeRun, keeps_what_is_there_and_does_the_rest) {
  (void)run({part("one", good)});
  const ProbeReport report = run({part("one", good), part("two", good)});
  EXPECT_THAT(report.kept, ElementsAre("one"));
  EXPECT_THAT(report.finished, ElementsAre("two"));
  EXPECT_EQ(runs, 2);
}

TEST(ProbeParts, take_ten_minutes_together_and_two_with_quick) {
  int whole = 0, quick = 0;
  for (const Part& part : probe::parts()) {
    whole += part.seconds;
    quick += part.quick_seconds;
    EXPECT_LE(part.quick_seconds, part.seconds) << part.name;
  }
  EXPECT_LE(whole, 600);
  EXPECT_LE(quick, 120);
}

TEST(ProbeParts, of_a_machine_without_gpu_and_sensors_are_those_of_cores_and_memory) {
  probe::Identity machine;
  machine.gpu.absent_because = "no driver is loaded";
  const auto chosen = [&](const std::vector<std::string>& only) {
    std::vector<std::string> names;
    for (const Part& part : chosen_parts(probe::parts(), only, machine)) names.emplace_back(part.name);
    return names;
  };
  EXPECT_THAT(chosen({}), ElementsAre("cpu", "cpu_memory"));
  EXPECT_THAT(chosen({"power"}), ElementsAre("power"));  // it says itself which sensor is missing
  EXPECT_THAT(chosen({"gpu"}), IsEmpty());
  EXPECT_EQ(left_out_parts(machine),
            "There is no GPU to measure: no driver is loaded. There is no sensor of power either: no INA3221 "
            "in /sys.");
  machine.rails = {{"VDD_IN", "ina3221"}};
  EXPECT_THAT(chosen({}), ElementsAre("cpu", "cpu_memory", "power"));
  EXPECT_EQ(left_out_parts(machine), "There is no GPU to measure: no driver is loaded.");
  machine.gpu.present = true;
  EXPECT_EQ(chosen({}).size(), probe::parts().size());
  EXPECT_EQ(left_out_parts(machine), "");
}

TEST_F(ProbeRun, whose_gpu_cannot_be_opened_says_so) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU, which opens";
  ASSERT_EQ(run({part("one", good)}).ended, Probed::done);
  EXPECT_THAT(said, HasSubstr("There is no GPU to measure: its driver cannot be used"));
}

TEST_F(ProbeRun, measures_again_what_was_quick_only) {
  (void)run({part("one", good)}, true);
  EXPECT_THAT(run({part("one", good)}, true).kept, ElementsAre("one"));
  EXPECT_THAT(run({part("one", good)}).finished, ElementsAre("one"));
  EXPECT_THAT(run({part("one", good)}, true).kept, ElementsAre("one"));
}

TEST_F(ProbeRun, sets_aside_a_part_in_which_the_state_changed) {
  const ProbeReport report = run({part("one", changes_the_state), part("two", good)});
  EXPECT_EQ(report.ended, Probed::set_aside);
  EXPECT_THAT(report.aside, ElementsAre("one"));
  EXPECT_THAT(report.finished, IsEmpty());  // the machine is not in the folder's state any more
  EXPECT_THAT(text("one.mixed/why.txt"), HasSubstr("scaling_max_freq: 1728000 -> 115200"));
  EXPECT_TRUE(fs::exists(folder() / "one.mixed/table.csv"));
  EXPECT_FALSE(fs::exists(folder() / "table.csv"));
  made_up::orin_nano(tree);
  EXPECT_EQ(run({part("one", good)}).ended, Probed::done);
  EXPECT_FALSE(fs::exists(folder() / "one.mixed"));
}

TEST_F(ProbeRun, sets_aside_a_part_in_which_an_alarm_took_clocks_away) {
  const ProbeReport report = run({part("one", raises_an_alarm), part("two", good)});
  EXPECT_THAT(report.aside, ElementsAre("one"));
  EXPECT_THAT(report.finished, ElementsAre("two"));
  EXPECT_THAT(text("one.mixed/why.txt"), HasSubstr("oc1_event_cnt: 0 -> 7"));
}

TEST_F(ProbeRun, sets_aside_what_fails_and_goes_on) {
  const ProbeReport report = run({part("one", fails), part("two", finds_nothing), part("three", good)});
  EXPECT_EQ(report.ended, Probed::set_aside);
  EXPECT_THAT(report.aside, ElementsAre("one", "two"));
  EXPECT_THAT(report.finished, ElementsAre("three"));
  EXPECT_EQ(text("one.failed/why.txt"), "the GPU is lost\n");
  EXPECT_EQ(text("two.failed/why.txt"), "no core is allowed\n");
}

TEST_F(ProbeRun, leaves_nothing_of_an_interrupted_part) {
  (void)run({part("one", good)});
  const ProbeReport report = run({part("one", good), part("two", is_interrupted), part("three", good)});
  EXPECT_EQ(report.ended, Probed::interrupted);
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(fs::exists(folder() / "two.part"));
  EXPECT_FALSE(fs::exists(folder() / "raw/half.csv"));
  input::Problems problems;
  EXPECT_TRUE(probe::read_probe_folder(folder(), problems)) << problems.text();
}

TEST_F(ProbeRun, leaves_no_folder_if_the_first_part_is_interrupted) {
  EXPECT_EQ(run({part("two", is_interrupted)}).ended, Probed::interrupted);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(ProbeRun, refuses_a_folder_of_another_board_or_state) {
  (void)run({part("one", good)});
  tree.write("/var/lib/nvpmodel/status", "pmode:0000");
  ProbeReport report = run({part("two", good)});
  EXPECT_EQ(report.ended, Probed::refused);
  EXPECT_THAT(report.why, HasSubstr("another state (nvpmodel_status: pmode:0002 -> pmode:0000)"));
  made_up::tx2(tree);
  report = run({part("two", good)});
  EXPECT_EQ(report.ended, Probed::refused);
  EXPECT_THAT(report.why, HasSubstr("another board"));
  EXPECT_EQ(runs, 1);
}

TEST_F(ProbeRun, refuses_a_folder_that_is_somebody_elses) {
  fs::create_directories(folder());
  std::ofstream(folder() / "diary.txt") << "dear diary\n";
  EXPECT_THAT(run({part("one", good)}).why, HasSubstr("no folder of a probe"));
  EXPECT_EQ(runs, 0);
}

const std::function<void()>* meanwhile = nullptr;  // called while the part `calls` runs
Outcome calls(const Session& session) {
  (*meanwhile)();
  return good(session);
}

TEST_F(ProbeRun, is_refused_while_another_writes_to_the_folder) {
  const std::vector<Part> parts{part("two", good)};
  const std::function<void()> second = [&] {
    EXPECT_THROW((void)run_probe(parts, {.folder = folder(), .root = tree.root(), .busy = true}, stop,
                                 {.say = [](const std::string&) {}, .progress = [](auto, double) {}}),
                 input::Refused);
  };
  meanwhile = &second;
  EXPECT_THAT(run({part("one", calls)}).finished, ElementsAre("one"));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(text("raw/good.csv"), "sample,us\n0,1\n");
  EXPECT_THAT(run({part("two", good)}).finished, ElementsAre("two"));  // the first has ended
}

TEST_F(ProbeRun, is_refused_where_its_folder_cannot_be_made) {
  std::ofstream(out.root() / "file") << "no folder\n";
  const std::vector<Part> parts{part("one", good)};
  EXPECT_THROW(
      (void)run_probe(parts, {.folder = out.root() / "file/probe", .root = tree.root(), .busy = true}, stop,
                      {.say = [](const std::string&) {}, .progress = [](auto, double) {}}),
      input::Refused);
  EXPECT_EQ(runs, 0);
}

TEST_F(ProbeRun, refuses_a_damaged_folder_with_file_and_line) {
  (void)run({part("one", good)});
  std::ofstream(folder() / "manifest.csv", std::ios::app) << "two,raw/none.csv,0,1,2,\n";
  const ProbeReport report = run({part("two", good)});
  EXPECT_EQ(report.ended, Probed::refused);
  EXPECT_THAT(report.why, HasSubstr("manifest.csv:4: raw/none.csv is not there"));
}

TEST_F(ProbeRun, refuses_a_machine_whose_gpu_others_use) {
  tree.write("/proc/77/comm", "trtexec");
  tree.link("/proc/77/fd/4", "/dev/nvgpu/igpu0/ctrl");
  const std::vector<Part> parts{part("one", good)};
  const ProbeReport report = run_probe(parts, {.folder = folder(), .root = tree.root()}, stop,
                                       {.say = [](const std::string&) {}, .progress = [](auto, double) {}});
  EXPECT_EQ(report.ended, Probed::refused);
  EXPECT_THAT(report.why, HasSubstr("77 trtexec"));
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(ProbeRun, leaves_parts_on_the_gpu_out_where_there_is_none) {
  tree.remove("/sys/class/devfreq");
  EXPECT_THAT(run({part("one", good), part("two", good, true)}).finished, ElementsAre("one"));
  EXPECT_THAT(run({part("two", good, true)}).why, HasSubstr("without a GPU"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
