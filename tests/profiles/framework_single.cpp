// PyTorch's kernels in single precision, held to those of an H200: one by one, their times and their blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/framework_launches.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using dnn::LaunchKind;
using dnn::Precision;

// The kernels of a kind: their number, their time, and that times the share of SMs with a block.
struct Sum {
  double kernels = 0, us = 0, sms_us = 0;
};
using Kinds = std::map<std::string, Sum>;
using Graph = std::tuple<std::string, Precision, int>;

const std::map<Graph, Kinds>& measured() {
  static const std::map<Graph, Kinds> all = [] {
    const char* const file = "evidence/h200-random/kinds.csv";
    const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
    std::map<Graph, Kinds> found;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const input::CsvTable::Row row = table.row(i);
      const auto number = [&](const char* column) { return row.number(table.column(column)); };
      const double us = number("duration_us");
      found[{row.text(table.column("model")), *dnn::parse_precision(row.text(table.column("precision"))),
             static_cast<int>(number("batch"))}][row.text(table.column("kind"))] = {number("kernels"), us,
                                                                                    us * number("sms")};
    }
    return found;
  }();
  return all;
}

gpu::Spec hopper() {
  return shipped_base_profile("nvidia-h200").profile.spec->gpu;
}

Kinds predicted(const Graph& graph) {
  const auto& [name, precision, batch] = graph;
  const dnn::Model& model = *dnn::find_model(name);
  const auto network = dnn::built_network(model, model.family == "fcn" ? 224 : model.default_input);
  const gpu::Spec gpu = hopper();
  const std::vector<dnn::Launch> launches = dnn::launches_of(*network, batch, precision);
  const std::vector<gpu::Kernel> kernels =
      dnn::framework_kernels(*network, batch, precision, gpu).sequence.kernels;
  Kinds found;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Sum& sum = found[std::string(to_string(launches[i].kind))];
    const double us = sim::to_seconds(kernels[i].duration) * 1e6;
    ++sum.kernels;
    sum.us += us;
    sum.sms_us += us * std::min(1.0, static_cast<double>(kernels[i].blocks) / gpu.sm_count);
  }
  return found;
}

Sum total(const Kinds& kinds) {
  Sum all;
  for (const auto& [kind, sum] : kinds) {
    if (kind == "fill") continue;  // is not in the evidence
    all.kernels += sum.kernels;
    all.us += sum.us;
    all.sms_us += sum.sms_us;
  }
  return all;
}

std::string name_of(const Graph& graph) {
  const auto& [name, precision, batch] = graph;
  return name + " " + std::string(to_string(precision)) + " b" + std::to_string(batch);
}

TEST(FrameworkSingle, has_a_launch_for_each_kernel_of_the_card) {
  for (const auto& [graph, kinds] : measured()) {
    // Its linear attention has transposes that are views for PyTorch and copies here.
    if (std::get<0>(graph) == "efficientvit_b1") continue;
    // Small convolutions in tf32 do without some of the layouts.
    const bool turns = std::get<1>(graph) == Precision::tf32;
    const double theirs = total(kinds).kernels;
    EXPECT_NEAR(total(predicted(graph)).kernels, theirs, turns ? 12 : 2) << name_of(graph);
  }
  EXPECT_EQ(measured().size(), 56U);
}

TEST(FrameworkSingle, gives_each_kind_its_time_by_precision) {
  std::map<std::pair<std::string, Precision>, Sum> ours, theirs;
  for (const auto& [graph, kinds] : measured()) {
    const Precision precision = std::get<1>(graph);
    for (const auto& [kind, sum] : kinds) theirs[{kind, precision}].us += sum.us;
    for (const auto& [kind, sum] : predicted(graph)) ours[{kind, precision}].us += sum.us;
  }
  int compared = 0;
  for (const auto& [key, sum] : theirs) {
    constexpr double enough_us = 400;
    if (sum.us < enough_us) continue;
    // One number for all shapes; half of the others' time is of kernels that have another tile for some
    // shapes.
    const bool rough = key.first == "fourier_conv" || key.first == "grouped";
    EXPECT_NEAR(ours[key].us / sum.us, 1, rough ? 0.25 : 0.15)
        << key.first << " " << to_string(key.second) << " of " << sum.us << " us";
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

TEST(FrameworkSingle, gives_each_network_its_time) {
  std::map<Precision, std::vector<double>> errors;
  for (const auto& [graph, kinds] : measured()) {
    const double error = total(predicted(graph)).us / total(kinds).us - 1;
    errors[std::get<1>(graph)].push_back(std::abs(error));
    EXPECT_NEAR(error, 0, 0.2) << name_of(graph);
  }
  for (const auto& [precision, of] : errors) {
    double mean = 0;
    for (const double error : of) mean += error / static_cast<double>(of.size());
    EXPECT_LE(mean, 0.05) << to_string(precision);
  }
}

TEST(FrameworkSingle, holds_as_many_sms_as_the_kernels_of_the_card) {
  double mean = 0;
  for (const auto& [graph, kinds] : measured()) {
    const Sum ours = total(predicted(graph)), theirs = total(kinds);
    const double error = ours.sms_us / ours.us - theirs.sms_us / theirs.us;
    EXPECT_NEAR(error, 0, 0.25) << name_of(graph);
    mean += std::abs(error) / static_cast<double>(measured().size());
  }
  EXPECT_LE(mean, 0.08);
}

std::vector<dnn::Launch> launches(const char* model, Precision precision, int batch) {
  return dnn::launches_of(*dnn::built_network(*dnn::find_model(model), 224), batch, precision);
}

std::ptrdiff_t count(const std::vector<dnn::Launch>& launches, LaunchKind kind) {
  return std::ranges::count(launches, kind, &dnn::Launch::kind);
}

TEST(FrameworkSingle, turns_no_layouts_around_convolutions_in_fp32) {
  EXPECT_EQ(count(launches("resnet34", Precision::fp32, 1), LaunchKind::layout), 0);
  EXPECT_GT(count(launches("resnet34", Precision::tf32, 1), LaunchKind::layout), 0);
}

TEST(FrameworkSingle, takes_the_kernel_of_a_1_x_1_convolution_that_its_planes_allow) {
  EXPECT_EQ(count(launches("resnet50", Precision::fp32, 1), LaunchKind::gemm), 0)
      << "the only Linear is a vector";
  const std::vector<dnn::Launch> tf32 = launches("resnet50", Precision::tf32, 16);
  EXPECT_EQ(count(tf32, LaunchKind::planar_odd), 5) << "of 7 x 7";
  EXPECT_GT(count(tf32, LaunchKind::planar), 25);
  EXPECT_EQ(count(tf32, LaunchKind::gemm), 1);
}

TEST(FrameworkSingle, leaves_rows_of_channels_as_they_are) {
  const std::vector<dnn::Launch> tf32 = launches("convnext_tiny", Precision::tf32, 32);
  EXPECT_EQ(count(tf32, LaunchKind::depthwise_rows), 18);
  EXPECT_EQ(count(tf32, LaunchKind::depthwise_planar), 0);
  EXPECT_EQ(count(tf32, LaunchKind::layout), 0);
}

TEST(FrameworkSingle, transforms_convolutions_of_large_batches_in_fp32) {
  EXPECT_EQ(count(launches("vgg16", Precision::fp32, 32), LaunchKind::fourier_conv), 8);
  EXPECT_EQ(count(launches("vgg16", Precision::fp32, 16), LaunchKind::fourier_conv), 0);
}

TEST(FrameworkSingle, takes_the_kernel_of_a_grouped_convolution_that_groups_and_batch_allow) {
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::fp32, 8), LaunchKind::grouped_each), 16);
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::fp32, 1), LaunchKind::grouped_direct), 13)
      << "but of 32";
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::tf32, 8), LaunchKind::grouped), 16);
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::tf32, 2), LaunchKind::grouped_direct), 3) << "of 4";
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::tf32, 8), LaunchKind::transform), 0);
  EXPECT_EQ(count(launches("regnet_y_3_2gf", Precision::tf32, 32), LaunchKind::transform), 21)
      << "groups of 24";
  EXPECT_EQ(count(launches("resnext50_32x4d", Precision::fp16, 1), LaunchKind::transform), 0);
  EXPECT_GT(count(launches("regnet_y_3_2gf", Precision::fp16, 1), LaunchKind::transform), 0);
}

// A Linear of 4096 by 9216 for one image: weights of 151 MB come at 4 TB/s, where those of 1000 rows come
// at 1.6.
TEST(FrameworkSingle, loads_many_rows_of_weights_at_the_bandwidth_of_the_card) {
  const auto network = dnn::built_network(*dnn::find_model("alexnet"), 224);
  const std::vector<dnn::Launch> found = dnn::launches_of(*network, 1, Precision::tf32);
  const auto first = std::ranges::find(found, LaunchKind::vector, &dnn::Launch::kind);
  const gpu::Kernel kernel = dnn::framework_kernels(*network, 1, Precision::tf32, hopper())
                                 .sequence.kernels.at(static_cast<std::size_t>(first - found.begin()));
  EXPECT_NEAR(4.0 * first->weights / sim::to_seconds(kernel.duration) / 1e12, 3.1, 0.4);
}

// 197 queries and keys of 3 heads, by tiles of 64: 12 blocks, 27.4 us on an H200.
TEST(FrameworkSingle, runs_attention_by_tiles_alike_in_fp32_and_tf32) {
  for (const Precision precision : {Precision::fp32, Precision::tf32}) {
    const auto network = dnn::built_network(*dnn::find_model("deit_tiny"), 224);
    const std::vector<dnn::Launch> found = dnn::launches_of(*network, 1, precision);
    EXPECT_EQ(count(found, LaunchKind::tiled_attention), 12);
    EXPECT_EQ(count(found, LaunchKind::attention) + count(found, LaunchKind::fill), 0);
    const auto first = std::ranges::find(found, LaunchKind::tiled_attention, &dnn::Launch::kind);
    const gpu::Kernel kernel = dnn::framework_kernels(*network, 1, precision, hopper())
                                   .sequence.kernels.at(static_cast<std::size_t>(first - found.begin()));
    EXPECT_EQ(kernel.blocks, 12U);
    EXPECT_NEAR(sim::to_seconds(kernel.duration) * 1e6, 27.4, 1.4);
  }
  EXPECT_EQ(count(launches("deit_tiny", Precision::fp16, 1), LaunchKind::attention), 12);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
