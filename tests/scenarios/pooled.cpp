// Replications pool every figure of a result, by the rule of its row in scenarios/result/fields.hpp.
#include "scenarios/result/pooled.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/fields.hpp"
#include "scenarios/result/ratio.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/replications.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

// Calls on_leaf(path, value, rule) for every figure of a record, and for one entry of lists that are empty.
template <class R, class OnLeaf>
class Leaves {
 public:
  Leaves(R& record, std::string path, const OnLeaf& on_leaf)
      : record_(record), path_(std::move(path)), on_leaf_(on_leaf) {}

  template <class Get, class Rule>
  void operator()(std::string_view key, const Get& get, const Rule& rule, About /*about*/,
                  Shown /*shown*/ = Shown::always) {
    visit(path_ + "." + std::string(key), std::invoke(get, record_), rule);
  }
  template <class Get, class Rule>
  void inlined(const Get& get, const Rule& rule) {
    visit(path_, std::invoke(get, record_), rule);
  }
  template <class Rows, class... There>
  void group(std::string_view key, About /*about*/, const Rows& rows, const There&... /*there*/) {
    Leaves inside(record_, path_ + "." + std::string(key), on_leaf_);
    rows(inside);
  }
  template <class Get>
  void derived(std::string_view /*key*/, const Get& /*get*/, About /*about*/,
               Shown /*shown*/ = Shown::always) {}

 private:
  template <class T, class Rule>
  void visit(const std::string& path, T& value, const Rule& rule) {
    if constexpr (Record<T>) {
      Leaves<T, OnLeaf> rows(value, path, on_leaf_);
      fields(rows, Of<T>());
    } else {
      on_leaf_(path, value, rule);
    }
  }
  template <Record T, class Rule>
  void visit(const std::string& path, std::optional<T>& value, const Rule& rule) {
    if (!value) value.emplace();
    visit(path, *value, rule);
  }
  template <Record T, class Rule>
  void visit(const std::string& path, std::vector<T>& list, const Rule& rule) {
    if (list.empty()) list.emplace_back();
    for (T& one : list) visit(path, one, rule);
  }
  template <Record T, class Rule>
  void visit(const std::string& path, Named<T>& list, const Rule& rule) {
    if (list.empty()) list.emplace_back("name", T());
    for (auto& [name, one] : list) visit(path, one, rule);
  }

  R& record_;
  std::string path_;
  const OnLeaf& on_leaf_;
};
template <class OnLeaf>
void each_leaf(Result& result, const OnLeaf& on_leaf) {
  Leaves<Result, OnLeaf> rows(result, "", on_leaf);
  fields(rows, Of<Result>());
}

// Gives each kind of figure a value that is another one for each leaf and for each of three replications,
// whose mean and majority are not the first.
class Vary {
 public:
  explicit Vary(std::size_t replication) : replication_(replication) {}

  template <class T, class Rule>
  void operator()(const std::string& /*path*/, T& value, const Rule& /*rule*/) const {
    ++leaf_;
    if constexpr (!std::is_same_v<Rule, pool::Same>) set(value);
    if constexpr (std::is_same_v<Rule, pool::Unless>)
      value = replication_ == 2 ? "thermal_shutdown" : "duration";
  }

 private:
  [[nodiscard]] double number() const { return 10 * leaf_ + std::array{1.0, 3.0, 8.0}.at(replication_); }
  [[nodiscard]] std::string word() const { return fmt::format("{}", number()); }

  void set(bool& value) const { value = replication_ > 0; }
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) void set(T& value) const {
    value = static_cast<T>(number());
  }
  void set(std::string& value) const { value = word(); }
  void set(Interval& value) const { value = {number(), number()}; }
  template <class T>
  void set(std::optional<T>& value) const {
    set(value.emplace());
  }
  template <class T>
  void set(std::vector<T>& list) const {
    list.resize(1);
    set(list.front());
  }
  template <class T>
  void set(Named<T>& list) const {
    list.resize(1);
    list.front().first = "name";
    set(list.front().second);
  }

  std::size_t replication_;
  mutable double leaf_ = 0;
};

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return fmt::format("{}", value);
  else if constexpr (std::is_same_v<T, std::string>)
    return value;
  else
    return "";
}
template <class T>
std::string text_of(const std::optional<T>& value);
template <class T>
std::string text_of(const std::vector<T>& list);
template <class A, class B>
std::string text_of(const std::pair<A, B>& pair) {
  return text_of(pair.first) + ":" + text_of(pair.second);
}
template <class T>
std::string text_of(const std::vector<T>& list) {
  std::string text;
  for (const T& one : list) text += text_of(one) + " ";
  return text;
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "absent";
}

// A figure of a result as text.
struct Leaf {
  std::string path, value;
  bool same = false, first = false;
};
std::vector<Leaf> leaves_of(Result result) {
  std::vector<Leaf> leaves;
  each_leaf(result, [&leaves]<class T, class Rule>(const std::string& path, const T& value, const Rule&) {
    leaves.push_back(
        {path, text_of(value), std::is_same_v<Rule, pool::Same>, std::is_same_v<Rule, pool::First>});
  });
  return leaves;
}

TEST(Pooled, no_figure_stays_that_of_the_first_replication) {
  std::vector<Result> replications(3);
  for (std::size_t k = 0; k < replications.size(); ++k) each_leaf(replications[k], Vary(k));
  const std::vector<Leaf> first = leaves_of(replications[0]), all = leaves_of(pooled(replications));
  ASSERT_GT(first.size(), 200U);
  ASSERT_EQ(first.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].same || all[i].first)
      EXPECT_EQ(all[i].value, first[i].value) << all[i].path;
    else
      EXPECT_NE(all[i].value, first[i].value) << all[i].path;
  }
}

// Language models and quotas, limits and windows, drops and loads, instances, a DLA behind a link.
std::vector<std::string> mixes() {
  return {R"(device: jetson-orin-nano-super
power_mode: 25W
interrupts: {load: 5 %, rate: 2000 /s}
processes:
  - model: qwen2.5_1.5b
    runtime: llama.cpp
    precision: q4_k_m
    generate: {prompt: 64, tokens: {lognormal: {mean: 16, variation: 0.8, max: 64}}}
    arrivals: {poisson: 1 /s}
  - {model: resnet50, precision: fp16, arrivals: {poisson: 20 /s}, container: {name: c, cpus: 0.05}}
run: {duration: 8 s, warmup: 1 s}
)",
          R"(device: jetson-orin-nano
power_mode: 15W
compositor: true
interrupts: {load: 5 %, rate: 1000 /s}
gpu_metrics: 1 ms
power_cap: {budget: 8 W}
processes:
  - {model: resnet50, precision: fp16, batch: 2, arrivals: {poisson: 25 /s, queue: 4}, container: {name: c, cpus: 0.05}}
  - {model: mobilenet_v2, precision: fp16, arrivals: {periodic: 30 /s}, stages: {before: [{name: decode, time: 3 ms}]}}
  - {load: memory_write, threads: 1, duty: 40 %}
run: {duration: 2 s, warmup: 500 ms}
)",
          R"(device: jetson-agx-orin-64gb
processes:
  - runtime: tensorrt
    instances:
      - {name: find, model: yolov8n, precision: fp16, arrivals: {poisson: 20 /s}}
      - {name: name, model: mobilenet_v2, precision: fp16, batch: 4, after: find, max_queue_delay: 2 ms}
  - {model: resnet50, precision: fp16, batch: 4, count: 2}
run: {duration: 2 s, warmup: 500 ms}
)",
          R"(device: jetson-agx-orin-64gb
link: {bandwidth: 50 Mbit/s, rtt: 20 ms, jitter: 5 ms, loss: 1 %, payload: 40 kB}
processes: [{model: resnet50, precision: int8, placement: dla0, arrivals: {poisson: 50 /s}}]
run: {duration: 2 s, warmup: 500 ms}
)"};
}

class PooledRuns : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] std::vector<Result> replications() const {
    const Scenario scenario = scenario_of(mixes()[GetParam()]);
    return run_replications(scenario, changed_profile(scenario.device, {}), {.count = 3}, {}).value();
  }
};
INSTANTIATE_TEST_SUITE_P(Mixes, PooledRuns, ::testing::Range(std::size_t{0}, mixes().size()));

TEST_P(PooledRuns, what_is_said_to_be_equal_in_all_replications_is) {
  std::vector<std::vector<Leaf>> each;
  for (const Result& one : replications()) {
    each.push_back(leaves_of(one));
    std::erase_if(each.back(), [](const Leaf& leaf) { return !leaf.same; });
  }
  for (const std::vector<Leaf>& leaves : each) {
    ASSERT_EQ(leaves.size(), each.front().size());
    for (std::size_t i = 0; i < leaves.size(); ++i)
      EXPECT_EQ(leaves[i].value, each.front()[i].value) << leaves[i].path;
  }
}

// The text is written row by row, without a tree.
TEST_P(PooledRuns, have_the_text_of_their_tree) {
  for (const Result& one : replications()) {
    std::string text = to_json(one);
    if (text.ends_with('\n')) text.pop_back();
    EXPECT_EQ(text, json_of(one).dump());
  }
  const Result all = pooled(replications());
  EXPECT_EQ(nlohmann::ordered_json::parse(to_json(all)), json_of(all));
}

void expect_near(const Metric& a, double b, const std::string& what) {
  ASSERT_TRUE(a) << what;
  EXPECT_NEAR(*a, b, 1e-9 * std::max(std::abs(b), 1e-6)) << what;
}

TEST_P(PooledRuns, obey_the_identities_of_a_run) {
  const Result all = pooled(replications());
  double images = 0;
  for (const ProcessResult& process : all.processes) {
    ASSERT_TRUE(process.images);
    if (in_total(all, process)) images += *process.images;
    expect_near(process.throughput.mean, *process.images / all.simulated_s, "images over time");
    if (process.ec_ms.mean)
      expect_near(process.ec_ms.mean,
                  *process.ec_ms.launch + *process.ec_ms.reschedule + *process.ec_ms.compute +
                      *process.ec_ms.blocking,
                  "parts of a call");
    double shares = 0;
    for (const double share : *process.time_share) shares += share;
    expect_near(shares, 1, "shares");
    if (!process.tokens) continue;
    const TokenResult& tokens = *process.tokens;
    const auto decoded = static_cast<double>(tokens.decoded);
    expect_near(tokens.per_s, decoded / all.simulated_s, "tokens over time");
    expect_near(tokens.per_joule, *tokens.per_s / *all.system.power_w.mean, "tokens over energy");
    expect_near(tokens.decode_per_s, decoded / tokens.decoding_s, "tokens over the time of their steps");
    const TotalTokens& total = all.system.tokens.value();
    expect_near(*total.per_s * *total.energy_mj, 1e3 * *all.system.power_w.mean, "energy over tokens");
    expect_near(process.mean_batch, decoded / static_cast<double>(tokens.steps), "tokens of a step");
  }
  expect_near(all.system.throughput, images / all.simulated_s, "all images over time");
  expect_near(all.system.power_w.mean, *all.system.energy_per_image_mj / 1e3 * *all.system.throughput,
              "energy times rate");
}

TEST(Pooled, energy_times_rate_is_power_where_replications_serve_few) {
  const Result all = run_text(R"(device: jetson-orin-nano
processes: [{model: resnet50, precision: fp16, arrivals: {poisson: 2 /s}}]
run: {replications: 5, duration: 2 s}
)");
  expect_near(all.system.power_w.mean, *all.system.energy_per_image_mj / 1e3 * *all.system.throughput,
              "energy times rate");
}

TEST(Pooled, intervals_hold_their_mean_and_nothing_below_zero) {
  const Result all = run_text(R"(device: jetson-orin-nano
power_mode: 7W
processes:
  - name: p0
    model: qwen2.5_1.5b
    precision: fp16
    runtime: ollama
    generate: {prompt: 8, tokens: {uniform: [2, 16]}, chunk: 16}
    users: 4
    container: {name: c, cpus: 2}
run: {duration: 4 s, seed: 544471, replications: 2}
)");
  std::size_t intervals = 0;
  const auto holds = [&intervals](const Interval& interval, const Metric& mean) {
    if (!interval) return;
    ++intervals;
    ASSERT_TRUE(mean);
    EXPECT_GE(interval->first, 0);
    EXPECT_LE(interval->first, *mean);
    EXPECT_GE(interval->second, *mean);
  };
  const ProcessResult& process = all.processes[0];
  holds(process.throughput.ci95, process.throughput.mean);
  holds(all.system.throughput_ci95, all.system.throughput);
  holds(all.system.power_w.ci95, all.system.power_w.mean);
  for (const Times& times : {Times(process.latency_ms), process.tokens->ttft_ms, process.tokens->itl_ms}) {
    holds(times.ci95.mean, times.mean);
    holds(times.ci95.p50, times.p50);
  }
  EXPECT_GE(intervals, 7U);
}

TEST(Pooled, a_replication_without_a_request_says_nothing_of_latency) {
  std::vector<Result> replications(3);
  for (Result& one : replications) {
    one.simulated_s = 1;
    one.processes.emplace_back();
  }
  const auto answered = [&](std::size_t k, std::int64_t samples, double mean) {
    Latency& latency = replications[k].processes[0].latency_ms;
    latency.samples = samples;
    latency.mean = latency.p50 = mean;
  };
  answered(0, 1, 10);
  answered(2, 3, 20);
  const Latency all = pooled(replications).processes[0].latency_ms;
  EXPECT_EQ(all.samples, 4);
  EXPECT_EQ(all.mean, 17.5);  // mean of the four
  EXPECT_EQ(all.p50, 17.5);   // with the same weights
}

// Two of three replications found the load too high, and only they had few enough answers to say so.
TEST(Pooled, an_overloaded_process_has_no_latency_though_one_replication_had) {
  std::vector<Result> replications(3);
  for (std::size_t k = 0; k < 3; ++k) {
    replications[k].simulated_s = 1;
    ProcessResult& process = replications[k].processes.emplace_back();
    process.stable = k == 1;
    process.latency_ms.samples = k == 1 ? 1 : 0;
    process.latency_ms.unfinished = 7;
    if (k == 1) process.latency_ms.mean = process.latency_ms.p50 = 38.3;
  }
  const Latency all = pooled(replications).processes[0].latency_ms;
  EXPECT_FALSE(all.mean);
  EXPECT_FALSE(all.p50);
  EXPECT_EQ(all.samples, 1);
  EXPECT_EQ(all.unfinished, 21);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
