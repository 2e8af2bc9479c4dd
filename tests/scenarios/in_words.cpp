// A scenario in words names what decides its result.
#include "scenarios/language/in_words.hpp"

#include <gtest/gtest.h>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

TEST(InWords, name_board_mode_cap_and_each_process) {
  const InWords words = in_words(to_json(*testing::load_text(R"(
device: jetson-orin-nano
power_mode: 15W
power_cap: {budget: 9 W}
processes:
  - {model: resnet50, precision: int8, batch: 4, count: 2}
  - {name: gate, model: yolov8n, precision: fp16, arrivals: {periodic: 30 /s}}
  - {load: busy, threads: 2}
run: {duration: 500 ms, seed: 7}
)")
                                              .scenario));
  EXPECT_EQ(words.board, "jetson-orin-nano, power mode 15W, power capped at 9 W");
  EXPECT_EQ(words.processes,
            (std::vector<std::string>{"2 x resnet50 int8, batch 4, tensorrt, one batch after the other",
                                      "gate: yolov8n fp16, batch 1, tensorrt, 30 /s at regular times",
                                      "background load busy, threads: 2"}));
  EXPECT_EQ(words.run, "500 ms simulated after 1 s of warm-up, seed 7");
}

TEST(InWords, name_the_instances_of_a_process_and_what_language_models_are_asked) {
  const InWords words = in_words(to_json(*testing::load_text(R"(
device: nvidia-h200
processes:
  - name: server
    runtime: cuda-graph
    instances:
      - {model: resnet50, precision: fp16, batch: 4, priority: low}
      - {name: classifier, model: mobilenet_v2, precision: fp16, batch: 8, arrivals: {poisson: 400 /s}}
run: {duration: 500 ms}
)")
                                              .scenario));
  ASSERT_EQ(words.processes.size(), 1U);
  EXPECT_EQ(words.processes.front(),
            "server with cuda-graph, resnet50 fp16, batch 4, one batch after the other, low priority; "
            "classifier: mobilenet_v2 fp16, batch 8, 400 /s at random times");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
