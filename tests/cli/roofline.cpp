// Rooflines on paper: tables that fit, rows that add up, labels that do not cover each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/roofline/text.hpp"
#include "cli/terminal/terminal.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

analyses::RooflineAnswer answer(bool power, std::size_t modes = 3) {
  analyses::RooflineAnswer answer;
  answer.device = "a board";
  answer.precision = answer.computed = "fp16";
  answer.tensor_cores = true;
  answer.batch = 8;
  answer.runtime = "tensorrt";
  answer.power_known = power;
  for (std::size_t i = 0; i < modes; ++i) {
    analyses::ModeRoofline mode;
    mode.mode = "20W_" + std::to_string(i) + "CORE";
    mode.gpu_hz = 1300.5e6 / static_cast<double>(i + 1);
    mode.emc_hz = 3199e6;
    mode.sms = 16;
    mode.roofs = {.flop_per_s = 42.6e12 / static_cast<double>(i + 1), .bytes_per_s = 180e9, .energy = {}};
    if (power)
      mode.roofs.energy = {.operation_j = 0.2e-12,
                           .byte_j = 86e-12,
                           .sm_operation_j = 0.3e-12,
                           .sm_byte_j = 70e-12,
                           .idle_w = 8.4,
                           .busy_w = 0.7};
    for (const char* name : {"resnet50", "mobilenet_v2", "fcn_resnet50"}) {
      analyses::PlacedNetwork network;
      network.model = name;
      network.flop = 1e9 * static_cast<double>(mode.networks.size() + 1);
      network.bytes = 2e7;
      network.seconds = 3e-4 * static_cast<double>(i + 1);
      if (power) network.joules = 5e-3;
      network.grade = "datasheet";
      mode.networks.push_back(network);
    }
    answer.modes.push_back(mode);
  }
  answer.modes[0].networks[2].problem = "does not fit into memory";
  return answer;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) most = std::max(most, display_width(line));
  return most;
}

TEST(RooflineTable, fits_sixty_columns) {
  for (const bool power : {true, false}) EXPECT_LE(widest(roofline_table(answer(power), 60, false)), 60U);
}

TEST(RooflineTable, says_that_energy_is_not_known) {
  EXPECT_THAT(roofline_table(answer(false), 80, false), HasSubstr("the profile has no power section"));
  EXPECT_THAT(roofline_table(answer(false), 80, false), Not(HasSubstr("GFLOP/J")));
  EXPECT_THAT(roofline_table(answer(true), 80, false), HasSubstr("GFLOP/J"));
}

TEST(RooflineTable, names_what_is_not_there) {
  EXPECT_THAT(roofline_table(answer(true), 60, false),
              HasSubstr("fcn_resnet50 in 20W_0CORE: does not fit into memory"));
}

TEST(RooflineCsv, has_a_row_for_each_intensity_and_each_network_that_fits) {
  const std::string csv = roofline_csv(answer(true));
  const auto lines = std::ranges::count(csv, '\n');
  EXPECT_EQ(lines, 1 + 3 * static_cast<std::ptrdiff_t>(listed_intensities().size()) + 3 * 3 - 1);
  std::istringstream rows(csv);
  std::string header, row;
  std::getline(rows, header);
  while (std::getline(rows, row))
    EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(header, ',')) << row;
}

TEST(RooflineJson, is_one_line_with_nulls_for_what_is_not_known) {
  const std::string text = roofline_json(answer(false));
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["schema"], "jostle.roofline/1");
  EXPECT_TRUE(json["modes"][0]["energy"].is_null());
  EXPECT_TRUE(json["modes"][0]["roof"][0]["flop_per_j"].is_null());
  EXPECT_EQ(json["modes"][0]["networks"][2]["problem"], "does not fit into memory");
  const auto known = nlohmann::json::parse(roofline_json(answer(true)));
  EXPECT_GT(known["modes"][1]["energy"]["balance_flop_per_byte"], 0);
  EXPECT_EQ(known["modes"][1]["networks"].size(), 3U);
}

TEST(Digits, are_three_and_never_an_exponent) {
  EXPECT_EQ(digits(42615.2), "42615");
  EXPECT_EQ(digits(100), "100");
  EXPECT_EQ(digits(12.345), "12.3");
  EXPECT_EQ(digits(0.04513), "0.0451");
  EXPECT_EQ(digits(0), "0");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
