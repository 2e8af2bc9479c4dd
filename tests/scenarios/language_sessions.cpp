// Conversations with a language model, whose keys and values stay in the memory while there is room
// (`sessions`, `reuse: session`).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

const std::string small = "model: qwen2.5_0.5b, precision: q4_k_m, runtime: llama.cpp, ";

std::string on_orin(const std::string& entry, int seconds = 60) {
  return "device: jetson-orin-nano-super\npower_mode: MAXN_SUPER\njetson_clocks: true\nprocesses:\n  - {" +
         entry + "}\nrun: {duration: " + std::to_string(seconds) + " s}\n";
}
TokenResult tokens_of(const std::string& yaml) {
  const Result result = run_text(yaml);
  EXPECT_EQ(result.processes[0].status, "ok") << result.processes[0].problem;
  return result.processes[0].tokens.value_or(TokenResult{});
}
std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "talk.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}
std::string talk(const std::string& sessions, const std::string& rest = "") {
  return small + "generate: {prompt: 100, tokens: 50, " + sessions + "}" + rest;
}

// In a conversation of T turns with P new tokens and A answered in each, turn k has a prompt of k P + (k - 1)
// A tokens. All but P and the last of the answers before it are there.
TEST(Conversations, with_room_for_all_reuse_everything_that_was_said) {
  const TokenResult tokens =
      tokens_of(on_orin(talk("sessions: {turns: 5}, reuse: session", ", users: 2, kv_memory: 200 MB"), 300));
  double prompted = 0, reused = 0;
  for (int turn = 1; turn <= 5; ++turn) {
    prompted += turn * 100 + (turn - 1) * 50;
    reused += turn > 1 ? (turn - 1) * 150 - 1 : 0;
  }
  EXPECT_NEAR(tokens.reused_share.value(), reused / prompted, 0.02);
}

TEST(Conversations, without_reuse_compute_all_of_the_conversation_again) {
  const TokenResult again = tokens_of(on_orin(talk("sessions: {turns: 5}")));
  const TokenResult kept = tokens_of(on_orin(talk("sessions: {turns: 5}, reuse: session")));
  EXPECT_FALSE(again.reused_share.has_value());
  EXPECT_LT(kept.ttft_ms.p50.value(), 0.6 * again.ttft_ms.p50.value());
}

TEST(Conversations, keep_less_the_less_memory_there_is) {
  double before = 1;
  // A conversation takes 750 positions of 12,288 bytes: room for eight, for three, for one.
  for (const std::string room : {"74 MB", "28 MB", "9.3 MB"}) {
    const TokenResult tokens = tokens_of(on_orin(
        talk("sessions: {turns: 5, think: 5 s}, reuse: session", ", users: 8, kv_memory: " + room), 300));
    const double now = tokens.reused_share.value();
    EXPECT_LT(now, before) << room;
    before = now;
  }
  EXPECT_LT(before, 0.15);
}

TEST(Conversations, of_one_turn_are_requests_as_before) {
  const std::string plain = small + "generate: {prompt: 100, tokens: 50}, users: 2";
  EXPECT_THAT(refusal(on_orin(talk("sessions: {turns: 1}"))), HasSubstr("turns"));
  EXPECT_FALSE(tokens_of(on_orin(plain)).reused_share.has_value());
}

TEST(Conversations, of_arrivals_go_on_with_one_of_so_many_conversations) {
  const std::string arrivals = ", arrivals: {poisson: 0.5 /s}";
  const auto share = [&](const std::string& sessions) {
    return tokens_of(on_orin(talk(sessions + ", reuse: session", arrivals), 400)).reused_share.value();
  };
  // The positions that eight sequences need hold eight conversations in full.
  EXPECT_NEAR(share("sessions: {turns: 5, count: 3}"), share("sessions: {turns: 5, count: 2}"), 0.06);
  EXPECT_LT(share("sessions: {turns: 5, count: 40}"), share("sessions: {turns: 5, count: 3}") - 0.2);
}

TEST(Conversations, of_users_who_think_ask_later) {
  const auto answers = [](const std::string& think) {
    return run_text(on_orin(talk("sessions: {turns: 3" + think + "}, reuse: session", ", users: 2"), 600))
        .processes[0]
        .throughput.mean.value();
  };
  const double none = answers(""), some = answers(", think: 20 s"),
               drawn = answers(", think: {exponential: 20 s}");
  EXPECT_LT(some, 2 / 20.0);  // Little's law: two users, at least 20 s each
  EXPECT_GT(some, 0.8 * 2 / 20.0);
  EXPECT_NEAR(drawn / some, 1, 0.35);
  EXPECT_GT(none, 3 * some);
}

TEST(Conversations, are_refused_where_they_cannot_be) {
  EXPECT_THAT(refusal(on_orin(small + "generate: {prompt: 8, tokens: 8, reuse: session}")),
              HasSubstr("needs sessions"));
  EXPECT_THAT(refusal(on_orin(talk("sessions: {turns: 5, count: 3}"))),
              HasSubstr("each user has a conversation"));
  EXPECT_THAT(refusal(on_orin(talk("sessions: {turns: 5}", ", arrivals: {poisson: 1 /s}"))),
              HasSubstr("count"));
  EXPECT_THAT(
      refusal(on_orin(talk("sessions: {turns: 5, count: 2, think: 1 s}", ", arrivals: {poisson: 1 /s}"))),
      HasSubstr("only users think"));
  EXPECT_THAT(refusal("link: {bandwidth: 10 Mbit/s, rtt: 5 ms}\n" + on_orin(talk("sessions: {turns: 5}"))),
              HasSubstr("does not work with `link`"));
}

TEST(Conversations, are_written_as_they_are_read) {
  for (const std::string of : {"users: 3", "arrivals: {poisson: 1 /s}"}) {
    const bool users = of[0] == 'u';
    const std::string once =
        to_json(scenario_of(on_orin(talk(std::string("reuse: session, sessions: {turns: 4, ") +
                                             (users ? "think: {exponential: 3 s}}" : "count: 6}"),
                                         ", " + of))));
    EXPECT_THAT(once, HasSubstr("\"reuse\":\"session\""));
    EXPECT_EQ(to_json(scenario_of(once)), once);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
