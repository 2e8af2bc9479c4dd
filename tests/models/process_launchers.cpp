// Which batches the GPU is given shut, and which inputs open one (the launchers' InputGate).

#include <gtest/gtest.h>

#include "models/process/launchers.hpp"

namespace jostle::process {
namespace JOSTLE_FILE {

TEST(InputGate, is_open_to_a_batch_whose_input_came_first) {
  InputGate gate;
  EXPECT_FALSE(gate.arrives());
  EXPECT_FALSE(gate.closed_to_next());
}

TEST(InputGate, is_closed_to_a_batch_until_its_input_arrives) {
  InputGate gate;
  EXPECT_TRUE(gate.closed_to_next());
  EXPECT_TRUE(gate.arrives());
}

// The input of batch 0 arrives while batch 1 is being enqueued, and so does that of batch 1.
TEST(InputGate, matches_batches_with_inputs_in_order) {
  InputGate gate;
  EXPECT_TRUE(gate.closed_to_next());
  EXPECT_TRUE(gate.arrives());
  EXPECT_FALSE(gate.arrives());
  EXPECT_FALSE(gate.closed_to_next());
  EXPECT_TRUE(gate.closed_to_next());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
