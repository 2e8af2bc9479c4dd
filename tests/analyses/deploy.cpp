// The answer of a plan in the words of tools: what the scenario says stands in their files, the rest is told.
#include "analyses/deploy/deploy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "profiles/profile/profile.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

Deployment deployed(const std::string& tool, const std::string& yaml) {
  const scenarios::Scenario scenario = scenarios::testing::scenario_of(yaml);
  input::Problems problems;
  const auto profile = profiles::shipped_profile(scenario.device, problems);
  return deployment(tool, scenario, *profile->spec, "study.yaml");
}
std::string text_of(const Deployment& made, const std::string& path) {
  for (const DeployedFile& file : made.files)
    if (file.path == path) return file.text;
  ADD_FAILURE() << "no file " << path;
  return {};
}
auto told(const std::string& of, const std::string& words) {
  return Contains(AllOf(Field(&Unsaid::of, of), Field(&Unsaid::words, HasSubstr(words))));
}
// Writes the files to an empty folder.
fs::path folder_of(const Deployment& made) {
  fs::path folder = fs::path(::testing::TempDir()) / "deployed";
  fs::remove_all(folder);
  for (const DeployedFile& file : made.files) {
    fs::create_directories((folder / file.path).parent_path());
    std::ofstream(folder / file.path) << file.text;
  }
  return folder;
}

const std::string robot =
    "device: jetson-orin-nano-super\npower_mode: 15W\nmps: true\nclocks: {gpu: 408 MHz}\nprocesses:\n"
    "  - {name: front, model: yolov8n, precision: fp16, batch: 4, cpus: [0, 1], policy: {fifo: 20}, "
    "mps_threads: 60 %, mps_memory: 512 MiB,\n"
    "     arrivals: {poisson: 30 /s}, max_queue_delay: 5 ms}\n"
    "  - {name: back, model: resnet50, precision: int8, count: 2, nice: 5, container: {name: rear, cpus: "
    "1.5, shares: 512}}\n";

TEST(Deploy, a_model_of_Triton_has_its_batch_instances_delay_and_priority) {
  const Deployment made = deployed(
      "triton",
      "device: jetson-agx-orin-64gb\nprocesses:\n  - name: server\n    runtime: onnxruntime-tensorrt\n    "
      "instances:\n"
      "      - {name: detector, model: yolov8n, precision: fp16, batch: 4, count: 2, priority: high,\n"
      "         arrivals: {poisson: 60 /s}, max_queue_delay: 2500 us, queue: 64}\n"
      "      - {name: classifier, model: resnet50, precision: fp16, batch: 8, arrivals: {poisson: 5 /s}}\n");
  ASSERT_EQ(made.files.size(), 2U);
  const std::string config = text_of(made, "detector/config.pbtxt");
  for (const char* line : {"name: \"detector\"\n", "backend: \"onnxruntime\"", "max_batch_size: 4\n",
                           "  count: 2\n", "  kind: KIND_GPU\n", "  max_queue_delay_microseconds: 2500\n",
                           "  default_queue_policy { max_queue_size: 64 }\n", "  priority: PRIORITY_MAX\n",
                           "parameters { key: \"precision_mode\" value: \"fp16\" }"})
    EXPECT_THAT(config, HasSubstr(line));
  EXPECT_THAT(text_of(made, "classifier/config.pbtxt"), Not(HasSubstr("dynamic_batching")));
  for (const Unsaid& one : made.unsaid) EXPECT_EQ(one.of, "") << one.words;
}

TEST(Deploy, what_a_tool_cannot_say_is_told_with_the_tools_that_do_and_stands_in_the_file) {
  const Deployment made = deployed("triton", robot);
  EXPECT_THAT(made.unsaid, told("", "power_mode 15W"));
  EXPECT_THAT(made.unsaid, told("", "mps true (--write compose|systemd)"));
  EXPECT_THAT(made.unsaid, told("front", "policy/fifo 20"));
  EXPECT_THAT(made.unsaid, told("back", "count 2"));
  const std::string front = text_of(made, "front/front/config.pbtxt");
  EXPECT_THAT(front, HasSubstr("# Not said: front: "));
  EXPECT_THAT(front, Not(HasSubstr("Not said: back"))) << "each file tells of its own process";
}

// The keys of the Compose Specification that a service may have here.
const std::set<std::string> compose_keys{"image", "runtime",    "restart", "scale",   "cpuset",
                                         "cpus",  "cpu_shares", "ipc",     "volumes", "environment"};

TEST(Deploy, compose_has_keys_of_its_specification_with_cores_and_shares) {
  const Deployment made = deployed("compose", robot);
  const YAML::Node root = YAML::Load(text_of(made, "compose.yaml"));
  ASSERT_EQ(root.size(), 1U);
  const YAML::Node services = root["services"];
  ASSERT_EQ(services.size(), 2U);
  for (const auto& service : services)
    for (const auto& key : service.second)
      EXPECT_TRUE(compose_keys.contains(key.first.as<std::string>())) << key.first.as<std::string>();
  EXPECT_EQ(services["front"]["cpuset"].as<std::string>(), "0,1");
  EXPECT_EQ(services["front"]["environment"]["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"].as<std::string>(), "60");
  EXPECT_EQ(services["front"]["environment"]["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"].as<std::string>(), "0=512M");
  EXPECT_EQ(services["front"]["environment"]["CUDA_MPS_PIPE_DIRECTORY"].as<std::string>(), "/tmp/nvidia-mps");
  EXPECT_EQ(services["back"]["cpus"].as<double>(), 1.5);
  EXPECT_EQ(services["back"]["cpu_shares"].as<int>(), 512);
  EXPECT_EQ(services["back"]["scale"].as<int>(), 2);
  EXPECT_EQ(services["back"]["restart"].as<std::string>(), "unless-stopped");
  EXPECT_THAT(made.unsaid, told("back", "nice 5 (--write systemd)"));
  const std::string config = "docker compose -f " + folder_of(made).string() + "/compose.yaml config -q";
  if (std::system("docker compose version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no docker compose";
  EXPECT_EQ(std::system(config.c_str()), 0);
}

TEST(Deploy, cores_of_the_scenario_are_those_of_each_service) {
  const std::string cores =
      "device: jetson-orin-nano-super\nhost_cores: 4\nprocesses: [{model: resnet50, precision: fp16}]\n";
  EXPECT_THAT(text_of(deployed("compose", cores), "compose.yaml"), HasSubstr("cpuset: \"0-3\"\n"));
  EXPECT_THAT(text_of(deployed("systemd", cores), "resnet50.service"), HasSubstr("CPUAffinity=0-3\n"));
}

TEST(Deploy, units_of_systemd_pass_its_own_check) {
  const Deployment made = deployed("systemd", robot);
  const std::string front = text_of(made, "front.service"), back = text_of(made, "back@.service");
  EXPECT_THAT(front, HasSubstr("CPUAffinity=0,1\nCPUSchedulingPolicy=fifo\nCPUSchedulingPriority=20\n"));
  EXPECT_THAT(front, HasSubstr("Environment=CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=60\n"));
  EXPECT_THAT(back, HasSubstr("Nice=5\nSlice=rear.slice\n"));
  EXPECT_THAT(text_of(made, "rear.slice"), HasSubstr("CPUQuota=150%\nCPUWeight=50\n"));
  if (std::system("systemd-analyze --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no systemd-analyze";
  const std::string folder = folder_of(made).string();
  EXPECT_EQ(
      std::system(
          fmt::format("cd {0} && mv back@.service back@1.service && SYSTEMD_UNIT_PATH={0}: "
                      "systemd-analyze verify --man=no ./*.service ./*.slice > out 2>&1 && ! grep -q {0} out",
                      folder)
              .c_str()),
      0);
}

TEST(Deploy, modes_and_clocks_are_a_script_that_a_shell_accepts) {
  const Deployment made = deployed("nvpmodel",
                                   "device: jetson-orin-nano-super\npower_mode: 25W\njetson_clocks: "
                                   "true\nclocks: {gpu: 612 MHz, cpu: 1344 MHz, cores: 4}\n"
                                   "processes: [{model: resnet50, precision: fp16}]\n");
  const std::string script = text_of(made, "clocks.sh");
  for (const char* line :
       {"NAME=\\(MODE_\\)\\{0,1\\}25W", "nvpmodel -f \"$conf\" -m \"$id\"\n", "\njetson_clocks ",
        "echo 612000000 > \"$at/max_freq\"", "echo 1344000 > \"$at/scaling_max_freq\"", "-lt 4 ]"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_EQ(std::system(("sh -n " + folder_of(made).string() + "/clocks.sh").c_str()), 0);
  const std::string card = text_of(deployed("nvpmodel",
                                            "device: nvidia-l4\npower_limit: 60 W\nclocks: {gpu: 1500 "
                                            "MHz}\nprocesses: [{model: resnet50, precision: fp16}]\n"),
                                   "clocks.sh");
  EXPECT_THAT(card, HasSubstr("nvidia-smi -pl 60\nnvidia-smi -lgc 1500,1500\n"));
}

TEST(Deploy, the_script_finds_the_mode_in_a_configuration_of_nvpmodel) {
  const fs::path folder = folder_of(deployed(
      "nvpmodel",
      "device: jetson-orin-nano-super\npower_mode: 25W\nprocesses: [{model: resnet50, precision: fp16}]\n"));
  std::ofstream(folder / "nvpmodel.conf") << "< POWER_MODEL ID=0 NAME=15W >\n< POWER_MODEL ID=1 NAME=25W >\n";
  std::ofstream(folder / "nvpmodel") << "#!/bin/sh\necho \"$@\" > " << (folder / "asked").string() << "\n";
  fs::permissions(folder / "nvpmodel", fs::perms::owner_all);
  const std::string run =
      fmt::format("cd {0} && PATH={0}:$PATH CONF={0}/nvpmodel.conf sh clocks.sh", folder.string());
  ASSERT_EQ(std::system(run.c_str()), 0);
  std::ifstream asked(folder / "asked");
  std::string words;
  std::getline(asked, words);
  EXPECT_THAT(words, ::testing::EndsWith("-m 1"));
}

TEST(Deploy, stages_that_DeepStream_lacks_or_does_elsewhere_are_told) {
  const Deployment made = deployed("deepstream",
                                   "device: jetson-orin-nano-super\nprocesses:\n  - {name: cameras, model: "
                                   "yolov8n, precision: int8, batch: 4, interval: 1,\n"
                                   "     arrivals: {periodic: 15 /s, streams: 4}, stages: [{decode: h265, "
                                   "size: 1080p}, {resize: 640}, infer, {call: python}]}\n");
  const std::string app = text_of(made, "cameras.txt");
  for (const char* line : {"[source3]\nenable=1\ntype=4\ncamera-width=1920\ncamera-height=1080\nuri=rtsp://"
                           "camera-3/stream.h265\n",
                           "camera-fps-n=30000\ncamera-fps-d=1000\n", "interval=1\n", "batch-size=4\n"})
    EXPECT_THAT(app, HasSubstr(line));
  EXPECT_THAT(text_of(made, "cameras_infer.txt"), HasSubstr("network-mode=1\n"));
  EXPECT_THAT(made.unsaid, told("cameras", "resize 640x640 on cpu: DeepStream does it on gpu"));
  EXPECT_THAT(made.unsaid, told("cameras", "call python: deepstream-app has no such element"));
  EXPECT_THAT(made.unsaid, told("cameras", "DeepStream has a stage normalise besides"));
}

TEST(Deploy, a_language_model_is_left_out_where_no_file_can_say_it) {
  const std::string chat =
      "device: jetson-orin-nano-super\nprocesses: [{name: chat, model: qwen2.5_1.5b, precision: q4_k_m, "
      "runtime: llama.cpp, "
      "users: 1, generate: {prompt: 64, tokens: 16}}]\n";
  EXPECT_TRUE(deployed("triton", chat).files.empty());
  EXPECT_TRUE(deployed("deepstream", chat).files.empty());
  EXPECT_THAT(deployed("systemd", chat).unsaid, told("chat", "model qwen2.5_1.5b"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
