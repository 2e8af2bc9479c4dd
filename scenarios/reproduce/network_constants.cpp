// Statements on what networks are: built in, they have the same operations and parameters.
#include <fmt/format.h>

#include <algorithm>

#include "models/dnn/builders/builders.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/reproduce/energy_knobs.hpp"

namespace jostle::scenarios {
namespace {

using Kind = StatementKind;
using Counts = std::array<double, knob_models.size()>;

dnn::Network network(const char* name) {
  const dnn::Model& model = *dnn::find_model(name);
  return model.build(model.default_input);
}

// Some of the figures are of multiply-adds, so that both counts are told.
void operations(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{0.727, 2, 0.57, 6.9, 0.0353, 4.3};
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const double macs = static_cast<double>(network(knob_models[i]).macs()) / 1e9;
    checks.near(knob_models[i], claimed[i], 2 * macs, "GFLOP");
    checks.shows(fmt::format("{}, in multiply-adds", knob_models[i]), figure_text(claimed[i]) + " G",
                 figure_text(macs) + " G");
  }
  double ratio = 0;
  for (const int tokens : {1, 8, 32, 128, 512})
    ratio = std::max(ratio, static_cast<double>(dnn::build_distilbert(tokens).macs()) /
                                static_cast<double>(dnn::build_bert_tiny(tokens).macs()));
  checks.shows("distilbert over bert_tiny, the most over lengths",
               figure_text(claimed[5] / claimed[4]) + " x", figure_text(ratio) + " x");
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
    // The figure given for distilbert is the network's without its embeddings, that for bert_tiny with them.
    const double tables = knob_models[i] == std::string_view("distilbert") ? embedded(built) : 0;
    checks.near(fmt::format("{}{}", knob_models[i], tables > 0 ? ", without embeddings" : ""), claimed[i],
                (count - tables) / 1e6, "M");
  }
}

constexpr std::array network_constants_all{
    Statement{
        "E42", Kind::device, "An inference is 0.727, 2, 0.57, 6.9, 0.0353 and 4.3 GFLOP",
        "Units are mixed: alexnet's and resnet18's figures are multiply-adds. Those of bert_tiny and "
        "distilbert are of shorter sequences than 128 tokens, and of two different lengths or units: at "
        "one length the ratio of the two cannot be as high.",
        operations},
    Statement{"E43", Kind::device, "Networks have 61, 11, 3.4, 6.1, 4.4 and 43.2 M parameters", "",
              parameters},
};

}  // namespace

std::span<const Statement> network_statements() {
  return network_constants_all;
}

}  // namespace jostle::scenarios
