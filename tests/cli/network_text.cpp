// A network shown as a table, as data and as a graph.
#include "cli/show/network_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/terminal/terminal.hpp"
#include "input/csv.hpp"
#include "models/dnn/graph/boost_graph.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

NamedNetwork built_in(std::string_view name) {
  const dnn::Model& model = *dnn::find_model(name);
  return {std::string(name), std::string(model.description), model.build(model.default_input)};
}

// A network whose names are as unkind as those in a file can be.
NamedNetwork unkind() {
  dnn::Network network;
  const auto input = network.add({.name = "a\"b\\c\n\xff,d", .in = {3, 8, 8}, .out = {3, 8, 8}}, {});
  (void)network.add({.name = "\x1b[31m", .op = dnn::Op::softmax, .in = {3, 8, 8}, .out = {3, 8, 8}},
                    std::array{input});
  return {"\"file\".onnx", "", std::move(network)};
}

TEST(NetworkText, a_table_has_a_row_a_layer_and_the_totals_of_the_batch) {
  const std::string text = network_table(built_in("resnet50"), 8, Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("resnet50: input 3×224×224, batch 8\nResNet-50\n"));
  EXPECT_THAT(text,
              ContainsRegex("\n *1 +conv1 +conv +3×224×224 +64×112×112 +7×7 /2 +944.11 +9408 +6422.5\n"));
  EXPECT_THAT(text, ContainsRegex("\nparameters +25.557 +M\n"));                 // torchvision
  EXPECT_THAT(text, ContainsRegex("\noperations +65.427 +GFLOP\n"));             // 8 x 2 x 4.089
  EXPECT_THAT(text, ContainsRegex("\nactivations moved +227.238 +M elements"));  // 8 x 28.40
}

TEST(NetworkText, a_table_fits_a_narrow_terminal) {
  for (const dnn::Model& model : dnn::models()) {
    std::istringstream text(network_table(built_in(model.name), 1, 60, false));
    for (std::string line; std::getline(text, line);) EXPECT_LE(display_width(line), 60U) << line;
  }
}

TEST(NetworkText, windows_say_how_they_slide) {
  EXPECT_EQ(window_text({.op = dnn::Op::conv, .window = 3}), "3×3");
  EXPECT_EQ(window_text({.op = dnn::Op::conv, .window = 1, .window_width = 7, .stride = 2}), "1×7 /2");
  EXPECT_EQ(window_text({.op = dnn::Op::max_pool, .window = 3, .dilation = 4}), "3×3 ·4");
  EXPECT_EQ(window_text({.op = dnn::Op::linear}), "");
}

TEST(NetworkText, json_and_csv_tell_of_every_layer_and_agree) {
  const NamedNetwork shown = built_in("yolov8n");
  const std::string line = network_json(shown, 2);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["schema"], "jostle.network/1");
  EXPECT_EQ(json["parameters"], 3'157'200);
  EXPECT_EQ(json["macs"], 2 * shown.network.macs());
  const auto table = input::CsvTable::parse(network_csv(shown, 2), "csv");
  ASSERT_EQ(json["layers"].size(), shown.network.size());
  ASSERT_EQ(table.rows(), shown.network.size());
  std::int64_t macs = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto& layer = json["layers"][i];
    EXPECT_EQ(table.row(i).text(table.column("name")), layer["name"].get<std::string>());
    EXPECT_EQ(table.row(i).integer(table.column("macs")), layer["macs"]);
    EXPECT_EQ(table.row(i).integer(table.column("activation_elements")), layer["activation_elements"]);
    macs += layer["macs"].get<std::int64_t>();
  }
  EXPECT_EQ(macs, 2 * shown.network.macs());
}

TEST(NetworkText, a_table_ends_with_where_the_network_may_be_cut) {
  const std::string text = network_table(built_in("resnet50"), 1, 100, false);
  EXPECT_THAT(text, HasSubstr("TensorRT fuses them to 56 layers."));
  EXPECT_THAT(text, HasSubstr("    55  average_pool                2.0\n"));
  EXPECT_THAT(network_table(built_in("bert_tiny"), 1, 100, false), Not(HasSubstr("Partition points")));
}

TEST(NetworkText, a_graph_has_a_node_a_layer_and_an_edge_an_input) {
  const NamedNetwork shown = built_in("resnet18");
  const std::string text = network_graphviz(shown);
  EXPECT_THAT(text, testing::StartsWith("digraph"));
  EXPECT_THAT(text, HasSubstr("1[label=\"conv1\\nconv 7×7 /2\\n64×112×112\""));
  std::size_t edges = 0;
  for (std::size_t at = 0; (at = text.find("->", at)) != std::string::npos; ++at) ++edges;
  EXPECT_EQ(edges, boost::num_edges(dnn::boost_graph(shown.network)));
}

TEST(NetworkText, names_that_would_break_out_of_their_form_do_not) {
  const NamedNetwork shown = unkind();
  for (const std::string& text : {network_table(shown, 1, 100, false), network_json(shown, 1),
                                  network_csv(shown, 1), network_graphviz(shown)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }
  EXPECT_EQ(nlohmann::json::parse(network_json(shown, 1))["layers"].size(), 2U);
  EXPECT_EQ(input::CsvTable::parse(network_csv(shown, 1), "csv").rows(), 2U);
  EXPECT_THAT(network_graphviz(shown), HasSubstr("label=\"\\\"file\\\".onnx\";"));
}

TEST(NetworkText, a_batch_beyond_counting_is_refused) {
  EXPECT_THROW((void)totals_of(built_in("yolov8x").network, INT64_MAX / 2), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
