// Networks on the cores beside one another, beside loads and beside the GPU: what they take from each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::changed_profile;
using testing::run_on;
using testing::run_text;

const std::string pi4 = "raspberry-pi-4b", pi5 = "raspberry-pi-5";

std::string network(const std::string& model, const std::string& cpus, const std::string& rest = "") {
  return fmt::format(
      "  - {{model: {}, precision: fp32, runtime: executorch, placement: cpu, threads: 2, cpus: [{}]{}}}\n",
      model, cpus, rest);
}
std::string on(const std::string& board, const std::string& processes) {
  return "device: " + board + "\nprocesses:\n" + processes + "run: {duration: 20 s, warmup: 2 s}\n";
}
std::vector<double> rates(const std::string& board, const std::string& processes) {
  std::vector<double> all;
  for (const auto& process : run_text(on(board, processes)).processes)
    all.push_back(process.throughput.mean.value());
  return all;
}

TEST(NetworksOnCores, alone_are_as_fast_whatever_the_shared_cache_holds_for_others) {
  const std::string alone = on(pi4, network("resnet50", "0, 1"));
  const Result plain = run_text(alone);
  for (const char* size : {"64 KiB", "64 MiB"}) {
    // The library's own cache stays as it is.
    const auto profile = changed_profile(pi4, {fmt::format("cpu.clusters.0.shared_cache={}", size)});
    EXPECT_EQ(run_on(profile, alone).processes[0].throughput.mean, plain.processes[0].throughput.mean)
        << size;
  }
}

TEST(NetworksOnCores, never_run_faster_beside_another_one_and_equal_ones_run_equally_fast) {
  for (const std::string& board : {pi4, pi5}) {
    for (const char* model : {"mobilenet_v2", "resnet50"}) {
      const double alone = rates(board, network(model, "0, 1"))[0];
      for (const char* other : {"squeezenet1_1", "resnet50"})
        EXPECT_LE(rates(board, network(model, "0, 1") + network(other, "2, 3"))[0], alone * 1.005)
            << board << ": " << model << " beside " << other;
      const std::vector<double> both = rates(board, network(model, "0, 1") + network(model, "2, 3"));
      EXPECT_NEAR(both[0] / both[1], 1, 0.01) << board << ": " << model;
    }
  }
}

// Two networks of more data than the L2 holds that four Cortex-A72 share.
TEST(NetworksOnCores, that_do_not_fit_into_a_shared_cache_together_slow_each_other) {
  const double alone = rates(pi4, network("resnet50", "0, 1"))[0];
  const double beside = rates(pi4, network("resnet50", "0, 1") + network("resnet50", "2, 3"))[0];
  EXPECT_GT(alone / beside, 1.05);
  EXPECT_LT(alone / beside, 2.3);
  // With an L2 for both.
  const auto large = changed_profile(pi4, {"cpu.clusters.0.shared_cache=64 MiB"});
  const Result roomy = run_on(large, on(pi4, network("resnet50", "0, 1") + network("resnet50", "2, 3")));
  EXPECT_GT(roomy.processes[0].throughput.mean.value(), beside * 1.04);
}

TEST(NetworksOnCores, whose_layers_fit_into_a_cores_own_cache_do_not_suffer) {
  const std::vector<std::string> roomy{"cpu.clusters.0.cache=64 MiB", "cpu.clusters.0.shared_cache=2 MiB"};
  const auto profile = changed_profile(pi5, roomy);
  const double alone =
      run_on(profile, on(pi5, network("resnet18", "0, 1"))).processes[0].throughput.mean.value();
  const Result beside = run_on(profile, on(pi5, network("resnet18", "0, 1") + network("resnet18", "2, 3")));
  EXPECT_NEAR(beside.processes[0].throughput.mean.value() / alone, 1, 0.01);
}

TEST(NetworksOnCores, are_slowed_by_loads_that_stream_and_not_by_those_that_compute) {
  for (const std::string& board : {pi4, std::string("jetson-orin-nano-super")}) {
    const std::string one =
        "  - {model: vgg16, precision: fp32, runtime: ncnn, placement: cpu, threads: 2, cpus: [0, 1]}\n";
    const auto beside = [&](const std::string& kind) {
      return rates(board, one + "  - {load: " + kind + ", threads: 2, cpus: [2, 3]}\n")[0];
    };
    const double alone = rates(board, one)[0];
    EXPECT_NEAR(beside("busy") / alone, 1, 0.01) << board;
    EXPECT_LT(beside("memory_read"), alone * 0.97) << board;
  }
}

// A language model on a core streams weights; the GPU's kernels stream theirs.
TEST(LanguageModelsOnCores, beside_one_another_decode_as_fast_together_as_the_memory_allows) {
  const auto chat = [](const char* cpus) {
    return fmt::format(
        "  - {{model: qwen2.5_0.5b, precision: q4_0, runtime: llama.cpp, placement: cpu, threads: 2, cpus: "
        "[{}], bench: {{tg: 32}}}}\n",
        cpus);
  };
  const auto tokens = [&](const std::string& processes) {
    return run_text(on(pi5, processes)).system.tokens.value().per_s.value();
  };
  const double alone = tokens(chat("0, 1")), both = tokens(chat("0, 1") + chat("2, 3"));
  EXPECT_GE(both, alone * 0.99);
  EXPECT_LE(both, alone * 1.35) << "two threads nearly fill the memory";
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
