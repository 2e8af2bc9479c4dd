// The operators that PyTorch's host is asked for, against a profiler's counts of built-in networks.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_launches.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

constexpr const char* file = "evidence/h200-host/networks.csv";

struct Counted {
  std::string name;
  dnn::Precision precision = dnn::Precision::fp16;
  double launching = 0, views = 0, kernels = 0;  // counted
  gpu::Operators operators = {};
  double launches = 0;
};

// Those of the file's networks that are built in.
std::vector<Counted> counted() {
  const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  std::vector<Counted> found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto row = table.row(i);
    const auto number = [&](const char* column) { return row.number(table.column(column)); };
    const dnn::Model* const model = dnn::find_model(dnn::catalogue_name(row.view(table.column("network"))));
    // timm's FastViT was counted with the branches of training, which the network here has merged.
    if (model == nullptr || model->name == "fastvit_t8") continue;
    Counted one{.name = row.text(table.column("network")) + " " + row.text(table.column("precision")),
                .precision = dnn::parse_precision(row.view(table.column("precision"))).value(),
                .launching = number("launching"),
                .views = number("views"),
                .kernels = number("kernels")};
    const auto network = dnn::built_network(*model, model->default_input);
    const auto launches = dnn::launches_of(*network, 1, one.precision);
    one.operators = dnn::operators_of(*network, launches);
    one.launches = static_cast<double>(launches.size());
    found.push_back(one);
  }
  return found;
}

TEST(FrameworkOperators, that_launch_are_counted_within_five_percent_in_every_built_in_network) {
  const auto networks = counted();
  ASSERT_GE(networks.size(), 30U);
  for (const Counted& one : networks)
    EXPECT_NEAR(one.operators.launching / one.launching, 1, 0.051)
        << one.name << ": " << one.operators.launching << " of " << one.launching;
}

TEST(FrameworkOperators, that_launch_nothing_are_counted_within_a_tenth_of_the_operators) {
  for (const Counted& one : counted())
    EXPECT_LE(std::abs(one.operators.views - one.views), 3 + 0.1 * (one.launching + one.views))
        << one.name << ": " << one.operators.views << " of " << one.views;
}

TEST(FrameworkOperators, have_at_least_a_launch_each) {
  for (const Counted& one : counted()) EXPECT_LE(one.operators.launching, one.launches) << one.name;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
