// The profiles that ship: each reads without a problem, and no figure of it could be left out or go
// unnoticed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "input/parse.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/profile/like.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/sanitized.hpp"

namespace jostle::profiles {
// Converts to whatever an aggregate asks for; never run.
struct Anything {
  template <class T>
  operator T() const;
};

namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Profile shipped(const std::string& name) {
  input::Problems problems;
  auto profile = shipped_profile(name, problems);
  EXPECT_EQ(problems.text(), "");
  return std::move(profile).value();
}

// The document as YAML again, without the value at `skip` (a path as in messages).
std::string rewritten(const input::Value& value, const std::string& path, const std::string& skip) {
  if (value.kind == input::Kind::scalar) return value.quoted ? "\"" + value.text + "\"" : value.text;
  const bool mapping = value.kind == input::Kind::mapping;
  std::string result;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const std::string step = mapping ? value.keys[i].name : std::to_string(i);
    const std::string below = path.empty() ? step : path + "." + step;
    if (below == skip) continue;
    result += (result.empty() ? "" : ", ") + (mapping ? step + ": " : "") +
              rewritten(*value.children[i], below, skip);
  }
  return mapping ? "{" + result + "}" : "[" + result + "]";
}

void collect_keys(const input::Value& value, const std::string& path, std::vector<std::string>& keys) {
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const bool mapping = value.kind == input::Kind::mapping;
    const std::string step = mapping ? value.keys[i].name : std::to_string(i);
    const std::string below = path.empty() ? step : path + "." + step;
    if (mapping) keys.push_back(below);
    collect_keys(*value.children[i], below, keys);
  }
}

// A path without places in lists: the same for all items of one.
std::string kind_of(const std::string& path) {
  std::string kind;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    const std::string step = path.substr(at, end - at);
    kind += (std::isdigit(static_cast<unsigned char>(step.front())) != 0 ? "#" : step) + ".";
    at = end + 1;
  }
  return kind;
}

std::string last(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

// How many fields an aggregate has: the longest list of initialisers it takes.
template <class T, class... Values>
constexpr std::size_t field_count() {
  if constexpr (requires { T{Values{}..., Anything{}}; })
    return field_count<T, Values..., Anything>();
  else
    return sizeof...(Values);
}

// A new field of a spec must get a line in the profile reader, and a figure in every profile or a place among
// the optional ones below. Then its number goes up here.
static_assert(field_count<cpu::ClusterSpec>() == 9);
static_assert(field_count<cpu::SchedulerSpec>() == 11);
static_assert(field_count<cpu::CostSpec>() == 7);
static_assert(field_count<cpu::Spec>() == 9);
static_assert(field_count<gpu::TimeSlicing>() == 9);
static_assert(field_count<gpu::IdleWake>() == 2);
static_assert(field_count<gpu::DroopSpec>() == 2);
static_assert(field_count<gpu::OpsPerClock>() == 6);
static_assert(field_count<gpu::Spec>() == 24);
static_assert(field_count<process::RuntimeSpec>() == 22);
static_assert(field_count<gpu::IssuedInstructions>() == 4);
static_assert(field_count<gpu::KernelCosts>() == 13);
static_assert(field_count<process::SetupSpec>() == 3);
static_assert(field_count<process::StaticGraphSpec>() == 4);
static_assert(field_count<process::ObserverSpec>() == 6);
static_assert(field_count<process::SyncSpec>() == 4);  // most_spun comes from the runtime
static_assert(field_count<process::FollowUpSpec>() == 5);
static_assert(field_count<memory::ContextSpec>() == 3);
static_assert(field_count<memory::CoreTraffic>() == 3);
static_assert(field_count<memory::Spec>() == 10);
static_assert(field_count<media::Spec>() == 1);
static_assert(field_count<board::PowerMode>() == 12);
static_assert(field_count<dla::PerPrecision>() == 2);
static_assert(field_count<dla::Spec>() == 11);
static_assert(field_count<dnn::HostRoofs>() == 10);
static_assert(field_count<power::ScalingSpec>() == 11);

TEST(DeviceProfiles, are_the_boards_of_this_release) {
  EXPECT_THAT(
      device_names(),
      ElementsAre("intel-xeon-processor", "jetson-agx-orin-32gb", "jetson-agx-orin-64gb",
                  "jetson-agx-orin-devkit-32gb", "jetson-agx-thor", "jetson-agx-xavier", "jetson-nano",
                  "jetson-orin-nano", "jetson-orin-nano-4gb", "jetson-orin-nano-4gb-super",
                  "jetson-orin-nano-super", "jetson-orin-nx-16gb", "jetson-orin-nx-8gb", "jetson-t4000",
                  "jetson-tx2", "jetson-tx2-nx", "jetson-xavier-nx", "nvidia-a10", "nvidia-a100-80gb",
                  "nvidia-a30", "nvidia-a40", "nvidia-dgx-spark", "nvidia-h100", "nvidia-h200", "nvidia-l4",
                  "nvidia-rtx-2000-ada", "nvidia-rtx-4090", "nvidia-rtx-5060-ti", "nvidia-rtx-pro-4000",
                  "nvidia-rtx-pro-6000", "nvidia-t4", "nvidia-v100", "raspberry-pi-3b",
                  "raspberry-pi-3b-plus", "raspberry-pi-4b", "raspberry-pi-5"));
}

TEST(DeviceProfiles, read_without_a_problem_and_name_themselves) {
  for (const std::string& name : device_names()) EXPECT_EQ(shipped(name).spec->name, name);
}

TEST(DeviceProfiles, give_every_figure_a_source) {
  for (const std::string& name : device_names()) {
    const Profile profile = shipped(name);
    EXPECT_GT(profile.figures.size(), profile.spec->has_gpu() ? 60U : 15U);
    for (const ProfileParameter& figure : profile.figures) {
      EXPECT_GE(figure.from.source.size(), 10U) << name << " " << figure.path;
      EXPECT_FALSE(figure.value.empty()) << name << " " << figure.path;
    }
  }
}

TEST(DeviceProfiles, lack_no_figure_and_take_none_silently_for_a_default) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  // Absent means: any clock up to the maximum; no such runtime; no tensor cores; never asleep; not limited;
  // no measured kernels; the instructions of all GPUs; the state saved at an expiry is in its cost; no
  // algorithm that a trial would find; depthwise layers at a fifth of the peak; not isolated; the newest
  // kernel that has the policy; clusters' capacities known; powered off when idle; cores reach the memory's
  // bandwidth as the GPU does; int8 as efficient as the rest; threads join for nothing; no tensor stays in
  // the caches; any JetPack.
  const std::set<std::string> may_be_absent{"clock_table",
                                            "static_graph",
                                            "fp16_of_fp32",
                                            "heuristic_algorithm_efficiency",
                                            "depthwise_efficiency",
                                            "instructions",
                                            "libtorch",
                                            "onnxruntime",
                                            "onnxruntime-tensorrt",
                                            "tflite",
                                            "executorch",
                                            "onnxruntime_cpu",
                                            "torch",
                                            "llama_cpp",
                                            "ollama",
                                            "mlc",
                                            "tensorrt-llm",
                                            "vllm",
                                            "products",
                                            "row",
                                            "unpack",
                                            "q4_k_m",
                                            "q8_0",
                                            "q4_0",
                                            "awq",
                                            "int4",
                                            "mxfp4",
                                            "fp8",
                                            "nvfp4",
                                            "pointwise",
                                            "ncnn",
                                            "int8_efficiency",
                                            "join",
                                            "cache",
                                            "observer",
                                            "tensor_cores",
                                            "idle_wake",
                                            "cuda-graph",
                                            "eager",
                                            "tensorrt",
                                            "fp32",
                                            "tf32",
                                            "fp16",
                                            "int8",
                                            "power_modes",
                                            "cores",
                                            "cpu_min",
                                            "gpu_min",
                                            "over_current_average",
                                            "over_current_instantaneous",
                                            "over_current",
                                            "average",
                                            "instantaneous",
                                            "averaging",
                                            "thermal",
                                            "hysteresis",
                                            "critical",
                                            "polling",
                                            "resistance_without_fan",
                                            "fan_curve",
                                            "cpu",
                                            "gpu",
                                            "emc",
                                            "tpcs",
                                            "jetpack",
                                            "dla",
                                            "evidence",
                                            "state_bandwidth",
                                            "slice_jitter",
                                            "restart_after_expiry",
                                            "clock_efficiency",
                                            "interference",
                                            "engines",
                                            "nvdec",
                                            "nvjpeg",
                                            "nvenc",
                                            "vic",
                                            "memory_demand",
                                            "governors",
                                            "podgov",
                                            "scaled_time",
                                            "isolated",
                                            "isolcpus",
                                            "partition",
                                            "kernel",
                                            "knows_capacities",
                                            "interrupt_core",
                                            "idle_state",
                                            "preempted_least",
                                            "two_speeds",
                                            "residency",
                                            "exit_latency",
                                            "held_awake",
                                            "floor",
                                            "power_limit",
                                            "droop",
                                            "issue",
                                            "price",
                                            "board",
                                            "per_hour",
                                            "interval"};
  // What a reader requires does not depend on the device: each kind of key is taken out of the first that has
  // it, and what stands in every mode, cluster and step out of one.
  std::set<std::string> kinds;
  for (const std::string& name : device_names()) {
    input::Problems problems;
    const input::Node root = profile_document(*device_text(name), name, problems);
    std::vector<std::string> keys;
    collect_keys(*root, {}, keys);
    for (const std::string& key : keys) {
      if (!kinds.insert(kind_of(key)).second) continue;
      const bool in_mode = key.starts_with("power_modes.modes");
      const bool limit = last(key) == "cores" || key == "cpu" || key == "gpu";
      if (may_be_absent.contains(last(key)) && (in_mode || !limit)) continue;
      if (last(key) == "bandwidth" && key.starts_with("runtimes.")) continue;
      // Another block around may speak for the figures instead.
      if (last(key) == "from") continue;
      input::Problems missing;
      EXPECT_FALSE(parse_profile(rewritten(*root, {}, key), "p.yaml", missing)) << name << ": " << key;
    }
  }
}

TEST(DeviceProfiles, name_no_evidence_that_is_not_there) {
  input::Problems problems;
  EXPECT_FALSE(parse_profile(*device_text("nvidia-h200"), "p.yaml", problems, {"evidence=h300"}));
  EXPECT_THAT(problems.text(), ::testing::HasSubstr("h300"));
}

TEST(DeviceProfiles, have_another_hash_with_other_evidence) {
  input::Problems problems;
  const auto with = parse_profile(*device_text("jetson-tx2"), "p.yaml", problems);
  const auto other = parse_profile(*device_text("jetson-tx2") + "\nevidence: h200\n", "p.yaml", problems);
  ASSERT_TRUE(with && other) << problems.text();
  EXPECT_NE(with->hash, other->hash);
}

TEST(DeviceProfiles, have_a_price_of_their_own_each_that_is_no_part_of_the_hash) {
  for (const std::string& name : device_names()) {
    if (name == "intel-xeon-processor") continue;  // a processor of many machines
    const Prices prices = shipped(name).prices;
    EXPECT_TRUE(prices.board_usd || prices.per_hour_usd) << name;
    // What is `like` another board would have that one's price, if it had none itself.
    EXPECT_NE(device_text(name)->find("\nprice:"), std::string::npos) << name;
  }
  input::Problems problems;
  const auto cheaper =
      parse_profile(*device_text("jetson-nano"), "p.yaml", problems, {"price.board.value=59 USD"});
  ASSERT_TRUE(cheaper) << problems.text();
  EXPECT_EQ(cheaper->prices.board_usd, 59);
  EXPECT_EQ(cheaper->hash, shipped("jetson-nano").hash);
  EXPECT_FALSE(parse_profile(*device_text("jetson-nano"), "p.yaml", problems, {"price.board.value=59"}));
  EXPECT_THAT(problems.text(), HasSubstr("'59' has no unit"));
}

// A format that a profile leaves out would be unpacked for nothing, and the first among explain's changes.
TEST(DeviceProfiles, unpack_no_block_of_weights_for_nothing) {
  int found = 0;
  for (const std::string& device : device_names()) {
    const board::DeviceSpec spec = *shipped(device).spec;
    const auto& runtime = spec.runtimes[process::Runtime::llama_cpp];
    if (!runtime || std::ranges::max(runtime->cycles.unpack) == 0) continue;
    ++found;
    for (const auto format : {llm::WeightFormat::q4_0, llm::WeightFormat::q4_k_m, llm::WeightFormat::q8_0})
      EXPECT_GT(runtime->cycles.unpack[static_cast<std::size_t>(format)], 0)
          << device << " " << llm::traits_of(format).name;
  }
  EXPECT_GT(found, 10);
}

TEST(DeviceProfiles, hold_the_law_measured_on_the_h200) {
  const board::DeviceSpec spec = *shipped("nvidia-h200").spec;
  EXPECT_EQ(spec.gpu.time_slicing.slice, sim::microseconds(2091));
  EXPECT_EQ(spec.gpu.time_slicing.switch_when_idle, sim::microseconds(138));
  EXPECT_EQ(spec.gpu.time_slicing.switch_at_expiry, sim::microseconds(151));
  EXPECT_FALSE(spec.follow_up.graph_of_kernels_spinning);
  EXPECT_TRUE(spec.follow_up.blocking);
  EXPECT_EQ(spec.core_count(), 16);
  EXPECT_EQ(spec.cpu->scheduler.policy, &cpu::eevdf);
  EXPECT_EQ(spec.cpu->scheduler.tick, sim::milliseconds(4));
}

TEST(DeviceProfiles, reproduce_the_published_peaks) {
  const auto peak = [](const board::DeviceSpec& spec, double per_clock) {
    return per_clock * spec.gpu.sm_count * spec.gpu.max_clock_hz / 1e12;
  };
  const board::DeviceSpec h200 = *shipped("nvidia-h200").spec;
  EXPECT_NEAR(peak(h200, h200.gpu.cuda_cores.fp32), 67, 0.5);
  const board::DeviceSpec orin = *shipped("jetson-orin-nano").spec;
  EXPECT_NEAR(peak(orin, orin.gpu.tensor_cores.int8), 20.5, 0.1);
  const board::DeviceSpec nano = *shipped("jetson-nano").spec;
  EXPECT_NEAR(peak(nano, nano.gpu.cuda_cores.fp16), 0.472, 0.001);
  const board::DeviceSpec tx2 = *shipped("jetson-tx2").spec;
  EXPECT_NEAR(peak(tx2, tx2.gpu.cuda_cores.fp16), 1.33, 0.01);
}

TEST(DeviceProfiles, give_the_tx2_unequal_clusters) {
  const board::DeviceSpec spec = *shipped("jetson-tx2").spec;
  ASSERT_EQ(spec.cpu->clusters.size(), 2U);
  EXPECT_LT(spec.cpu->clusters[0].capacity, spec.cpu->clusters[1].capacity);
  EXPECT_EQ(spec.core_count(), 6);
}

TEST(PowerModes, keep_online_what_nvpmodel_keeps) {
  const board::DeviceSpec tx2 = *shipped("jetson-tx2").spec;
  const auto online = [&](const char* mode, std::optional<int> cores = std::nullopt) {
    return board::online_cpus(tx2, board::find_power_mode(tx2, mode), cores);
  };
  EXPECT_THAT(online("MAXN"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(online("MAXQ"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(online("MAXP_CORE_DENVER"), ElementsAre(0, 4));
  EXPECT_THAT(online("MAXQ", 2), ElementsAre(0, 1));
  EXPECT_THAT(online("MAXP_CORE_DENVER", 3), ElementsAre(0, 1, 4));
  const board::DeviceSpec orin = *shipped("jetson-orin-nano").spec;
  EXPECT_THAT(board::find_power_mode(orin, "7W")->online_cores, ElementsAre(4, 0));
}

TEST(ProfileHash, follows_values_but_not_words_about_them) {
  const std::string text = *device_text("nvidia-h200");
  const auto hash = [](const std::string& profile) {
    input::Problems problems;
    const auto read = parse_profile(profile, "p.yaml", problems);
    EXPECT_EQ(problems.text(), "");
    return read ? read->hash : "";
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    EXPECT_NE(copy.find(from), std::string::npos);
    return copy.replace(copy.find(from), from.size(), to);
  };
  EXPECT_EQ(hash(text), hash(replaced("grade: measured", "grade: assumed")));
  EXPECT_EQ(hash(text), hash("# a comment\n" + text));
  EXPECT_NE(hash(text), hash(replaced("slice: 2.091 ms", "slice: 2.092 ms")));
}

TEST(BadProfile, is_answered_with_line_and_path) {
  const std::string text = *device_text("nvidia-h200");
  const auto errors = [&](const std::vector<std::string>& set) {
    input::Problems problems;
    EXPECT_FALSE(parse_profile(text, "p.yaml", problems, set));
    return problems.text();
  };
  EXPECT_EQ(errors({"gpu.time_slicing.slcie=1 ms"}),
            "--set gpu.time_slicing.slcie=1 ms: gpu.time_slicing.slcie: unknown key (did you mean "
            "'slice'?)\n");
  EXPECT_THAT(
      errors({"sync.from.grade=guessed"}),
      HasSubstr("sync.from.grade: 'guessed' is not a grade (one of measured, fitted, datasheet, assumed)"));
  EXPECT_THAT(errors({"gpu.l2=60"}), HasSubstr("gpu.l2: '60' has no unit"));
  EXPECT_THAT(errors({"memory={capacity: 1 GB, max_clock: 1 MHz}"}),
              HasSubstr("memory.capacity: the parameter has no grade and source"));
  EXPECT_THAT(errors({"cpu.clusters=[]"}), HasSubstr("cpu.clusters: no clusters"));
  EXPECT_THAT(errors({"power_modes.default=FAST"}),
              HasSubstr("power_modes.default: 'FAST' is not one of the modes"));
  EXPECT_THAT(errors({"power_modes.modes.0.gpu=2 GHz"}), HasSubstr("above the maximum, 1.98 GHz"));
  input::Problems problems;
  EXPECT_FALSE(shipped_profile("nvidia-h20", problems));
  EXPECT_EQ(problems.text(), "unknown device 'nvidia-h20' (did you mean 'nvidia-h200'?)\n");
}

TEST(Figures, of_a_profile_with_its_own_data_sheet_are_of_no_other_products) {
  const std::regex sheet("NVIDIA ([A-Z][A-Za-z0-9 ]*?) data sheet");
  std::size_t checked = 0;
  for (const std::string& name : device_names()) {
    const std::string text = *device_text(name);
    std::set<std::string> own;
    for (std::sregex_iterator at(text.begin(), text.end(), sheet), end; at != end; ++at) own.insert((*at)[1]);
    const Profile profile = shipped(name);
    for (const ProfileParameter& parameter : profile.figures) {
      std::smatch found;
      if (own.empty() || parameter.from.grade != ParameterGrade::datasheet ||
          !std::regex_search(parameter.from.source, found, sheet))
        continue;
      ++checked;
      const std::string product = found[1];
      EXPECT_TRUE(std::ranges::any_of(own, [&](const auto& one) { return product.starts_with(one); }))
          << name << ": " << parameter.path << ": " << parameter.from.source;
    }
  }
  EXPECT_GT(checked, 100U);
}

TEST(Figures, can_be_changed_one_by_one) {
  input::Problems problems;
  const auto profile = parse_profile(*device_text("nvidia-h200"), "p.yaml", problems,
                                     {"gpu.time_slicing.slice=1 ms", "runtimes.eager.per_launch=7 us"});
  ASSERT_TRUE(profile) << problems.text();
  EXPECT_EQ(profile->spec->gpu.time_slicing.slice, sim::milliseconds(1));
  EXPECT_EQ(profile->spec->runtimes[process::Runtime::eager]->per_launch, sim::microseconds(7));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
