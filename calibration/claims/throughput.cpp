// Statements on throughput: precisions, networks, batches, boards.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "calibration/claims/concurrent_vision.hpp"
#include "models/board/spec.hpp"

namespace jostle::calibration {
namespace {

void speed_up_of_int8(Runs& runs, Checks& checks) {
  const auto add = [&](const char* model, double claimed) {
    checks.near(
        fmt::format("{}, int8 over fp32", model), claimed,
        runs.images_per_s({orin_nano, model, "int8"}) / runs.images_per_s({orin_nano, model, "fp32"}));
  };
  add("resnet50", 9.75);
  add("fcn_resnet50", 12);
  add("yolov8n", 3);
}

void fp16_on_nano(Runs& runs, Checks& checks) {
  for (const char* other : {"int8", "tf32", "fp32"}) {
    checks.near(fmt::format("images/s, fp16 over {}", other), 2,
                runs.images_per_s({nano, "yolov8n", "fp16"}) / runs.images_per_s({nano, "yolov8n", other}));
    checks.near(fmt::format("GPU memory, fp16 over {}", other), 0.5,
                runs.gpu_mb({nano, "yolov8n", "fp16"}) / runs.gpu_mb({nano, "yolov8n", other}));
  }
}

void traced_throughput(Runs& runs, Checks& checks) {
  const auto add = [&](const char* device, const char* precision) {
    for (const char* model : vision_models)
      checks.near(
          fmt::format("{} {} {}, traced over not", device, model, precision), 0.5,
          runs.images_per_s({.device = device, .model = model, .precision = precision, .traced = true}) /
              runs.images_per_s({device, model, precision}));
  };
  add(orin_nano, "int8");
  add(nano, "fp16");
}

// The study names no batch size, so the best one of the sweep counts.
void cloud(Runs& runs, Checks& checks) {
  const auto rates = over(batches, [&](int batch) {
    return runs.images_per_s({"nvidia-a40", "yolov8n", "fp16", batch});
  });
  checks.at_least("yolov8n fp16, one process, best of batch 1 to 16", 1000, std::ranges::max(rates), images);
}

// The throughput of each of several equal processes; none if they do not fit.
std::optional<double> each_does(Runs& runs, Setup setup) {
  if (!runs.fit(setup)) return std::nullopt;
  setup.seconds = setup.device == nano ? 20 : 1;  // a batch on the Nano takes seconds
  return runs.images_per_s(setup) / setup.count;
}

void yolov8n_over_batch(Runs& runs, Checks& checks) {
  checks.near("batch 1", 210, runs.images_per_s({orin_nano, "yolov8n", "int8", 1}), images);
  checks.near("batch 16", 320, runs.images_per_s({orin_nano, "yolov8n", "int8", 16}), images);
}

void yolov8n_over_batch_on_nano(Runs& runs, Checks& checks) {
  checks.near("batch 1", 20, runs.images_per_s({nano, "yolov8n", "fp16", 1}), images);
  checks.near("batch 8", 22, runs.images_per_s({nano, "yolov8n", "fp16", 8}), images);
}

void eight_processes(Runs& runs, Checks& checks) {
  checks.near("each of 8 on Orin Nano, int8, batch 1", 10,
              runs.images_per_s({orin_nano, "yolov8n", "int8", 1, 8}) / 8, images);
}

// The boards of the study, each with its best precision.
constexpr std::array<std::pair<const char*, const char*>, 2> studied{{{orin_nano, "int8"}, {nano, "fp16"}}};

void rises_with_batch(Runs& runs, Checks& checks) {
  for (const auto& [device, precision] : studied) {
    for (const char* model : vision_models) {
      std::vector<double> rates, gains;
      for (const int batch : batches) {
        const auto rate = each_does(runs, {device, model, precision, batch});
        if (!rate) break;
        if (!rates.empty()) gains.push_back(*rate / rates.back());
        rates.push_back(*rate);
      }
      const std::string name = fmt::format("{} {} {}", device, model, precision);
      checks.rises(fmt::format("{}: images/s over batch", name), rates);
      if (gains.empty()) continue;
      const double most = std::ranges::max(gains);
      checks.is(fmt::format("{}: most that a doubling brings", name), "less than 2 x",
                value_text(most) + " x", most < 2);
    }
  }
}

void falls_with_processes(Runs& runs, Checks& checks) {
  for (const auto& [device, precision] : studied) {
    for (const char* model : vision_models) {
      for (const int batch : {1, 8}) {
        std::vector<double> rates;
        for (const int count : process_counts)
          if (const auto rate = each_does(runs, {device, model, precision, batch, count}))
            rates.push_back(*rate);
        if (rates.size() > 1)
          checks.falls(fmt::format("{} {} {}: images/s of each over processes, batch {}", device, model,
                                   precision, batch),
                       rates);
      }
    }
  }
}

void fcn_over_precision(Runs& runs, Checks& checks) {
  checks.near("fp16", 97, runs.images_per_s({orin_nano, "fcn_resnet50", "fp16"}), images);
  checks.near("tf32", 47, runs.images_per_s({orin_nano, "fcn_resnet50", "tf32"}), images);
  checks.near("fp32", 14, runs.images_per_s({orin_nano, "fcn_resnet50", "fp32"}), images);
}

void concurrency_gains(Runs& runs, Checks& checks) {
  double most = 0;
  for (const auto& [device, precision] : studied) {
    for (const char* model : vision_models) {
      const double alone = runs.images_per_s({device, model, precision});
      for (const int count : {2, 4, 8})
        if (const auto rate = each_does(runs, {device, model, precision, 1, count}))
          most = std::max(most, *rate * count / alone);
    }
  }
  checks.shows("most of 2, 4, 8 processes over one, two boards, three networks", "up to 3.8 x",
               value_text(most) + " x");
}

void levels_off_with_batch(Runs& runs, Checks& checks) {
  const auto rates = over(batches, [&](int batch) {
    return runs.images_per_s({orin_nano, "resnet50", "fp16", batch});
  });
  checks.rises("images/s at batch 1, 2, 4, 8, 16", rates);
  checks.falls("gain of the first and of the last doubling",
               {rates[1] / rates[0] - 1, rates[4] / rates[3] - 1});
}

void int8_is_fastest(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const double int8 = runs.images_per_s({orin_nano, model, "int8"});
    for (const char* other : {"fp16", "tf32", "fp32"})
      checks.ordered(model, {{"int8", int8}, {other, runs.images_per_s({orin_nano, model, other})}});
  }
}

void order_of_networks(Runs& runs, Checks& checks) {
  for (const char* precision : precisions) {
    std::vector<std::pair<std::string, double>> rates;
    for (const char* model : vision_models)
      rates.emplace_back(model, runs.images_per_s({orin_nano, model, precision}));
    checks.ordered(precision, rates);
  }
}

void fp16_beats_int8_on_nano(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    checks.ordered(fmt::format("{}, images/s", model), {{"fp16", runs.images_per_s({nano, model, "fp16"})},
                                                        {"int8", runs.images_per_s({nano, model, "int8"})}});
    checks.ordered(fmt::format("{}, GPU memory", model), {{"int8", runs.gpu_mb({nano, model, "int8"})},
                                                          {"fp16", runs.gpu_mb({nano, model, "fp16"})}});
  }
}

void yolov8n_on_nano(Runs& runs, Checks& checks) {
  checks.near("fp16", 20, runs.images_per_s({nano, "yolov8n", "fp16"}), images);
  for (const char* other : {"int8", "tf32", "fp32"})
    checks.near(other, 10, runs.images_per_s({nano, "yolov8n", other}), images);
}

void fall_back_to_fp32(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const double fp32 = runs.images_per_s({nano, model, "fp32"});
    for (const char* precision : {"int8", "tf32"})
      checks.near(fmt::format("{} {}: images/s, as in fp32", model, precision), fp32,
                  runs.images_per_s({nano, model, precision}), images);
    checks.ordered(fmt::format("{}, images/s", model),
                   {{"fp16", runs.images_per_s({nano, model, "fp16"})}, {"fp32", fp32}});
    checks.ordered(fmt::format("{}, GPU memory", model), {{"tf32", runs.gpu_mb({nano, model, "tf32"})},
                                                          {"fp16", runs.gpu_mb({nano, model, "fp16"})}});
  }
}

void boards_compared(Runs& runs, Checks& checks) {
  for (const char* model : vision_models) {
    const auto best = [&](const char* device, const char* expected) {
      const double rate = runs.images_per_s({device, model, expected});
      for (const char* other : precisions)
        if (std::string_view(other) != expected)
          checks.ordered(fmt::format("{} {}", device, model),
                         {{expected, rate}, {other, runs.images_per_s({device, model, other})}});
      return rate;
    };
    const double here = best(orin_nano, "int8"), there = best(nano, "fp16");
    checks.ordered(fmt::format("{}, best precision of each", model), {{orin_nano, here}, {nano, there}});
  }
}

constexpr StatementCheck throughput_all[] = {
    {"C01", yolov8n_over_batch},
    {"C02", yolov8n_over_batch_on_nano},
    {"C03", eight_processes},
    {"C04", rises_with_batch},
    {"C05", falls_with_processes},
    {"C08", fcn_over_precision},
    {"C66", concurrency_gains},
    {"C06", speed_up_of_int8},
    {"C12", fp16_on_nano},
    {"C39", traced_throughput},
    {"C40", cloud},
    {"C41", levels_off_with_batch},
    {"C42", int8_is_fastest},
    {"C44", order_of_networks},
    {"C45", fp16_beats_int8_on_nano},
    {"C46", yolov8n_on_nano},
    {"C47", fall_back_to_fp32},
    {"C51", boards_compared},
};

}  // namespace

std::span<const StatementCheck> throughput_statements() {
  return throughput_all;
}

}  // namespace jostle::calibration
