// Statements on SM metrics, sampled by a profiler in windows of 100 us under the tracer (C39). Throughput and
// the reported utilisation are those without the tracer.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibration/claims/concurrent_vision.hpp"

namespace jostle::calibration {
namespace {

Setup sampled(const char* model, const char* precision, int count = 1, int batch = 1) {
  return {.device = orin_nano,
          .model = model,
          .precision = precision,
          .batch = batch,
          .count = count,
          .sampled = true};
}
Setup traced(const char* model, const char* precision, int count = 1, int batch = 1) {
  Setup setup = sampled(model, precision, count, batch);
  setup.traced = true;
  return setup;
}

const scenarios::WindowShares& metric_of(Runs& runs, const Setup& setup, const char* metric) {
  return windows(runs.of(setup), metric);
}
double mean(Runs& runs, const Setup& setup, const char* metric) {
  return 100 * known(metric_of(runs, setup, metric).mean);
}
double maximum(Runs& runs, const Setup& setup, const char* metric) {
  return 100 * known(metric_of(runs, setup, metric).max);
}
double median(Runs& runs, const Setup& setup, const char* metric) {
  return 100 * percentile(metric_of(runs, setup, metric), 50);
}
// The width of a distribution: 10th to 90th percentile, in percentage points.
double spread(Runs& runs, const Setup& setup, const char* metric) {
  const scenarios::WindowShares& shares = metric_of(runs, setup, metric);
  return 100 * (percentile(shares, 90) - percentile(shares, 10));
}
double between(Runs& runs, const Setup& setup, const char* metric, std::size_t low, std::size_t high) {
  return 100 * share_between(metric_of(runs, setup, metric), low, high);
}
double above(Runs& runs, const Setup& setup, const char* metric, std::size_t low) {
  return between(runs, setup, metric, low, 100);
}

// Share of the time in which a process waits for the GPU or for a core.
double stalled(const scenarios::ProcessResult& process) {
  using process::Share;
  if (!process.time_share) return 0;
  double sum = 0;
  for (const Share wait : {Share::gpu_switch, Share::gpu_slice_wait, Share::waiting_for_core})
    sum += process.time_share->at(index_of(wait));
  return sum;
}

constexpr std::size_t full = 100;      // percent; CDFs have steps of 1 %
constexpr std::size_t near_full = 90;  // percent that counts as "near 100"
constexpr double max_windows = 50;     // "mostly" means more than half of the windows

void sm_active_alone(Runs& runs, Checks& checks) {
  constexpr const char* metric = "sm_active";
  for (const char* precision : precisions)
    checks.at_least(fmt::format("resnet50 {}: windows at 75 to 90", precision), max_windows,
                    between(runs, traced("resnet50", precision), metric, 75, 90), "%");
  for (const char* model : {"yolov8n", "fcn_resnet50"})
    for (const char* precision : precisions)
      checks.at_least(fmt::format("{} {}: windows at 75 to 100", model, precision), max_windows,
                      above(runs, traced(model, precision), metric, 75), "%");
  const auto at_full = [&](const char* model, const char* precision, double claimed) {
    checks.near(fmt::format("{} {}: windows at 100", model, precision), claimed,
                above(runs, traced(model, precision), metric, full), "%");
  };
  for (const char* precision : precisions)
    checks.shows(fmt::format("resnet50 {}: windows at 75 to 90 without the tracer", precision), "not claimed",
                 value_text(between(runs, sampled("resnet50", precision), metric, 75, 90)) + " %");
  at_full("resnet50", "tf32", 15);
  at_full("yolov8n", "tf32", 20);
  at_full("fcn_resnet50", "fp16", 40);
  for (const char* model : vision_models) {
    double highest = 0;
    for (const char* precision : precisions)
      highest = std::max(highest, maximum(runs, traced(model, precision), metric));
    checks.at_least(fmt::format("{}: highest window", model), 100, highest, "%");
    const double int8 = mean(runs, traced(model, "int8"), metric);
    for (const char* other : {"fp16", "tf32", "fp32"})
      checks.ordered(fmt::format("{}, mean", model),
                     {{other, mean(runs, traced(model, other), metric)}, {"int8", int8}});
  }
}

void issue_slot(Runs& runs, Checks& checks) {
  constexpr const char* metric = "issue_slot";
  for (const char* model : vision_models)
    checks.at_most(
        fmt::format("{}: highest window, 1 to 8 processes", model), 80,
        std::ranges::max(over(
            process_counts, [&](int count) { return maximum(runs, traced(model, "fp16", count), metric); })),
        "%");
  checks.at_least("resnet50: windows at 25 to 40", max_windows,
                  between(runs, traced("resnet50", "fp16"), metric, 25, 40), "%");
  checks.at_least("yolov8n: windows at 25 to 75", max_windows,
                  between(runs, traced("yolov8n", "fp16"), metric, 25, 75), "%");
  checks.near("fcn_resnet50: median", 25, median(runs, traced("fcn_resnet50", "fp16"), metric), "%");
  std::vector<double> means;
  for (const char* model : vision_models)
    for (const int count : process_counts) means.push_back(mean(runs, traced(model, "fp16", count), metric));
  for (const int count : process_counts)
    for (const char* model : {"resnet50", "fcn_resnet50"}) {
      checks.near(fmt::format("{}, {} processes: mean", model, count), 25,
                  mean(runs, traced(model, "fp16", count), metric), "%");
      checks.ordered(fmt::format("{} processes: points from p10 to p90", count),
                     {{"yolov8n", spread(runs, traced("yolov8n", "fp16", count), metric)},
                      {model, spread(runs, traced(model, "fp16", count), metric)}});
    }
  checks.near("mean over networks and 1 to 8 processes", 25,
              std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size()), "%");
}

void tensor_active_alone(Runs& runs, Checks& checks) {
  constexpr const char* metric = "tensor_active";
  checks.near("resnet50 int8: median", 25, median(runs, traced("resnet50", "int8"), metric), "%");
  checks.at_most("resnet50 int8: highest window", 50, maximum(runs, traced("resnet50", "int8"), metric), "%");
  checks.at_least("yolov8n int8: windows up to 20", max_windows,
                  between(runs, traced("yolov8n", "int8"), metric, 0, 20), "%");
  for (const char* precision : {"fp16", "tf32"}) {
    checks.near(fmt::format("fcn_resnet50 {}: windows above {}", precision, near_full), 40,
                above(runs, traced("fcn_resnet50", precision), metric, near_full), "%");
    checks.ordered("fcn_resnet50, mean", {{precision, mean(runs, traced("fcn_resnet50", precision), metric)},
                                          {"int8", mean(runs, traced("fcn_resnet50", "int8"), metric)}});
  }
  for (const char* model : vision_models)
    for (const char* precision : {"int8", "fp16", "tf32"}) {
      const double highest = maximum(runs, traced(model, precision), metric);
      checks.is(fmt::format("{} {}: highest window", model, precision), "never 100 %",
                value_text(highest) + " %", highest < 100);
    }
}

void sm_active_over_processes(Runs& runs, Checks& checks) {
  for (const int count : {1, 2})
    checks.at_least(fmt::format("resnet50, {} processes: windows at 80 to 100", count), max_windows,
                    above(runs, traced("resnet50", "fp16", count), "sm_active", 80), "%");
  checks.at_least("fcn_resnet50, 2 processes: windows at 100", 60,
                  above(runs, traced("fcn_resnet50", "fp16", 2), "sm_active", full), "%");
  for (const char* model : vision_models) {
    const auto of = [&](int count) { return spread(runs, traced(model, "fp16", count), "sm_active"); };
    checks.ordered(fmt::format("{}: points from p10 to p90 at 4 processes and at 1", model),
                   {{"at 4", of(4)}, {"at 1", of(1)}});
    const auto issue = [&](int count) { return mean(runs, traced(model, "fp16", count), "issue_slot"); };
    checks.ordered(
        fmt::format("{}: mean issue slot at 1 and 2, at 4 and 8 processes", model),
        {{"least of 1, 2", std::min(issue(1), issue(2))}, {"most of 4, 8", std::max(issue(4), issue(8))}});
    checks.shows(fmt::format("{}: mean SM active at 1 and 8 processes", model),
                 "rises (summary; the text contradicts)",
                 fmt::format("{}, {} %", value_text(mean(runs, traced(model, "fp16", 1), "sm_active")),
                             value_text(mean(runs, traced(model, "fp16", 8), "sm_active"))));
  }
}

void tensor_active_over_processes(Runs& runs, Checks& checks) {
  constexpr const char* metric = "tensor_active";
  for (const int count : {1, 2}) {
    checks.near(fmt::format("resnet50, mean at {}", count), 25,
                mean(runs, traced("resnet50", "fp16", count), metric), "%");
    checks.shows(fmt::format("yolov8n, mean at {}", count), "30 %, against C36",
                 value_text(mean(runs, traced("yolov8n", "fp16", count), metric)) + " %");
  }
  for (const int count : {4, 8})
    checks.between(fmt::format("resnet50, mean at {}", count), 15, 20,
                   mean(runs, traced("resnet50", "fp16", count), metric), "%");
  const auto highest = [&](const char* model) {
    return over(process_counts,
                [&](int count) { return maximum(runs, traced(model, "fp16", count), metric); });
  };
  checks.shows("resnet50, mean at 1 without the tracer", "not claimed",
               value_text(mean(runs, sampled("resnet50", "fp16"), metric)) + " %");
  checks.at_most("resnet50: highest window", 50, std::ranges::max(highest("resnet50")), "%");
  checks.at_most("yolov8n: highest window", 75, std::ranges::max(highest("yolov8n")), "%");
  checks.at_least(fmt::format("fcn_resnet50: windows above {}", near_full), max_windows,
                  above(runs, traced("fcn_resnet50", "fp16"), metric, near_full), "%");
  for (const char* model : vision_models) {
    const std::vector<double> of = highest(model);
    checks.shows(fmt::format("{}: highest window at 1, 2, 4, 8", model),
                 "rises (summary; the text contradicts)",
                 fmt::format("{}, {}, {}, {} %", value_text(of[0]), value_text(of[1]), value_text(of[2]),
                             value_text(of[3])));
  }
}

// "Can reach" and "often lie" are judged over networks and precisions of the tensor cores: at least half of
// the means.
void busy_but_idle_units(Runs& runs, Checks& checks) {
  double there = 0, all = 0;
  for (const char* model : vision_models) {
    checks.at_least(fmt::format("{} int8, batch 16: GPU utilisation", model), 100,
                    100 * known(runs.of({orin_nano, model, "int8", 16}).system.gpu.reported_load), "%");
    for (const char* precision : {"int8", "fp16", "tf32"}) {
      for (const char* metric : {"issue_slot", "tensor_active"}) {
        const double share = mean(runs, traced(model, precision), metric);
        there += share >= 15 && share <= 30 ? 1 : 0;
        ++all;
      }
    }
  }
  checks.at_least("means of issue slots and tensor active at 15 to 30", 50, 100 * there / all, "%");
}

void over_batch(Runs& runs, Checks& checks) {
  for (const char* model : vision_models)
    for (const char* metric : {"sm_active", "issue_slot"})
      checks.rises(fmt::format("{} fp16: mean {} at batch 1, 4, 16", model, metric),
                   over(std::array{1, 4, 16},
                        [&](int batch) { return mean(runs, traced(model, "fp16", 1, batch), metric); }));
}

void tensor_active_and_throughput(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    checks.ordered(fmt::format("{}: mean tensor active", model),
                   {{"fp16", mean(runs, traced(model, "fp16"), "tensor_active")},
                    {"int8", mean(runs, traced(model, "int8"), "tensor_active")}});
    checks.ordered(fmt::format("{}: images/s", model),
                   {{"int8", runs.images_per_s({orin_nano, model, "int8"})},
                    {"fp16", runs.images_per_s({orin_nano, model, "fp16"})}});
    checks.rises(fmt::format("{} int8: share of time stalled at 1, 2, 4, 8 processes", model),
                 over(process_counts, [&](int count) {
                   return stalled(runs.of(traced(model, "int8", count)).processes.front());
                 }));
  }
}

constexpr StatementCheck gpu_metrics_all[] = {
    {"C34", sm_active_alone},
    {"C35", issue_slot},
    {"C36", tensor_active_alone},
    {"C37", sm_active_over_processes},
    {"C38", tensor_active_over_processes},
    {"C52", busy_but_idle_units},
    {"C56", over_batch},
    {"C57", tensor_active_and_throughput},
};

}  // namespace

std::span<const StatementCheck> gpu_metrics_statements() {
  return gpu_metrics_all;
}

}  // namespace jostle::calibration
