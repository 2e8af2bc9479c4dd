// Continuous batching: who is admitted, which step comes next, and what is counted.
#include "models/process/generator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace jostle::process {
namespace JOSTLE_FILE {

using sim::milliseconds;
using sim::Time;

// Every step in place of kernels: how many sequences or tokens it holds.
StepGrid grid(std::int64_t most) {
  StepGrid grid;
  for (std::int64_t size = 1; size <= most; ++size) grid.sizes.push_back(size);
  grid.contexts = {0, 1 << 20};
  for (std::int64_t i = 0; i < 2 * most; ++i) {
    gpu::KernelSequence step;
    step.kernels.resize(static_cast<std::size_t>(i / 2 + 1));
    step.rebuild_finish();
    grid.kernels.push_back(std::move(step));
  }
  return grid;
}

Generation generation(std::int64_t prompt, std::int64_t tokens, std::int64_t users, std::int64_t batch,
                      std::int64_t chunk = 0) {
  Generation made;
  made.spec.prompt.least = made.spec.prompt.most = prompt;
  made.spec.tokens.least = made.spec.tokens.most = tokens;
  made.spec.users = users;
  made.spec.max_batch = batch;
  made.spec.chunk = chunk;
  made.decode = grid(batch);
  made.prefill = grid(prompt);
  return made;
}

// Runs so many steps of a millisecond each; returns the sizes of the decode steps, and 0 for each prefill.
struct Trail {
  std::vector<std::size_t> steps;
  std::int64_t answers = 0;
};
Trail run(Generator& generator, const Generation& of, int steps) {
  Trail trail;
  Time now = Time::zero();
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(generator.ready(now));
    const gpu::KernelSequence* const step = generator.begin(now);
    const bool decode =
        step >= of.decode.kernels.data() && step < of.decode.kernels.data() + of.decode.kernels.size();
    trail.steps.push_back(decode ? step->kernels.size() : 0);
    now += milliseconds(1);
    trail.answers += static_cast<std::int64_t>(generator.finish(now).size());
  }
  return trail;
}

TEST(Generator, gives_the_first_token_with_the_prompt_and_the_others_one_a_step) {
  const Generation of = generation(8, 4, 1, 1);
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 8);
  EXPECT_EQ(trail.steps, (std::vector<std::size_t>{0, 1, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(trail.answers, 2);
  EXPECT_EQ(generator.metrics().decoded, 6);
  EXPECT_EQ(generator.metrics().prefilled, 16);
  EXPECT_EQ(generator.metrics().decoding, milliseconds(6));
  EXPECT_DOUBLE_EQ(generator.metrics().first.quantiles().mean().value(), 1e-3);
  EXPECT_DOUBLE_EQ(generator.metrics().between.quantiles().mean().value(), 1e-3);
}

TEST(Generator, with_a_draft_gives_as_many_tokens_a_step_as_chance_accepts) {
  constexpr double accept = 0.7;
  Generation of = generation(4, 20'000, 1, 1);
  of.spec.drafted = 4;
  of.spec.accept = accept;
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  (void)run(generator, of, 5000);
  const TokenMetrics& metrics = generator.metrics();
  const double mean = static_cast<double>(metrics.decoded) / static_cast<double>(metrics.decode_steps);
  EXPECT_NEAR(mean, (1 - std::pow(accept, 5)) / (1 - accept), 0.05);  // Leviathan et al., 2023, equation 1
  // Tokens of one step share its millisecond.
  EXPECT_NEAR(metrics.between.quantiles().mean().value(), 1e-3 / mean, 1e-9);
}

TEST(Generator, gives_no_more_tokens_than_the_answer_has) {
  Generation of = generation(4, 3, 1, 1);
  of.spec.drafted = 8;
  of.spec.accept = 1;
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 6);
  EXPECT_EQ(trail.answers, 3);
  EXPECT_EQ(generator.metrics().decoded, 6);
}

TEST(Generator, decodes_users_together_and_admits_no_more_than_there_is_room_for) {
  const Generation of = generation(4, 6, 5, 3);
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 40);
  EXPECT_EQ(std::ranges::max(trail.steps), 3U);
  EXPECT_EQ(std::vector(trail.steps.begin(), trail.steps.begin() + 4),
            (std::vector<std::size_t>{0, 0, 0, 3}));
}

TEST(Generator, decodes_between_two_chunks_of_a_prompt) {
  const Generation of = generation(9, 30, 2, 2, 3);
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 12);
  // The first user's prompt in three chunks; then the second's, with the first decoding in between.
  EXPECT_EQ(trail.steps, (std::vector<std::size_t>{0, 0, 0, 1, 0, 1, 0, 1, 0, 2, 2, 2}));
}

TEST(Generator, admits_no_more_sequences_than_there_is_room_for_their_keys_and_values) {
  Generation of = generation(4, 6, 5, 5);
  of.spec.room = 25;  // positions: two sequences of ten
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 60);
  EXPECT_EQ(std::ranges::max(trail.steps), 2U);
  EXPECT_GT(trail.answers, 5);
  of.spec.room = 10;
  Generator alone(of, nullptr, sim::RandomStream(1, "lengths"));
  EXPECT_EQ(std::ranges::max(run(alone, of, 60).steps), 1U);
}

TEST(Generator, counts_the_way_back_of_an_answer_in_the_time_to_the_first_token) {
  const Generation of = generation(8, 4, 1, 1);
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"), milliseconds(7));
  run(generator, of, 4);
  EXPECT_DOUBLE_EQ(generator.metrics().first.quantiles().mean().value(), 8e-3);
  EXPECT_DOUBLE_EQ(generator.metrics().between.quantiles().mean().value(), 1e-3);
}

TEST(Generator, of_arrivals_waits_for_them) {
  const Generation of = generation(4, 2, 1, 2);
  Arrivals arrivals;
  arrivals.kind = ArrivalKind::trace;
  arrivals.times = {Time::zero() + milliseconds(5)};
  RequestQueue requests(arrivals, sim::RandomStream(1, "arrivals"));
  Generator generator(of, &requests, sim::RandomStream(1, "lengths"));
  EXPECT_FALSE(generator.ready(Time::zero()));
  EXPECT_EQ(generator.begin(Time::zero()), nullptr);
  ASSERT_TRUE(generator.ready(Time::zero() + milliseconds(5)));
  ASSERT_NE(generator.begin(Time::zero() + milliseconds(5)), nullptr);
  EXPECT_TRUE(generator.finish(Time::zero() + milliseconds(9)).empty());
  EXPECT_DOUBLE_EQ(generator.metrics().first.quantiles().mean().value(), 4e-3);
  ASSERT_NE(generator.begin(Time::zero() + milliseconds(9)), nullptr);
  EXPECT_EQ(generator.finish(Time::zero() + milliseconds(11)).size(), 1U);
}

RC_GTEST_PROP(Generator, answers_every_user_in_full, ()) {
  const auto users = *rc::gen::inRange<std::int64_t>(1, 6), batch = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto prompt = *rc::gen::inRange<std::int64_t>(1, 20), tokens = *rc::gen::inRange<std::int64_t>(1, 12);
  const auto chunk = *rc::gen::inRange<std::int64_t>(0, 8);
  const Generation of = generation(prompt, tokens, users, batch, chunk);
  Generator generator(of, nullptr, sim::RandomStream(1, "lengths"));
  const Trail trail = run(generator, of, 400);
  const TokenMetrics& metrics = generator.metrics();
  const std::int64_t held = std::min(users, batch);
  RC_ASSERT(trail.answers > 0);
  // Complete answers, and at most what those under way have so far.
  RC_ASSERT(metrics.decoded >= trail.answers * (tokens - 1));
  RC_ASSERT(metrics.decoded <= (trail.answers + held) * (tokens - 1));
  RC_ASSERT(metrics.prefilled >= trail.answers * prompt);
  RC_ASSERT(metrics.prefilled <= (trail.answers + held) * prompt);
}

RC_GTEST_PROP(Length, is_drawn_between_its_ends, ()) {
  const auto least = *rc::gen::inRange<std::int64_t>(1, 100),
             most = least + *rc::gen::inRange<std::int64_t>(0, 100);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  sim::RandomStream random(seed, "lengths");
  for (const LengthKind kind : {LengthKind::uniform, LengthKind::lognormal}) {
    const Length length{.kind = kind, .least = least, .most = most, .mean = 50, .variation = 1};
    for (std::uint64_t i = 0; i < 50; ++i) {
      const std::int64_t drawn = length.draw(random, i);
      RC_ASSERT(drawn >= least && drawn <= most);
    }
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
