// The enum names of the scenario language: one table per enum, used to read and to write.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

template <class T>
using Names = std::vector<std::pair<std::string, T>>;

[[nodiscard]] const Names<Precision>& precision_names();
// The precisions, of networks or weights, that a tool's word for one means: "FP16", "Q4_K_M", "int4_awq".
[[nodiscard]] std::vector<std::string> spelled_precision(const std::string& text);
[[nodiscard]] const Names<llm::WeightFormat>& weight_format_names();
[[nodiscard]] const Names<Runtime>& runtime_names();
// The names of the runtimes for which `are` is true, for messages; `last` joins the last one.
[[nodiscard]] std::string runtime_list(bool (*are)(const process::RuntimeTraits&), const char* last = " or ");
[[nodiscard]] const Names<Sync>& sync_names();
[[nodiscard]] const Names<Placement>& placement_names();
[[nodiscard]] const Names<process::LoadKind>& load_names();
[[nodiscard]] const Names<Observer>& observer_names();
[[nodiscard]] const Names<ThermalStart>& thermal_start_names();
[[nodiscard]] const Names<Start>& start_names();
[[nodiscard]] const Names<gpu::Sharing>& sharing_names();
[[nodiscard]] const Names<gpu::Interleave>& interleave_names();
[[nodiscard]] const Names<gpu::Priority>& priority_names();
[[nodiscard]] const Names<process::Drop>& drop_names();
[[nodiscard]] const Names<process::FanOutKind>& fan_out_names();
[[nodiscard]] const Names<Precise>& precise_names();
[[nodiscard]] const Names<std::string>& cpu_governor_names();
[[nodiscard]] const Names<std::string>& gpu_governor_names();

}  // namespace jostle::scenarios
