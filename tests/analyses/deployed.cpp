// A configuration that jostle wrote for Triton or deepstream-app, imported again, is its scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analyses/deploy/deploy.hpp"
#include "calibration/logs/imported_scenario.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;
using calibration::ImportedScenario;
using scenarios::Scenario;
using scenarios::testing::scenario_of;

fs::path written(const std::string& tool, const Scenario& scenario) {
  fs::path folder = fs::path(::testing::TempDir()) / ("written_for_" + tool);
  fs::remove_all(folder);
  input::Problems problems;
  const auto profile = profiles::shipped_profile(scenario.device, problems);
  for (const auto& file : deployment(tool, scenario, *profile->spec, "study.yaml").files) {
    fs::create_directories((folder / file.path).parent_path());
    std::ofstream(folder / file.path) << file.text;
  }
  return folder;
}

Scenario imported(const std::optional<ImportedScenario>& made, const input::Problems& problems) {
  EXPECT_TRUE(made) << problems.text();
  return scenario_of(made ? made->text : "");
}
// The board of a scenario, which no configuration names.
calibration::ImportWishes board_of(const Scenario& scenario) {
  calibration::ImportWishes wishes;
  wishes.device = scenario.device;
  wishes.power_mode = scenario.power_mode.value();
  return wishes;
}
Scenario through_triton(const Scenario& scenario) {
  input::Problems problems;
  return imported(
      calibration::triton_scenario(written("triton", scenario).string(), board_of(scenario), problems),
      problems);
}
Scenario through_deepstream(const Scenario& scenario, const std::string& app) {
  input::Problems problems;
  return imported(calibration::deepstream_scenario((written("deepstream", scenario) / app).string(),
                                                   board_of(scenario), problems),
                  problems);
}

// The canonical JSON of the processes.
nlohmann::ordered_json processes(const Scenario& scenario) {
  return output::parsed_json(scenarios::to_json(scenario))["processes"];
}
// The JSON of a short run of the processes; names of scenarios aside.
std::string run_of(Scenario scenario, const Scenario& with_run) {
  scenario.name = "the same";
  scenario.run = with_run.run;
  return scenarios::to_json(scenarios::testing::run_text(scenarios::to_json(scenario)));
}

TEST(Deployed, a_server_of_several_models_comes_back_from_Triton_to_the_byte) {
  const Scenario server = scenario_of(R"(
device: jetson-agx-orin-64gb
power_mode: MAXN
processes:
  - name: triton
    runtime: tensorrt
    instances:
      - {name: classifier, model: resnet50, precision: int8, batch: 8, arrivals: {periodic: 12.5 /s}}
      - {name: detector, model: yolov8n, precision: fp16, batch: 4, count: 2, priority: high, input: 640,
         arrivals: {poisson: 60 /s}, max_queue_delay: 2500 us, queue: 64}
      - {name: segmenter, model: unet, precision: fp32}
run: {duration: 1 s, warmup: 100 ms}
)");
  const Scenario back = through_triton(server);
  EXPECT_EQ(processes(back).dump(), processes(server).dump());
  EXPECT_EQ(run_of(back, server), run_of(server, server));
}

TEST(Deployed, several_processes_come_back_from_Triton_as_a_server_each) {
  const Scenario robot = scenario_of(
      "device: jetson-orin-nano-super\npower_mode: 25W\nprocesses:\n"
      "  - {name: front, runtime: tensorrt, instances: [{name: eye, model: yolov8n, precision: fp16, batch: "
      "1, arrivals: {poisson: 20 /s}}]}\n"
      "  - {name: rear, runtime: onnxruntime, instances: [{name: mind, model: resnet50, precision: fp16, "
      "batch: 2,\n"
      "     arrivals: {poisson: 9 /s}, max_queue_delay: 1 ms}]}\n");
  EXPECT_EQ(processes(through_triton(robot)).dump(), processes(robot).dump());
}

TEST(Deployed, a_process_of_one_model_comes_back_from_Triton_with_its_rates) {
  const Scenario one = scenario_of(
      "device: jetson-orin-nano-super\npower_mode: 25W\nprocesses: [{name: server, model: resnet50, "
      "precision: fp16, batch: 8, streams: 2,\n"
      "  arrivals: {poisson: 300 /s}, max_queue_delay: 5 ms}]\nrun: {duration: 100 s, warmup: 1 s}\n");
  Scenario back = through_triton(one);
  back.run = one.run;
  const auto rate = [](const Scenario& scenario) {
    return scenarios::testing::run_text(scenarios::to_json(scenario))
        .processes.front()
        .throughput.mean.value();
  };
  EXPECT_NEAR(rate(back), rate(one), 0.03 * rate(one));
}

TEST(Deployed, a_pipeline_comes_back_from_deepstream_app_to_the_byte) {
  const Scenario cameras = scenario_of(
      "device: jetson-orin-nano\npower_mode: 15W\nprocesses:\n"
      "  - name: primary-gie\n    model: yolov8s\n    precision: fp16\n    batch: 5\n    input: 640x384\n"
      "    stages: [{decode: h264, size: 1080p}, {colour: vic, size: 1080p}, {resize: 640x384, on: gpu}, "
      "{normalise: gpu}, infer,\n"
      "             {nms: cpu}, {track: nvdcf}, {draw: gpu}]\n    overlap: 4\n"
      "    arrivals: {periodic: 14.6 /s, streams: 5, queue: {limit: 20, drop: oldest}}\n    max_queue_delay: "
      "40 ms\n"
      "  - {name: secondary-gie0, model: resnet18, precision: int8, batch: 4, after: primary-gie, fan_out: "
      "{mean: 3}}\n"
      "run: {duration: 2 s, warmup: 500 ms}\n");
  const Scenario back = through_deepstream(cameras, "primary-gie.txt");
  EXPECT_EQ(processes(back).dump(), processes(cameras).dump());
  EXPECT_EQ(run_of(back, cameras), run_of(cameras, cameras));
}

TEST(Deployed, a_pipeline_keeps_its_name_through_deepstream_app_and_a_queue_that_it_gets_is_told) {
  const Scenario lane = scenario_of(
      "device: jetson-orin-nx-16gb\npower_mode: 25W\nprocesses:\n"
      "  - {name: lane, model: yolov8n, precision: fp16, batch: 4, max_queue_delay: 40 ms, overlap: 4,\n"
      "     arrivals: {periodic: 12 /s, streams: 4}, stages: [{decode: h265, size: 1080p}, {colour: vic}, "
      "{resize: 640, on: gpu}, {normalise: gpu}, infer, {nms: cpu}]}\n");
  input::Problems problems;
  const auto profile = profiles::shipped_profile(lane.device, problems);
  const Deployment made = deployment("deepstream", lane, *profile->spec, "study.yaml");
  EXPECT_THAT(made.unsaid, ::testing::Contains(::testing::Field(
                               &Unsaid::words, ::testing::HasSubstr("a queue of 16 frames"))));
  const Scenario back = through_deepstream(lane, "lane.txt");
  EXPECT_EQ(back.processes.front().name, "lane");
  EXPECT_EQ(back.run.duration, sim::seconds(10));  // and that is said
  EXPECT_THAT(made.unsaid, ::testing::Contains(::testing::Field(
                               &Unsaid::words, "run: read back, it lasts 10 s after 2 s of warm-up")));
}

TEST(Deployed, an_engine_on_a_DLA_that_skips_frames_comes_back_from_deepstream_app) {
  const Scenario cameras = scenario_of(
      "device: jetson-orin-nx-16gb\npower_mode: MAXN\nprocesses:\n"
      "  - name: primary-gie\n    model: resnet50\n    precision: int8\n    batch: 2\n    placement: dla1\n  "
      "  input: 224\n    interval: 1\n"
      "    stages: [{decode: h265, size: 720p, times: 2}, {colour: vic, size: 720p, times: 2}, {resize: 224, "
      "on: vic}, infer]\n"
      "    arrivals: {periodic: 10 /s, streams: 2, dynamic_batching: true, queue: {limit: 8, drop: "
      "oldest}}\n");
  EXPECT_EQ(processes(through_deepstream(cameras, "primary-gie.txt")).dump(), processes(cameras).dump());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
