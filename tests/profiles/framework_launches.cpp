// PyTorch's kernels: the lowering has as many of each operator as the profiler counted, and its laws are
// those of the evidence.
#include "models/dnn/framework_launches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/built_network.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

using dnn::LaunchKind;

std::string operator_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::gemm:
    case LaunchKind::conv:
    case LaunchKind::first_conv:
    case LaunchKind::batched:
    case LaunchKind::planar:
    case LaunchKind::planar_odd:
    case LaunchKind::large_conv:
    case LaunchKind::fourier_conv:
    case LaunchKind::grouped:
    case LaunchKind::grouped_direct:
    case LaunchKind::grouped_each:
    case LaunchKind::vector:
      return "product";
    case LaunchKind::depthwise:
    case LaunchKind::depthwise_many:
    case LaunchKind::depthwise_planar:
    case LaunchKind::depthwise_rows:
      return "depthwise";
    case LaunchKind::batch_norm:
    case LaunchKind::batch_norm_planar:
    case LaunchKind::layer_norm:
      return "norm";
    case LaunchKind::pointwise:
    case LaunchKind::curve:
    case LaunchKind::strided:
      return "pointwise";
    case LaunchKind::copy:
    case LaunchKind::concat:
    case LaunchKind::gather:
      return "copy";
    case LaunchKind::layout:
    case LaunchKind::transform:
      return "layout";
    case LaunchKind::max_pool:
    case LaunchKind::max_pool_planar:
    case LaunchKind::average_pool:
    case LaunchKind::reduce:
      return "pool";
    case LaunchKind::resize_point:
      return "resize";
    case LaunchKind::split:
    case LaunchKind::fill:
      return "auxiliary";
    default:
      return std::string(to_string(kind));
  }
}

using Counts = std::map<std::string, int>;

std::map<std::tuple<std::string, std::string, int>, Counts> measured() {
  const auto table = input::CsvTable::parse(
      calibration::evidence_file("evidence/h100-nets/counts.csv").value_or(""), "counts.csv");
  std::map<std::tuple<std::string, std::string, int>, Counts> found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    found[{row.text(table.column("model")), row.text(table.column("precision")),
           static_cast<int>(row.number(table.column("batch")))}][row.text(table.column("operator"))] =
        static_cast<int>(row.number(table.column("kernels")));
  }
  return found;
}

Counts lowered(const std::string& model, dnn::Precision precision, int batch) {
  const dnn::Model& known = *dnn::find_model(model);
  Counts found;
  for (const dnn::Launch& launch :
       launches_of(*built_network(known, known.family == "bert" ? 128 : 224), batch, precision))
    ++found[operator_of(launch.kind)];
  return found;
}

// Within 5 % of the measured number, or two kernels where there are few.
void expect_near(const Counts& ours, const Counts& theirs, const std::string& what) {
  for (const auto& [name, count] : theirs) {
    if (name == "auxiliary") continue;  // cuDNN clears workspaces where it likes
    const auto found = ours.find(name);
    EXPECT_LE(std::abs((found == ours.end() ? 0 : found->second) - count), std::max(2.0, 0.05 * count))
        << what << ", " << name;
  }
  for (const auto& [name, count] : ours) EXPECT_TRUE(count <= 2 || theirs.contains(name)) << what << name;
}

TEST(FrameworkLaunches, of_a_graph_of_bert_have_attention_in_the_steps_that_the_profiler_counted) {
  const char* const file = "evidence/h100-nets/bert_graph.csv";
  const input::CsvTable table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  int compared = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const auto precision = dnn::parse_precision(row.text(table.column("precision")));
    if (row.text(table.column("kernel")) != "all kernels" || precision != dnn::Precision::fp16) continue;
    const dnn::Model& model = *dnn::find_model(row.text(table.column("model")));
    const bool graph = row.text(table.column("kernels_of")) == "graph";
    const auto ours =
        dnn::launches_of(*dnn::built_network(model, static_cast<int>(row.number(table.column("tokens")))),
                         static_cast<std::int64_t>(row.number(table.column("batch"))), *precision,
                         dnn::attention_of(model, graph));
    const double theirs = row.number(table.column("count"));
    EXPECT_NEAR(static_cast<double>(ours.size()), theirs, 0.08 * theirs)
        << model.name << (graph ? " graph" : "");
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST(FrameworkLaunches, of_half_precision_are_as_many_of_each_operator_as_the_profiler_counted) {
  int tables = 0;
  for (const auto& [key, counts] : measured()) {
    const auto& [name, precision, batch] = key;
    if (precision != "fp16" || batch > 16) continue;
    const std::string model(dnn::catalogue_name(name));
    Counts theirs = counts, ours = lowered(model, dnn::Precision::fp16, batch);
    // Two of its depthwise kernels at 16 images clear a workspace first.
    if (model == "efficientnet_b0" && batch == 16) theirs["depthwise"] -= 4;
    // torchvision concatenates also the only input of a block's first layer, which copies it.
    if (model == "densenet121") theirs["copy"] -= 4;
    expect_near(ours, theirs, name + " at batch " + std::to_string(batch));
    ++tables;
  }
  EXPECT_EQ(tables, 42);
}

TEST(FrameworkLaunches, of_full_precision_are_as_many_in_total_as_the_profiler_counted) {
  for (const auto& [key, counts] : measured()) {
    const auto& [model, precision, batch] = key;
    if (precision != "tf32" || batch > 16) continue;
    int ours = 0, theirs = 0;
    for (const auto& [name, count] : lowered(model, dnn::Precision::tf32, batch))
      if (name != "auxiliary") ours += count;
    for (const auto& [name, count] : counts)
      if (name != "auxiliary") theirs += count;
    EXPECT_NEAR(ours, theirs, 0.075 * theirs) << model << " at batch " << batch;
  }
}

TEST(FrameworkLaunches, have_the_laws_that_were_fitted_to_all_families) {
  std::size_t rows = 0;
  for (const char* const file : {"evidence/h100-nets/laws.csv", "evidence/h200-random/laws.csv"}) {
    const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const input::CsvTable::Row row = table.row(i);
      if (!row.text(table.column("left_out")).empty()) continue;
      const dnn::LawOf& ours = dnn::framework_laws()[rows++];
      const auto number = [&](const char* column) { return row.number(table.column(column)); };
      EXPECT_EQ(to_string(ours.kind), row.text(table.column("kind")));
      EXPECT_EQ(ours.precision, dnn::parse_precision(row.text(table.column("precision"))));
      EXPECT_EQ(ours.law, (dnn::Law{number("start_us"), number("per_step"), number("per_work"),
                                    number("per_mb"), number("per_cold_mb")}))
          << to_string(ours.kind);
    }
  }
  EXPECT_EQ(rows, dnn::framework_laws().size());
}

gpu::KernelSequence on(const char* device, const char* model, dnn::Lowering lowering) {
  return dnn::kernels_for(
      {.model = model, .precision = dnn::Precision::fp16, .batch = 4, .lowering = lowering}, {},
      shipped_base_profile(device).profile.spec->gpu);
}

TEST(FrameworkLaunches, are_those_of_hopper_and_of_frameworks_alone) {
  EXPECT_EQ(on("nvidia-h100", "mobilenet_v3_large", dnn::Lowering::framework).kernels.size(), 293U);
  EXPECT_EQ(on("nvidia-h200", "mobilenet_v3_large", dnn::Lowering::framework).kernels.size(), 293U);
  EXPECT_EQ(on("nvidia-a40", "mobilenet_v3_large", dnn::Lowering::framework).kernels.size(), 185U);
  EXPECT_LT(on("nvidia-h100", "mobilenet_v3_large", dnn::Lowering::optimised).kernels.size(), 120U);
}

TEST(FrameworkLaunches, take_less_time_where_the_memory_is_faster) {
  const auto time = [](const char* device) {
    return on(device, "densenet121", dnn::Lowering::framework).total();
  };
  EXPECT_LT(time("nvidia-h200"), time("nvidia-h100"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
