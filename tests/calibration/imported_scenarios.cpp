// Configurations of deepstream-app and Triton as scenarios: what they say is there, what they do not is told,
// and the scenario loads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>

#include "calibration/logs/config_groups.hpp"
#include "calibration/logs/imported_scenario.hpp"
#include "calibration/logs/protobuf_text.hpp"
#include "calibration/logs/source.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scenario_of;

class Folder {
 public:
  Folder()
      : path_(fs::path(::testing::TempDir()) /
              fmt::format("{}.{}", ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

const std::string app =
    "# two cameras\n[application]\nenable-perf-measurement=1\n\n"
    "[source0]\nenable=1\ntype=4\nuri=rtsp://10.0.0.1/cam.h265\n\n[source1]\nenable=1\ntype=4\nuri=rtsp://"
    "10.0.0.2/x\n"
    "[source2]\nenable=0\ntype=4\nuri=rtsp://10.0.0.3/x\n"
    "[streammux]\nbatch-size=4\nbatched-push-timeout=25000\nwidth=1280\nheight=720\nlive-source=1\n"
    "[primary-gie]\nenable=1\nbatch-size=4\ninterval=1\nconfig-file=infer.txt\n"
    "[tracker]\nenable=1\nll-config-file=config_tracker_IOU.yml\n"
    "[osd]\nenable=1\n[sink0]\nenable=1\ntype=1\nsync=0\n[message-broker]\nenable=1\n";
const std::string infer =
    "[property]\nmodel-engine-file=yolov8s_b4_gpu0_fp16.engine\nbatch-size=1\nnetwork-mode=2\n"
    "network-type=0\ninfer-dims=3;640;640\n";

std::optional<calibration::ImportedScenario> deepstream(const Folder& folder, const std::string& text,
                                                        input::Problems& problems,
                                                        const calibration::ImportWishes& wishes = {}) {
  return calibration::deepstream_scenario(folder.write("app.txt", text), wishes, problems);
}

TEST(ImportDeepstream, says_what_the_configuration_says) {
  const Folder folder;
  folder.write("infer.txt", infer);
  input::Problems problems;
  const auto made = deepstream(folder, app, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 1U);
  const ProcessEntry& process = scenario.processes.front();
  EXPECT_EQ(model_name(process), "yolov8s");
  EXPECT_EQ(process.work.precision, Precision::fp16);
  EXPECT_EQ(process.work.batch, 4);
  EXPECT_EQ(process.arrivals.streams, 2);
  EXPECT_DOUBLE_EQ(process.arrivals.rate_per_s, 15) << "every second batch of 30 frames/s";
  EXPECT_EQ(process.arrivals.max_delay, sim::milliseconds(25));
  EXPECT_EQ(process.around.overlap, 4);
  EXPECT_EQ(process.around.before.front().name, "decode h265");
  EXPECT_EQ(process.around.before.front().width, 1280);
  EXPECT_EQ(process.around.before.front().times, 2) << "frames that are not inferred are decoded too";
  const auto tracks = std::ranges::find(process.around.after, "track iou", &Stage::name);
  ASSERT_NE(tracks, process.around.after.end());
}

TEST(ImportDeepstream, lists_what_it_does_not_say) {
  const Folder folder;
  folder.write("infer.txt", infer);
  input::Problems problems;
  const auto made = deepstream(folder, app, problems);
  ASSERT_TRUE(made) << problems.text();
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("the board: jetson-orin-nano is taken")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("the rate of the cameras: 30 /s is taken")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("yolov8s is taken from its name")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("left out: groups message-broker")));
  EXPECT_THAT(made->text, HasSubstr("# - the rate of the cameras"));
  const auto told = deepstream(
      folder, app, problems,
      {.device = "jetson-agx-orin-64gb", .model = {}, .precision = {}, .rate = "25 /s", .folder = {}});
  ASSERT_TRUE(told);
  EXPECT_THAT(told->text, HasSubstr("device: jetson-agx-orin-64gb"));
  EXPECT_THAT(told->text, HasSubstr("periodic: 12.5 /s"));
}

const std::string two_rates =
    "[source0]\nenable=1\ntype=1\ncamera-width=640\ncamera-height=480\ncamera-fps-n=60\n"
    "[source1]\nenable=1\ntype=5\ncamera-width=1920\ncamera-height=1080\ncamera-fps-n=30\n"
    "[streammux]\nbatch-size=2\nwidth=1280\nheight=720\n[primary-gie]\nenable=1\nconfig-file=infer.txt\n";

TEST(ImportDeepstream, keeps_the_frames_of_cameras_of_several_rates_and_says_each) {
  const Folder folder;
  folder.write("infer.txt", infer);
  input::Problems problems;
  const auto made = deepstream(folder, two_rates, problems);
  ASSERT_TRUE(made) << problems.text();
  const ProcessEntry process = scenario_of(made->text).processes.front();
  EXPECT_DOUBLE_EQ(process.arrivals.rate_per_s * static_cast<double>(process.arrivals.streams), 90);
  EXPECT_EQ(process.around.before.front().width, 1920);
  EXPECT_THAT(made->unsaid, ::testing::Contains(AllOf(HasSubstr("source0 60 /s, source1 30 /s"),
                                                      HasSubstr("90 /s together"))));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("source0 640x480, source1 1920x1080")));
}

TEST(ImportDeepstream, says_that_an_interval_leaves_frames_out_of_what_is_counted) {
  const Folder folder;
  folder.write("infer.txt", infer);
  input::Problems problems;
  const auto made = deepstream(folder, app, problems);
  ASSERT_TRUE(made) << problems.text();
  EXPECT_EQ(scenario_of(made->text).processes.front().around.interval, 1);
  EXPECT_THAT(made->unsaid,
              ::testing::Contains(HasSubstr("interval=1: images/s and arrivals are of the frames")));
}

TEST(ImportDeepstream, keeps_the_stages_around_an_engine_on_a_DLA) {
  const Folder folder;
  folder.write("infer.txt", infer + "enable-dla=1\nuse-dla-core=1\n");
  input::Problems problems;
  calibration::ImportWishes wishes;
  wishes.device = "jetson-orin-nx-16gb";
  const auto made = deepstream(folder, app, problems, wishes);
  ASSERT_TRUE(made) << problems.text();
  const ProcessEntry process = scenario_of(made->text).processes.front();
  EXPECT_EQ(process.host.placement, Placement::dla1);
  EXPECT_EQ(process.around.overlap, 0);
  std::vector<std::string> names;
  for (const auto* stages : {&process.around.before, &process.around.after})
    for (const Stage& stage : *stages) names.push_back(stage.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("decode h265", "colour", "resize 640x640", "nms", "track iou", "draw"));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("the engine is on a DLA")));
}

TEST(ImportDeepstream, reads_sources_that_stand_in_a_list_or_a_file) {
  const Folder folder;
  folder.write("infer.txt", infer);
  folder.write("cameras.csv",
               "enable,type,uri,num-sources\n1,4,rtsp://a/x.h265,1\n1,4,rtsp://b,1\n0,4,rtsp://c,1\n");
  const std::string rest = "[primary-gie]\nenable=1\nconfig-file=infer.txt\n";
  const auto streams = [&](const std::string& sources) {
    input::Problems problems;
    const auto made = deepstream(folder, sources + rest, problems);
    EXPECT_TRUE(made) << problems.text();
    return made ? scenario_of(made->text).processes.front().arrivals.streams : 0;
  };
  EXPECT_EQ(
      streams("[source-list]\nnum-source-bins=3\nlist=rtsp://a;rtsp://b;rtsp://c\nuse-nvmultiurisrcbin=1\n"
              "[source-attr-all]\nenable=1\ntype=4\nlatency=100\n"),
      3);
  EXPECT_EQ(streams("[source]\ncsv-file-path=cameras.csv\n"), 2);
  const auto refused = [&](const std::string& sources) {
    input::Problems problems;
    EXPECT_FALSE(deepstream(folder, sources + rest, problems));
    return problems.text();
  };
  EXPECT_THAT(refused("[source-list]\nuse-nvmultiurisrcbin=1\n"),
              HasSubstr("source-list.list: no source is listed"));
  EXPECT_THAT(refused("[source]\ncsv-file-path=none.csv\n"), HasSubstr("none.csv"));
  folder.write("cameras.csv", "enable,type\n1,4,5\n");
  EXPECT_THAT(refused("[source]\ncsv-file-path=cameras.csv\n"),
              HasSubstr("cameras.csv:2: 3 values for 2 keys"));
}

TEST(ImportDeepstream, draws_one_picture_of_the_tiles_of_all_sources) {
  const Folder folder;
  folder.write("infer.txt", infer);
  input::Problems problems;
  const std::string tiler = "[tiled-display]\nenable=1\nrows=1\ncolumns=2\nwidth=1280\nheight=360\n";
  const auto made = deepstream(folder, app + tiler + "[sink1]\nenable=1\ntype=3\nenc-type=1\n", problems);
  ASSERT_TRUE(made) << problems.text();
  const auto process = scenario_of(made->text).processes.front();
  ASSERT_GE(process.around.after.size(), 2U);
  EXPECT_EQ(process.around.after.back().name, "encode h264");
  EXPECT_DOUBLE_EQ(process.around.after.back().cycles, 36.0 * 640 * 360) << "a tile for each frame";
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("tiled-display: the picture of all tiles")));
  EXPECT_FALSE(deepstream(folder, app + "[tiled-display]\nenable=1\n", problems)) << "one tile, two sources";
}

TEST(ImportDeepstream, refuses_keys_that_are_nearly_those_it_reads_and_leaves_others_alone) {
  const Folder folder;
  const auto problems_of = [&](const std::string& application, const std::string& engine) {
    folder.write("infer.txt", engine + "labelfile-path=labels.txt\n");
    input::Problems problems;
    const bool made = deepstream(folder, application, problems).has_value();
    EXPECT_EQ(made, problems.text().empty());
    return problems.text();
  };
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(problems_of(app, infer), "");
  EXPECT_THAT(problems_of(with(app, "interval=", "intervall="), infer),
              AllOf(HasSubstr("primary-gie.intervall: unknown key"), HasSubstr("did you mean 'interval'?")));
  EXPECT_THAT(problems_of(with(app, "[osd]\nenable", "[osd]\nenabel"), infer),
              HasSubstr("did you mean 'enable'?"));
  EXPECT_THAT(problems_of(app, with(infer, "network-mode", "networkmode")),
              HasSubstr("did you mean 'network-mode'?"));
}

TEST(ImportDeepstream, takes_files_as_fast_as_they_come_and_further_engines) {
  const Folder folder;
  folder.write("infer.txt", infer);
  folder.write("second.txt",
               "[property]\nonnx-file=resnet18.onnx\nnetwork-mode=1\nbatch-size=16\nnetwork-type=1\n");
  input::Problems problems;
  const auto made = deepstream(
      folder,
      "[source0]\nenable=1\ntype=3\nnum-sources=2\nuri=file:///x_h264.mp4\n[streammux]\nbatch-size=2\n"
      "[primary-gie]\nenable=1\nconfig-file=infer.txt\n[secondary-gie0]\nenable=1\nconfig-file=second.txt\n"
      "[sink0]\nenable=1\ntype=3\ncodec=2\n",
      problems, {.device = "jetson-agx-orin-64gb", .model = {}, .precision = {}, .rate = {}, .folder = {}});
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 2U);
  EXPECT_EQ(scenario.processes[0].arrivals.kind, process::ArrivalKind::closed_loop);
  EXPECT_EQ(scenario.processes[0].around.after.back().name, "encode h265");
  EXPECT_EQ(scenario.processes[1].arrivals.after, "primary-gie");
  EXPECT_EQ(scenario.processes[1].work.precision, Precision::int8);
}

TEST(ImportDeepstream, chains_engines_by_the_ids_that_they_name) {
  const Folder folder;
  folder.write("infer.txt", infer);
  folder.write("second.txt", "[property]\nonnx-file=resnet18.onnx\nnetwork-mode=2\nnetwork-type=1\n");
  const std::string second = "enable=1\nconfig-file=second.txt\n";
  input::Problems problems;
  const auto made =
      deepstream(folder,
                 "[source0]\nenable=1\ntype=3\nuri=file:///x_h264.mp4\n"
                 "[primary-gie]\nenable=1\ngie-unique-id=1\nconfig-file=infer.txt\n"
                 "[secondary-gie0]\ngie-unique-id=3\noperate-on-gie-id=2\n" +
                     second + "[secondary-gie1]\ngie-unique-id=2\noperate-on-gie-id=1\n" + second +
                     "[secondary-gie2]\ngie-unique-id=4\noperate-on-gie-id=9\n" + second,
                 problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 4U);
  EXPECT_EQ(scenario.processes[1].arrivals.after, "secondary-gie1");
  EXPECT_EQ(scenario.processes[2].arrivals.after, "primary-gie");
  EXPECT_EQ(scenario.processes[3].arrivals.after, "primary-gie");
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("operate-on-gie-id=9 is no other engine's")));
}

TEST(ImportDeepstream, is_strict) {
  const Folder folder;
  folder.write("infer.txt", infer);
  const auto refused = [&](const std::string& text) {
    input::Problems problems;
    EXPECT_FALSE(deepstream(folder, text, problems));
    return problems.text();
  };
  EXPECT_THAT(refused("[source0]\nenable 1\n"),
              HasSubstr("app.txt:2: 'enable 1' is neither a group nor a key"));
  EXPECT_THAT(refused("enable=1\n"), HasSubstr("a key before the first group"));
  EXPECT_THAT(refused("[a]\n[a]\n"), HasSubstr("the group stands twice"));
  EXPECT_THAT(refused("[a]\nx=1\nx=2\n"), HasSubstr("the key stands twice"));
  EXPECT_THAT(refused("[source0]\nenable=1\ntype=4\n"), HasSubstr("no engine is enabled"));
  EXPECT_THAT(refused("[source0]\nenable=yes\n"), HasSubstr("'yes' is not a whole number"));
  EXPECT_THAT(refused("[source0]\nenable=1\n[primary-gie]\nenable=1\n"),
              HasSubstr("primary-gie.config-file: missing"));
  folder.write("infer.txt", "[property]\nmodel-engine-file=x.engine\n");
  EXPECT_THAT(refused("[source0]\nenable=1\n[primary-gie]\nenable=1\nconfig-file=infer.txt\n"),
              HasSubstr("cannot tell the network of primary-gie"));
}

TEST(ImportDeepstream, reads_the_same_as_yaml) {
  const Folder folder;
  folder.write("infer.yml", "property:\n  onnx-file: yolov8s.onnx\n  network-mode: 2\n  network-type: 0\n");
  input::Problems problems;
  const auto made = calibration::deepstream_scenario(
      folder.write(
          "app.yml",
          "source0:\n  enable: 1\n  type: 4\nstreammux:\n  batch-size: 2\n  batched-push-timeout: 40000\n"
          "primary-gie:\n  enable: 1\n  batch-size: 2\n  config-file: infer.yml\n"),
      {}, problems);
  ASSERT_TRUE(made) << problems.text();
  EXPECT_EQ(scenario_of(made->text).processes.front().work.batch, 2);
}

const std::string detector =
    "name: \"yolov8m\"\nplatform: \"tensorrt_plan\"\nmax_batch_size: 16  # most\n"
    "input [ { name: \"images\" data_type: TYPE_FP32 dims: [3, 640, 640] } ]\n"
    "instance_group [ { count: 2 kind: KIND_GPU } ]\n"
    "dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 3000\n"
    "  default_queue_policy { max_queue_size: 32 } }\n"
    "optimization { priority: PRIORITY_MAX }\n";

TEST(ImportTriton, says_what_the_repository_says) {
  const Folder folder;
  folder.write("yolov8m/config.pbtxt", detector);
  folder.write("other/config.pbtxt", "name: \"other\"\nbackend: \"python\"\n");
  folder.write("resnet50/config.pbtxt",
               "backend: \"onnxruntime\"\noptimization { execution_accelerators { gpu_execution_accelerator "
               ": [ { name : "
               "\"tensorrt\" parameters { key: \"precision_mode\" value: \"INT8\" } } ] } }\n");
  input::Problems problems;
  const auto made = calibration::triton_scenario(folder.path(), {}, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 2U);
  const ProcessEntry &session = scenario.processes[0].instances.at(0),
                     &engine = scenario.processes[1].instances.at(0);
  EXPECT_EQ(model_name(session), "resnet50");
  EXPECT_EQ(session.host.runtime, Runtime::onnxruntime_tensorrt);
  EXPECT_EQ(session.work.precision, Precision::int8);
  EXPECT_EQ(model_name(engine), "yolov8m");
  EXPECT_EQ(engine.host.runtime, Runtime::tensorrt);
  EXPECT_EQ(engine.work.batch, 8) << "the largest preferred size";
  EXPECT_EQ(engine.count, 2);
  EXPECT_EQ(engine.gpu.priority, gpu::Priority::high);
  EXPECT_EQ(engine.arrivals.max_delay, sim::milliseconds(3));
  EXPECT_EQ(engine.arrivals.queue_limit, 32);
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("other: left out")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("the requests: 30 /s")));
}

TEST(ImportTriton, runs_each_model_by_the_backend_and_on_the_processor_that_it_names) {
  const Folder folder;
  folder.write("mobilenet_v2/config.pbtxt",
               "platform: \"onnxruntime_onnx\"\nmax_batch_size: 16\ndynamic_batching { }\n"
               "instance_group [ { count: 1 kind: KIND_CPU } ]\n");
  folder.write("resnet18/config.pbtxt", "backend: \"onnxruntime\"\n");
  folder.write(
      "resnet50/config.pbtxt",
      "backend: \"pytorch\"\ninput [ { name: \"x\" data_type: TYPE_FP16 dims: [ 3, 224, 224 ] } ]\n");
  input::Problems problems;
  const auto made = calibration::triton_scenario(folder.path(), {}, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 3U);
  EXPECT_EQ(scenario.processes[0].host.runtime, Runtime::libtorch);
  EXPECT_EQ(scenario.processes[0].instances.at(0).work.precision, Precision::fp16);
  EXPECT_EQ(scenario.processes[1].host.runtime, Runtime::onnxruntime);
  EXPECT_EQ(scenario.processes[1].instances.at(0).work.precision, Precision::fp32);
  EXPECT_EQ(scenario.processes[2].host.placement, Placement::cpu);
  EXPECT_EQ(scenario.processes[2].host.runtime, Runtime::onnxruntime_cpu);
  EXPECT_EQ(scenario.processes[2].work.precision, Precision::fp32);
  EXPECT_EQ(scenario.processes[2].work.batch, 1);
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("mobilenet_v2: its dynamic batching is left out")));
}

TEST(ImportTriton, captures_graphs_and_says_what_it_leaves_out) {
  const Folder folder;
  folder.write("resnet50/config.pbtxt",
               "platform: \"tensorrt_plan\"\noptimization { cuda { graphs: true } }\nsequence_batching { }\n"
               "instance_group [ { count: 1 kind: KIND_GPU rate_limiter { priority: 2 } } ]\n");
  folder.write("logic/config.pbtxt", "backend: \"python\"\n");
  input::Problems problems;
  const auto made = calibration::triton_scenario(folder.path(), {}, problems);
  ASSERT_TRUE(made) << problems.text();
  EXPECT_EQ(scenario_of(made->text).processes[0].host.runtime, Runtime::tensorrt_graph);
  EXPECT_THAT(made->unsaid,
              ::testing::Contains(HasSubstr("resnet50: left out: sequence_batching, rate_limiter")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("logic: left out; its model.py is not read")));
}

TEST(ImportTriton, tells_the_backend_by_the_file_or_refuses_the_model_by_name) {
  const Folder folder;
  folder.write("resnet18/config.pbtxt", "max_batch_size: 4\n");
  input::Problems problems;
  EXPECT_FALSE(calibration::triton_scenario(folder.path(), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("resnet18: neither backend nor platform is given"));
  folder.write("resnet18/1/model.plan", "an engine");
  input::Problems none;
  const auto made = calibration::triton_scenario(folder.path(), {}, none);
  ASSERT_TRUE(made) << none.text();
  EXPECT_EQ(scenario_of(made->text).processes.front().host.runtime, Runtime::tensorrt);
}

TEST(ImportTriton, makes_a_process_with_stages_of_an_ensemble) {
  const Folder folder;
  folder.write("yolov8m/config.pbtxt", detector);
  folder.write("prepare/config.pbtxt",
               "name: \"prepare\"\nbackend: \"python\"\ninstance_group { count: 3 }\n");
  folder.write("boxes/config.pbtxt", "name: \"boxes\"\nbackend: \"python\"\n");
  folder.write(
      "all/config.pbtxt",
      "name: \"all\"\nplatform: \"ensemble\"\nensemble_scheduling { step [ { model_name: \"prepare\" "
      "model_version: -1 }, { model_name: \"yolov8m\" }, { model_name: \"boxes\" } ] }\n");
  input::Problems problems;
  const auto made = calibration::triton_scenario(folder.path(), {}, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 1U) << "what the ensemble uses is in it";
  const ProcessEntry& process = scenario.processes.front();
  EXPECT_EQ(process.around.before.front().name, "prepare");
  EXPECT_EQ(process.around.before.front().threads, 3);
  EXPECT_EQ(process.around.after.front().name, "boxes");
  EXPECT_EQ(process.gpu.streams, 2);
  EXPECT_EQ(process.around.overlap, 4);
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("prepare: how long the step takes")));
}

TEST(ImportTriton, is_strict) {
  const Folder folder;
  const auto refused = [&](const std::string& text) {
    folder.write("yolov8m/config.pbtxt", text);
    input::Problems problems;
    EXPECT_FALSE(calibration::triton_scenario(folder.path(), {}, problems));
    return problems.text();
  };
  EXPECT_THAT(refused("name \"x\""), HasSubstr("expected ':' or '{' behind name"));
  EXPECT_THAT(refused("name: \"x"), HasSubstr("a text without its closing quote"));
  EXPECT_THAT(refused("a {\n b: 1\n"), HasSubstr("config.pbtxt:3: the file ends before '}'"));
  EXPECT_THAT(refused("platform: \"tensorrt_plan\"\nmax_batch_size: -3"),
              HasSubstr("'-3' is not a whole number"));
  EXPECT_THAT(refused("name: \"x\"\nplatform: \"tensorrt_plan\""), HasSubstr("cannot tell the network of x"));
  input::Problems problems;
  EXPECT_FALSE(calibration::triton_scenario(folder.path() + "/yolov8m", {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("no model repository"));
}

TEST(ImportCompose, makes_a_process_in_a_container_of_each_service_that_names_a_network) {
  const Folder folder;
  const std::string path = folder.write(
      "compose.yaml",
      "services:\n  detector:\n    image: registry/yolov8s-trt:1\n    runtime: nvidia\n"
      "    cpus: \"1.5\"\n    cpuset: 0-1,3\n    mem_limit: 2g\n"
      "  classes:\n    image: app\n    command: [serve, --model, resnet50]\n    cpu_shares: 512\n"
      "    deploy: {replicas: 2, resources: {limits: {cpus: '0.5'}}}\n"
      "  cache:\n    image: redis:7\n");
  input::Problems problems;
  const auto made = calibration::compose_scenario(path, {}, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 3U);
  const ProcessEntry &detector = scenario.processes[0], &first = scenario.processes[1],
                     &second = scenario.processes[2];
  EXPECT_EQ(model_name(detector), "yolov8s");
  EXPECT_EQ(detector.host.placement, Placement::gpu);
  EXPECT_EQ(detector.host.container->cpus, 1.5);
  EXPECT_EQ(detector.host.cpus, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(first.host.placement, Placement::cpu);
  EXPECT_EQ(first.host.container->cpus, 0.5);
  EXPECT_EQ(first.host.container->shares, 512);
  EXPECT_NE(first.host.container->name, second.host.container->name);
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("cache: left out")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("detector: its limit of memory")));
}

TEST(ImportCompose, is_strict) {
  const Folder folder;
  for (const auto& [text, why] : std::map<std::string, std::string>{
           {"services: {a: {image: redis}}\n", "no service runs a network"},
           {"services: {resnet50: {cpus: many}}\n", "expected a positive number"},
           {"services: {resnet50: {cpuset: 3-1}}\n", "expected numbers of cores"}}) {
    input::Problems problems;
    EXPECT_FALSE(calibration::compose_scenario(folder.write("compose.yaml", text), {}, problems));
    EXPECT_THAT(problems.text(), HasSubstr(why));
  }
}

const std::string ros2_sample = std::string(JOSTLE_SOURCE_DIR) + "/tests/calibration/samples/ros2_trace.txt";

calibration::ImportedScenario of_ros2(const std::string& text, const calibration::ImportWishes& wishes = {}) {
  input::Problems problems;
  const auto source = calibration::Source::of_text(text, "trace.txt");
  auto made = calibration::ros2_scenario(*source, wishes, problems);
  EXPECT_TRUE(made) << problems.text();
  return made.value_or(calibration::ImportedScenario{});
}
std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The camera (33.3 ms) and its rectifier (40 ms, two at once) are components of a process with two executors
// of two threads; detector and tracker share the one thread of theirs; the planner is a process of its own.
TEST(ImportRos2, makes_a_pipeline_of_the_callbacks_around_the_network_with_their_times_and_threads) {
  input::Problems problems;
  const auto made = calibration::ros2_scenario(ros2_sample, {}, problems);
  ASSERT_TRUE(made) << problems.text();
  const Scenario scenario = scenario_of(made->text);
  ASSERT_EQ(scenario.processes.size(), 1U);
  const ProcessEntry& detector = scenario.processes.front();
  EXPECT_EQ(detector.name, "/perception/yolov8s_detector");
  EXPECT_EQ(model_name(detector), "yolov8s");
  EXPECT_NEAR(detector.arrivals.rate_per_s, 30, 1e-3);
  const auto& [before, after] = std::tie(detector.around.before, detector.around.after);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0].name, "/camera timer");
  EXPECT_EQ(before[1].name, "/rectify /image_raw");
  EXPECT_EQ(before[1].threads, 2);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].name, "/perception/tracker /detections");
  EXPECT_THAT(made->text, HasSubstr("time: 2 ms"));
  EXPECT_THAT(made->text, HasSubstr("time: 40.5 ms, threads: 2"));
  EXPECT_GT(detector.around.overlap, 1);
  ASSERT_EQ(scenario.loads.size(), 1U);  // the planner: 8 ms in each 50
  EXPECT_EQ(scenario.loads.front().name, "/planner");
  EXPECT_EQ(scenario.loads.front().threads, 1);
  EXPECT_THAT(made->text, ::testing::ContainsRegex("duty: 1[67][.0-9]* %"));
  EXPECT_THAT(made->unsaid,
              ::testing::Contains(HasSubstr("/rectify /image_raw: median 40.5 ms of 9 callbacks")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("of 2 threads")));
  EXPECT_THAT(made->unsaid, ::testing::Contains(HasSubstr("of one thread")));
}

TEST(ImportRos2, reads_the_same_from_csv_with_the_fields_of_tracetools_analysis) {
  std::string csv =
      ",_name,_timestamp,vpid,vtid,procname,callback,symbol,timer_handle,period,node_handle,node_name,"
      "namespace\n";
  int row = 0;
  const auto add = [&](const char* name, long ns, const char* rest) {
    csv += std::to_string(row++) + ",ros2:" + name + "," + std::to_string(1600000000000000000L + ns) +
           ",7,7,app," + rest + "\n";
  };
  add("rcl_node_init", 0, ",,,,94344563243312.0,resnet50,/");
  add("rcl_timer_init", 1, ",,94344563243400.0,50000000.0,,,");
  add("rclcpp_timer_callback_added", 2, "94344563243500.0,,94344563243400.0,,,,");
  add("rclcpp_timer_link_node", 3, ",,94344563243400.0,,94344563243312.0,,");
  for (int i = 0; i < 3; ++i) {
    add("callback_start", 50000000L * i + 1000, "94344563243500.0,,,,,,");
    add("callback_end", 50000000L * i + 5001000, "94344563243500.0,,,,,,");
  }
  const Scenario scenario = scenario_of(of_ros2(csv).text);
  EXPECT_EQ(model_name(scenario.processes.front()), "resnet50");
  EXPECT_EQ(scenario.processes.front().arrivals.rate_per_s, 20);
  input::Problems problems;
  const auto cut = calibration::Source::of_text(csv + "9,ros2:callback_start\n", "trace.csv");
  EXPECT_FALSE(calibration::ros2_scenario(*cut, {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("not as many fields as names"));
}

// A camera and two networks in one process of one thread, whose second sends its results back to the camera's
// node.
std::string one_thread() {
  std::string text;
  const auto add = [&](double s, const std::string& event, const std::string& fields) {
    text += "[" + std::to_string(50'000 + s) + "] (+0.000000001) robot ros2:" + event +
            ": { cpu_id = 1 }, { vtid = 7, vpid = 7 }, { " + fields + " }\n";
  };
  const auto node = [&](const std::string& at, const std::string& name, const std::string& in,
                        const std::string& out) {
    add(0, "rcl_node_init", "node_handle = 0x" + at + "0, node_name = \"" + name + "\", namespace = \"/\"");
    add(0, "rcl_publisher_init",
        "publisher_handle = 0x" + at + "1, node_handle = 0x" + at + "0, topic_name = \"" + out + "\"");
    add(0, "rcl_subscription_init",
        "subscription_handle = 0x" + at + "2, node_handle = 0x" + at + "0, topic_name = \"" + in + "\"");
    add(0, "rclcpp_subscription_init", "subscription_handle = 0x" + at + "2, subscription = 0x" + at + "3");
    add(0, "rclcpp_subscription_callback_added", "subscription = 0x" + at + "3, callback = 0x" + at + "4");
  };
  node("a", "camera", "/classes", "/image");
  node("b", "yolov8n", "/image", "/objects");
  node("c", "resnet50", "/objects", "/classes");
  for (int frame = 1; frame < 5; ++frame) {
    double at = 0.1 * frame;
    for (const std::string of : {"a", "b", "c"}) {
      add(at, "callback_start", "callback = 0x" + of + "4, is_intra_process = 0");
      add(at + 0.003, "rcl_publish", "publisher_handle = 0x" + of + "1, message = 0x1");
      add(at + 0.004, "callback_end", "callback = 0x" + of + "4");
      at += 0.01;
    }
  }
  return text;
}

TEST(ImportRos2, one_thread_does_one_step_after_the_other_and_a_second_network_follows_the_first) {
  const Scenario scenario = scenario_of(of_ros2(one_thread()).text);
  ASSERT_EQ(scenario.processes.size(), 2U);
  EXPECT_EQ(scenario.processes[0].around.overlap, 0);
  ASSERT_EQ(scenario.processes[0].around.before.size(), 1U);
  EXPECT_EQ(scenario.processes[0].around.before[0].name, "/camera /classes");
  EXPECT_NEAR(scenario.processes[0].arrivals.rate_per_s, 10, 1e-3);
  EXPECT_EQ(model_name(scenario.processes[1]), "resnet50");
  EXPECT_EQ(scenario.processes[1].arrivals.after, "/yolov8n");
}

TEST(ImportRos2, takes_the_busiest_callback_for_a_network_that_no_name_tells) {
  std::string text = text_of_file(ros2_sample);
  for (auto at = text.find("yolov8s_detector"); at != std::string::npos; at = text.find("yolov8s_detector"))
    text.replace(at, 16, "detect_and_pray_");
  input::Problems problems;
  EXPECT_FALSE(calibration::ros2_scenario(*calibration::Source::of_text(text, "t.txt"), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("--model NAME, for the callback of most time: /rectify /image_raw"));
  EXPECT_EQ(
      scenario_of(
          of_ros2(text,
                  {.device = "", .model = "resnet50", .precision = "int8", .rate = "10 /s", .folder = ""})
              .text)
          .processes.front()
          .name,
      "/rectify");
}

TEST(ImportRos2, is_refused_by_name_and_reason) {
  const Folder folder;
  for (const auto& [text, why] : std::map<std::string, std::string>{
           {"hello\n", "no callback of ROS 2 begins and ends in it"},
           {"ros2:callback_start: { cpu_id = 1 }, { callback = 0x1 }\n", "an event without its time"},
           {"[14:30:42.1] (+?) h ros2:callback_start: { vtid = 1 }, { callback = 0x1 }\n",
            "no callback of ROS 2 begins and ends in it"}}) {
    input::Problems problems;
    EXPECT_FALSE(calibration::ros2_scenario(folder.write("trace.txt", text), {}, problems));
    EXPECT_THAT(problems.text(), HasSubstr(why));
  }
  input::Problems problems;
  EXPECT_FALSE(calibration::ros2_scenario(folder.path(), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("binary (CTF)"));
}

TEST(ProtobufText, reads_lists_messages_and_texts) {
  input::Problems problems;
  const auto root = calibration::parse_protobuf_text(
      "a: 1; b < c: 'x' \"y\" > d: [1, 2] e: [ { f: true }, { f: false } ] # end", "t", problems);
  ASSERT_TRUE(root) << problems.text();
  EXPECT_EQ(root->text("a"), "1");
  EXPECT_EQ(root->find("b")->text("c"), "xy");
  EXPECT_EQ(root->all("d").size(), 2U);
  EXPECT_EQ(root->all("e").back()->text("f"), "false");
  const std::string deep(1000, '{');
  EXPECT_FALSE(calibration::parse_protobuf_text("a" + deep, "t", problems));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
