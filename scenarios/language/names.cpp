#include "scenarios/language/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "models/dnn/model_names.hpp"
#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/gpu_governors.hpp"

namespace jostle::scenarios {
namespace {

template <class T>
const char* name_of(const Names<T>& names, T value) {
  for (const auto& entry : names) {
    if (entry.second == value) return entry.first.c_str();
  }
  return "?";
}

// The names of rows that stand for themselves.
template <class Row>
Names<std::string> own_names(std::span<const Row> rows) {
  Names<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name, row.name);
  return names;
}

// The names of the rows of a table of formats.
template <class Format>
Names<Format> format_names(const auto& rows) {
  Names<Format> names;
  for (const auto& row : rows) names.emplace_back(row.name, row.format);
  return names;
}

}  // namespace

const Names<Precision>& precision_names() {
  static const Names<Precision> names = [] {
    Names<Precision> found;
    for (const Precision precision : dnn::all_precisions) found.emplace_back(to_string(precision), precision);
    return found;
  }();
  return names;
}

std::vector<std::string> spelled_precision(const std::string& text) {
  // bf16 costs what fp16 does on GPUs from Ampere on, and is computed in fp32 by older ones.
  static const std::map<std::string, std::vector<std::string>> others{
      {"bf16", {"fp16", "fp32"}}, {"bfloat16", {"fp16", "fp32"}},
      {"f16", {"fp16"}},          {"float16", {"fp16"}},
      {"half", {"fp16"}},         {"f32", {"fp32"}},
      {"float32", {"fp32"}},      {"fp4", {"nvfp4", "mxfp4"}},
      {"int4awq", {"awq"}},       {"w4a16", {"awq", "gptq"}},
      {"w4a16awq", {"awq"}},      {"int4gptq", {"gptq"}},
      {"q4f161", {"int4"}}};
  const auto found = others.find(dnn::folded(text));
  return found != others.end() ? found->second : std::vector<std::string>{text};
}

const Names<llm::WeightFormat>& weight_format_names() {
  static const Names<llm::WeightFormat> names = format_names<llm::WeightFormat>(llm::weight_formats);
  return names;
}
const Names<Runtime>& runtime_names() {
  static const Names<Runtime> names = [] {
    auto rows = process::runtimes;  // in the order of their kinds, as in the documentation
    std::ranges::stable_sort(rows, {}, &process::RuntimeTraits::kind);
    Names<Runtime> found;
    for (const process::RuntimeTraits& row : rows) found.emplace_back(row.name, row.runtime);
    return found;
  }();
  return names;
}

std::string runtime_list(bool (*are)(const process::RuntimeTraits&), const char* last) {
  std::vector<std::string> names;
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (are(row)) names.emplace_back(row.name);
  }
  const auto end = names.end() - 1;
  return fmt::format("{}{}{}", fmt::join(names.begin(), end, ", "), end == names.begin() ? "" : last, *end);
}

const Names<Sync>& sync_names() {
  static const Names<Sync> names{
      {"spin", Sync::spin}, {"yield", Sync::yield}, {"blocking", Sync::blocking}, {"auto", Sync::automatic}};
  return names;
}

const Names<Placement>& placement_names() {
  static const Names<Placement> names{{"gpu", Placement::gpu},
                                      {"cuda-only", Placement::cuda_only},
                                      {"dla0", Placement::dla0},
                                      {"dla1", Placement::dla1},
                                      {"cpu", Placement::cpu}};
  return names;
}

const Names<ThermalStart>& thermal_start_names() {
  static const Names<ThermalStart> names{{"idle", ThermalStart::idle},
                                         {"equilibrium", ThermalStart::equilibrium}};
  return names;
}

const Names<Start>& start_names() {
  static const Names<Start> names{{"together", Start::together}, {"one_by_one", Start::one_by_one}};
  return names;
}

const Names<process::LoadKind>& load_names() {
  static const Names<process::LoadKind> names = [] {
    Names<process::LoadKind> all;
    for (const process::LoadRow& row : process::load_rows) all.emplace_back(row.name, row.kind);
    return all;
  }();
  return names;
}

const Names<Observer>& observer_names() {
  static const Names<Observer> names{{"none", Observer::none}, {"nsys", Observer::nsys}};
  return names;
}

const Names<gpu::Sharing>& sharing_names() {
  static const Names<gpu::Sharing> names = [] {
    Names<gpu::Sharing> all;
    for (const gpu::SharingWay& way : gpu::sharing_ways()) all.emplace_back(way.name, way.sharing);
    return all;
  }();
  return names;
}

const Names<gpu::Interleave>& interleave_names() {
  static const Names<gpu::Interleave> names{
      {"low", gpu::Interleave::low}, {"medium", gpu::Interleave::medium}, {"high", gpu::Interleave::high}};
  return names;
}

const Names<gpu::Priority>& priority_names() {
  static const Names<gpu::Priority> names{
      {"high", gpu::Priority::high}, {"normal", gpu::Priority::normal}, {"low", gpu::Priority::low}};
  return names;
}

const Names<process::Drop>& drop_names() {
  static const Names<process::Drop> names{{"newest", process::Drop::newest},
                                          {"oldest", process::Drop::oldest}};
  return names;
}

const Names<process::FanOutKind>& fan_out_names() {
  static const Names<process::FanOutKind> names{{"poisson", process::FanOutKind::poisson},
                                                {"fixed", process::FanOutKind::fixed}};
  return names;
}

const Names<Precise>& precise_names() {
  static const Names<Precise> names{{"throughput", Precise::throughput},
                                    {"latency_ms.mean", Precise::latency_mean},
                                    {"latency_ms.p50", Precise::latency_p50},
                                    {"latency_ms.p90", Precise::latency_p90},
                                    {"latency_ms.p99", Precise::latency_p99}};
  return names;
}

const Names<std::string>& cpu_governor_names() {
  static const Names<std::string> names = own_names(power::cpu_governors());
  return names;
}
const Names<std::string>& gpu_governor_names() {
  static const Names<std::string> names = own_names(power::gpu_governors());
  return names;
}

const char* to_string(Sync value) {
  return name_of(sync_names(), value);
}
const char* to_string(gpu::Priority value) {
  return name_of(priority_names(), value);
}
const char* to_string(process::Drop value) {
  return name_of(drop_names(), value);
}
const char* to_string(process::FanOutKind value) {
  return name_of(fan_out_names(), value);
}
const char* to_string(Precise value) {
  return name_of(precise_names(), value);
}
const char* to_string(Placement value) {
  return name_of(placement_names(), value);
}
const char* to_string(Observer value) {
  return name_of(observer_names(), value);
}

const char* to_string(Start value) {
  return name_of(start_names(), value);
}

const char* to_string(ThermalStart value) {
  return name_of(thermal_start_names(), value);
}

}  // namespace jostle::scenarios
