// Statements on networks, compared with the operations and parameters of the built-in ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyses/reproduce/energy_knobs.hpp"
#include "models/dnn/builders/builders.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::analyses {
namespace {

using Kind = StatementKind;
using Counts = std::array<double, knob_models.size()>;

dnn::Network network(const char* name) {
  const dnn::Model& model = *dnn::find_model(name);
  return model.build(model.default_input);
}

double billions(const dnn::Network& network) {
  return static_cast<double>(network.macs()) / 1e9;
}

// Units are mixed: the numbers of alexnet and resnet18 are multiply-adds (0.71 and 1.81 in the table of
// torchvision), the others operations. The sequence length is not stated: both transformers are compared at
// the one length that fits both best.
void operations(Runs& /*runs*/, Checks& checks) {
  constexpr Counts claimed{0.727, 2, 0.57, 6.9, 0.0353, 4.3};
  for (const std::size_t i : {0U, 1U})
    checks.near(fmt::format("{}, multiply-adds", knob_models[i]), claimed[i],
                billions(network(knob_models[i])), "G");
  for (const std::size_t i : {2U, 3U})
    checks.near(knob_models[i], claimed[i], 2 * billions(network(knob_models[i])), "GFLOP");
  int length = 0;
  double least = HUGE_VAL;
  std::array<double, 2> there{};
  for (int tokens = 1; tokens <= 512; ++tokens) {
    const std::array operations{2 * billions(dnn::build_bert_tiny(tokens)),
                                2 * billions(dnn::build_distilbert(tokens))};
    const double off = std::max(std::abs(std::log(operations[0] / claimed[4])),
                                std::abs(std::log(operations[1] / claimed[5])));
    if (off >= least) continue;
    least = off;
    length = tokens;
    there = operations;
  }
  for (const std::size_t i : {4U, 5U})
    checks.near(fmt::format("{}, {} tokens", knob_models[i], length), claimed[i], there[i - 4], "GFLOP");
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
    // The number for distilbert is without embeddings, that for bert_tiny with them.
    const double tables = knob_models[i] == std::string_view("distilbert") ? embedded(built) : 0;
    checks.near(fmt::format("{}{}", knob_models[i], tables > 0 ? ", without embeddings" : ""), claimed[i],
                (count - tables) / 1e6, "M");
  }
}

constexpr std::array network_constants_all{
    Statement{"E42", Kind::device, "An inference is 0.727, 2, 0.57, 6.9, 0.0353 and 4.3 GFLOP", "",
              operations},
    Statement{"E43", Kind::device, "Networks have 61, 11, 3.4, 6.1, 4.4 and 43.2 M parameters", "",
              parameters},
};

}  // namespace

std::span<const Statement> network_statements() {
  return network_constants_all;
}

}  // namespace jostle::analyses
