// What board and engine did in a run, as metrics of the result.
#pragma once

#include <optional>

#include "models/board/gpu_windows.hpp"
#include "models/board/power_report.hpp"
#include "models/memory/admission.hpp"
#include "models/memory/spec.hpp"
#include "scenarios/result/result.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {

// GPU activity as metrics of the result; and a run of the engine with sampling in windows.

// Means over `elapsed` seconds; all absent if that is zero.
[[nodiscard]] SmArray sm_array(const gpu::Usage& used, double elapsed);

// Runs the engine until `time`. If there are windows, takes the samples that are due before it.
sim::RunEnd run_until(sim::Engine& engine, sim::Time time, std::optional<board::GpuWindows>& windows);

// Adds the distributions to the result, for the board and for the processes that ran (those whose status is
// ok, in the order of the board's processes).
void add_windows(Result& result, const board::GpuWindows& windows);

// Memory metrics of a result: what each process and the board hold, and which processes did not fit.

// Sets the memory metrics of `result` (its processes are those of `occupancy` in the same order), and the
// status of processes that do not fit.
void add_memory(Result& result, const memory::Spec& spec, const memory::Occupancy& occupancy);

// The board's power, its clocks and what limited them, as metrics of the result.

// Adds the power metrics. `images` is the number of images of all processes in the same time; null if it is
// unknown for one of them.
void add_power(SystemResult& system, const board::PowerReport& report, const power::Spec& spec,
               Metric images);

// Sets `limited_by` to the largest entry of `limited_share`, if that is large enough to name.
void name_limit(SystemResult& system);

// A limit, by its name in a result: "the power mode holds the clocks down", or with other `clocks` "heat
// holds its clocks down"; "none" is nothing.
[[nodiscard]] std::string limit_in_words(std::string name, std::string_view clocks = "the clocks");

}  // namespace jostle::scenarios
