// Statements of the concurrent-vision study on power and energy: precisions, batches, processes.
//
// The study does not say which sensor it read. It cannot be the module input: it reports 4.75 W for resnet50
// in int8, while an Orin Nano Super at the same clocks takes 10.2 W at the input and idles at 4.3. The values
// match the sum of the rails behind that input (CPU, GPU and SoC on Orin Nano, CPU and GPU on Nano) and are
// compared with that sum.
#include <fmt/format.h>

#include <algorithm>

#include "calibration/claims/concurrent_vision.hpp"

namespace jostle::calibration {
namespace {

double watts(Runs& runs, const Setup& setup) {
  const scenarios::NamedParameters& rails =
      runs.of(setup).system.power_w.rails;  // the first rail is the module input
  double sum = 0;
  for (std::size_t i = 1; i < rails.size(); ++i) sum += rails[i].second;
  return sum;
}
double millijoules(Runs& runs, const Setup& setup) {
  return 1e3 * watts(runs, setup) / runs.images_per_s(setup);
}

// The sweep of the study: int8 on Orin Nano, fp16 on Nano, as far as it fits into memory.
std::vector<std::pair<Setup, double>> swept_watts(Runs& runs, const char* device, const char* precision) {
  std::vector<std::pair<Setup, double>> found;
  for (const char* model : vision_models) {
    for (const int batch : batches) {
      for (const int count : process_counts) {
        const Setup setup{device, model, precision, batch, count};
        if (!runs.fit(setup)) continue;
        found.emplace_back(setup, watts(runs, setup));
      }
    }
  }
  return found;
}

void fcn_power(Runs& runs, Checks& checks) {
  checks.near("fp16", 6.6, watts(runs, {orin_nano, "fcn_resnet50", "fp16"}), "W");
  checks.near("tf32", 7.1, watts(runs, {orin_nano, "fcn_resnet50", "tf32"}), "W");
  checks.near("fp32", 6.1, watts(runs, {orin_nano, "fcn_resnet50", "fp32"}), "W");
}

void fcn_energy(Runs& runs, Checks& checks) {
  checks.near("fp16", 68, millijoules(runs, {orin_nano, "fcn_resnet50", "fp16"}), "mJ");
  checks.near("tf32", 151, millijoules(runs, {orin_nano, "fcn_resnet50", "tf32"}), "mJ");
  checks.near("fp32", 435, millijoules(runs, {orin_nano, "fcn_resnet50", "fp32"}), "mJ");
}

void power_over_precision(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const auto power = over(precisions, [&](const char* p) { return watts(runs, {orin_nano, model, p}); });
    checks.rises(fmt::format("{}: W at int8, fp16, tf32", model), {power[0], power[1], power[2]});
    checks.ordered(fmt::format("{}: W", model), {{"tf32", power[2]}, {"fp32", power[3]}});
    checks.rises(fmt::format("{}: mJ an image at int8, fp16, tf32, fp32", model),
                 over(precisions, [&](const char* p) {
                   return millijoules(runs, {orin_nano, model, p});
                 }));
  }
}

void nano_energy(Runs& runs, Checks& checks) {
  checks.near("int8", 0.23, millijoules(runs, {nano, "resnet50", "int8"}) / 1e3, "J");
  checks.near("fp16", 0.125, millijoules(runs, {nano, "resnet50", "fp16"}) / 1e3, "J");
  checks.near("tf32", 0.32, millijoules(runs, {nano, "resnet50", "tf32"}) / 1e3, "J");
}

void nano_fallback_power(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const double fp32 = watts(runs, {nano, model, "fp32"});
    for (const char* p : {"int8", "tf32"})
      checks.near(fmt::format("{} {}, as in fp32", model, p), fp32, watts(runs, {nano, model, p}), "W");
  }
}

void int8_power_over_batch(Runs& runs, Checks& checks) {
  const auto add = [&](const char* model, double one, double sixteen) {
    checks.near(fmt::format("{}, batch 1", model), one, watts(runs, {orin_nano, model, "int8", 1}), "W");
    checks.near(fmt::format("{}, batch 16", model), sixteen, watts(runs, {orin_nano, model, "int8", 16}),
                "W");
  };
  add("resnet50", 4.75, 6.17);
  add("fcn_resnet50", 5.51, 6.71);
  add("yolov8n", 4.51, 5.89);
}

void two_processes_draw_most(Runs& runs, Checks& checks) {
  for (const int batch : batches) {
    const double two = watts(runs, {orin_nano, "fcn_resnet50", "int8", batch, 2});
    for (const int count : {4, 8})
      checks.ordered(
          fmt::format("batch {}, W", batch),
          {{"2 processes", two},
           {fmt::format("{}", count), watts(runs, {orin_nano, "fcn_resnet50", "int8", batch, count})}});
  }
}

void fcn_draws_most(Runs& runs, Checks& checks) {
  for (const int batch : batches) {
    for (const int count : process_counts) {
      const double fcn = watts(runs, {orin_nano, "fcn_resnet50", "int8", batch, count});
      for (const char* other : {"resnet50", "yolov8n"})
        checks.ordered(
            fmt::format("batch {}, {} processes, W", batch, count),
            {{"fcn_resnet50", fcn}, {other, watts(runs, {orin_nano, other, "int8", batch, count})}});
    }
  }
}

void nano_power_over_batch(Runs& runs, Checks& checks) {
  constexpr std::array<std::pair<int, double>, 4> claimed{{{1, 4.18}, {2, 4.28}, {4, 4.23}, {8, 4.31}}};
  for (const auto& [batch, value] : claimed)
    checks.near(fmt::format("batch {}", batch), value, watts(runs, {nano, "fcn_resnet50", "fp16", batch}),
                "W");
  checks.ordered("W", {{"batch 8", watts(runs, {nano, "fcn_resnet50", "fp16", 8})},
                       {"batch 1", watts(runs, {nano, "fcn_resnet50", "fp16", 1})}});
}

void nano_power_rises(Runs& runs, Checks& checks) {
  for (const char* model : {"resnet50", "yolov8n"}) {
    checks.ordered(fmt::format("{}, W", model), {{"batch 8", watts(runs, {nano, model, "fp16", 8})},
                                                 {"batch 1", watts(runs, {nano, model, "fp16", 1})}});
    checks.ordered(fmt::format("{}, W", model), {{"2 processes", watts(runs, {nano, model, "fp16", 1, 2})},
                                                 {"1", watts(runs, {nano, model, "fp16", 1, 1})}});
  }
}

void never_above(Runs& runs, Checks& checks) {
  const auto most = [&](const char* device, const char* precision) {
    double watts = 0;
    for (const auto& [setup, drawn] : swept_watts(runs, device, precision)) watts = std::max(watts, drawn);
    return watts;
  };
  checks.at_most("Orin Nano, int8, any batch and processes", 7, most(orin_nano, "int8"), "W");
  checks.at_most("Nano, fp16, any batch and processes", 5, most(nano, "fp16"), "W");
}

void nano_fp16_energy(Runs& runs, Checks& checks) {
  for (const char* model : vision_models)
    for (const char* other : {"int8", "tf32", "fp32"})
      checks.ordered(fmt::format("{}, mJ an image", model),
                     {{other, millijoules(runs, {nano, model, other})},
                      {"fp16", millijoules(runs, {nano, model, "fp16"})}});
}

void fcn_draws_most_over_precision(Runs& runs, Checks& checks) {
  for (const char* precision : precisions)
    for (const char* other : {"resnet50", "yolov8n"})
      checks.ordered(fmt::format("{}, W", precision),
                     {{"fcn_resnet50", watts(runs, {orin_nano, "fcn_resnet50", precision})},
                      {other, watts(runs, {orin_nano, other, precision})}});
}

void supported_is_cheaper(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    checks.ordered(fmt::format("Nano, {}, mJ an image", model),
                   {{"int8, as fp32", millijoules(runs, {nano, model, "int8"})},
                    {"fp16", millijoules(runs, {nano, model, "fp16"})}});
    checks.ordered(fmt::format("Orin Nano, {}, mJ an image", model),
                   {{"fp32", millijoules(runs, {orin_nano, model, "fp32"})},
                    {"int8", millijoules(runs, {orin_nano, model, "int8"})}});
  }
}

void int8_power_rises_with_batch(Runs& runs, Checks& checks) {
  for (const char* model : vision_models)
    for (const int count : process_counts)
      checks.ordered(fmt::format("{}, {} processes, W", model, count),
                     {{"batch 16", watts(runs, {orin_nano, model, "int8", 16, count})},
                      {"batch 1", watts(runs, {orin_nano, model, "int8", 1, count})}});
}

void power_follows_throughput(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    std::vector<double> power, rate;
    for (const int batch : {1, 4, 16}) {
      power.push_back(watts(runs, {orin_nano, model, "int8", batch}));
      rate.push_back(runs.images_per_s({orin_nano, model, "int8", batch}));
    }
    checks.rises(fmt::format("{}, images/s at batch 1, 4, 16", model), rate);
    checks.rises(fmt::format("{}, W at batch 1, 4, 16", model), power);
  }
}

constexpr StatementCheck power_vision_all[] = {
    {"C09", fcn_power},
    {"C10", fcn_energy},
    {"C11", power_over_precision},
    {"C13", nano_energy},
    {"C14", nano_fallback_power},
    {"C15", int8_power_over_batch},
    {"C16", two_processes_draw_most},
    {"C17", fcn_draws_most},
    {"C18", nano_power_over_batch},
    {"C19", nano_power_rises},
    {"C20", never_above},
    {"C48", nano_fp16_energy},
    {"C49", fcn_draws_most_over_precision},
    {"C50", supported_is_cheaper},
    {"C54", int8_power_rises_with_batch},
    {"C55", power_follows_throughput},
};

}  // namespace

std::span<const StatementCheck> power_statements() {
  return power_vision_all;
}

}  // namespace jostle::calibration
