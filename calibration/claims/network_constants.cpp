// Statements on networks, compared with the operations, parameters and kernels of the built-in ones.
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "analyses/support/support.hpp"
#include "calibration/claims/reproduce.hpp"
#include "calibration/claims/values.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::calibration {
namespace {

// The six workloads of the energy-knobs report.
constexpr std::array<const char*, 6> knob_models{"alexnet",     "resnet18",  "mobilenet_v2",
                                                 "yolov4_tiny", "bert_tiny", "distilbert"};
using Counts = std::array<double, knob_models.size()>;

dnn::Network network(const char* name) {
  const dnn::Model& model = *dnn::find_model(name);
  return model.build(model.default_input);
}

double billions(const dnn::Network& network) {
  return static_cast<double>(network.macs()) / 1e9;
}

void operations(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{0.727, 2, 0.57, 6.9, 0.0353, 4.3};
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const double macs = billions(network(knob_models[i]));
    checks.shows(knob_models[i], value_text(claimed[i]) + " GFLOP",
                 fmt::format("{} GFLOP, {} G multiply-adds", value_text(2 * macs), value_text(macs)));
  }
}

double embedded(const dnn::Network& network) {
  std::int64_t sum = 0;
  for (dnn::Network::Node node = 0; node < network.size(); ++node)
    if (network.layer(node).op == dnn::Op::embedding) sum += network.layer(node).parameters();
  return static_cast<double>(sum);
}

void parameters(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{61, 11, 3.4, 6.1, 4.4, 43.2};
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const dnn::Network built = network(knob_models[i]);
    const auto count = static_cast<double>(built.parameters());
    // The claimed count is that of distilbert without its embeddings, but that of bert_tiny with them.
    if (knob_models[i] == std::string_view("distilbert"))
      checks.shows(knob_models[i], "43.2 M",
                   fmt::format("{} M, {} M without embeddings", value_text(count / 1e6),
                               value_text((count - embedded(built)) / 1e6)));
    else
      checks.near(knob_models[i], claimed[i], count / 1e6, "M");
  }
}

void one_launch(Runs& runs, Checks& checks) {
  Settings settings;
  Values::set(settings, "source", source_of("C30"));
  Values::set(settings, "calls", "jetson-orin-nano");
  input::Problems problems;
  const auto profile = profiles::shipped_profile(settings.at("device"), problems);
  double kernels = 0;
  for (const auto& [precision, count] :
       analyses::support(profile.value(), scenarios::BuiltInModel{"resnet50"}, dnn::Precision::int8,
                         process::Runtime::tensorrt, 1)
           .kernels_by_precision)
    kernels += static_cast<double>(count);
  checks.near_range("a launch, 1 process, batch 1", 20, 100,
                    1e3 * Values(runs).one("launches", settings) / kernels, "us");
}

void input_shapes(Runs& /*runs*/, Checks& checks) {
  for (const auto& [name, claimed] :
       {std::pair{"resnet50", "3x224x224"}, std::pair{"fcn_resnet50", "3x224x224"},
        std::pair{"yolov8n", "3x640x640"}}) {
    const dnn::Shape shape = network(name).layer(0).out;
    const std::string found = fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
    checks.is(name, claimed, found, claimed == found);
  }
}

constexpr StatementCheck network_constants_all[] = {
    {"C30", one_launch},
    {"C64", input_shapes},
    {"E42", operations},
    {"E43", parameters},
};

}  // namespace

std::span<const StatementCheck> network_statements() {
  return network_constants_all;
}

}  // namespace jostle::calibration
