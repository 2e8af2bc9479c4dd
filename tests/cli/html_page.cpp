// The page holds its data whole, and nothing in the data can end the element that holds it.
#include "cli/page/html_page.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/laboratory/laboratory.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using Json = nlohmann::ordered_json;

Json data_of(const std::string& page) {
  constexpr std::string_view open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.rfind(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlPage, tells_kind_title_and_version) {
  const Json data = data_of(html_page("run", "a < b", {{"runs", Json::array()}}));
  EXPECT_EQ(data.at("schema"), "jostle.report/1");
  EXPECT_EQ(data.at("kind"), "run");
  EXPECT_EQ(data.at("title"), "a < b");
  EXPECT_EQ(data.at("runs"), Json::array());
}

RC_GTEST_PROP(HtmlPage, data_comes_back_whatever_it_holds, (const std::string& tail)) {
  std::string text = "</script><!--" + tail;
  for (char& c : text) c = static_cast<char>(c & 0x7f);  // other bytes are replaced, as they are no UTF-8
  RC_ASSERT(data_of(html_page("run", "t", {{"text", text}})).at("text") == text);
}

TEST(HtmlPage, lines_become_a_list) {
  EXPECT_EQ(json_lines("{\"a\":1}\n{\"a\":2}\n"), Json::parse(R"([{"a":1},{"a":2}])"));
}

TEST(HtmlPage, figures_keep_six_digits) {
  EXPECT_EQ(rounded(123456.789), 123457);
  EXPECT_EQ(rounded(-0.00012345678), -0.000123457);
  EXPECT_EQ(rounded(0), 0);
}

// The page of a study: its points as columns of equal length.
class StudyPage : public testing::Test {
 protected:
  StudyPage() { std::filesystem::create_directories(directory_); }
  ~StudyPage() override { std::filesystem::remove_all(directory_); }

  Json swept(const char* study) const {
    const std::string in = (directory_ / "study.yaml").string(), out = (directory_ / "page.html").string();
    std::ofstream(in) << study;
    std::vector<const char*> words{"jostle", "sweep", in.c_str(), "--html", out.c_str()};
    testing::internal::CaptureStderr();
    EXPECT_EQ(command_line(static_cast<int>(words.size()), words.data(), {}, laboratory()), 0);
    testing::internal::GetCapturedStderr();
    std::ostringstream page;
    page << std::ifstream(out).rdbuf();
    return data_of(page.str());
  }

  std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("jostle_page_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(StudyPage, has_a_column_for_each_dimension_and_figure) {
  const Json data = swept(
      "scenario: {name: pairs, device: jetson-orin-nano, power_cap: {budget: 9 W},"
      " processes: [{model: resnet50, precision: fp16}], run: {duration: 200 ms}}\n"
      "sweep: {processes.0.batch: [1, 2], processes.0.count: [1, 2, 3]}\n"
      "constraints: {system.power_w: {max: 8 W}}\n");
  EXPECT_EQ(data.at("title"), "pairs");
  EXPECT_EQ(data.at("study").at("dimensions"), Json::parse(R"([["batch"],["count"]])"));
  EXPECT_EQ(data.at("study").at("power_limit_w"), 8.0);
  for (const auto& [name, values] : data.at("points").items()) EXPECT_EQ(values.size(), 6U) << name;
  const Json& points = data.at("points");
  EXPECT_EQ(points.at("batch"), Json::parse("[1,1,1,2,2,2]"));
  EXPECT_EQ(points.at("power_cap_w"), Json::parse("[9.0,9.0,9.0,9.0,9.0,9.0]"));
  for (const char* const name : {"throughput", "ec_launch_ms", "sync_ms", "sm_active", "mean_gpu_mhz"})
    for (const Json& value : points.at(name)) EXPECT_GT(value.get<double>(), 0) << name;
  EXPECT_TRUE(data.at("cdfs").is_null());
  EXPECT_TRUE(data.at("governors").is_null());
}

TEST_F(StudyPage, has_the_distributions_that_the_scenario_asks_for) {
  const Json data = swept(
      "scenario: {device: jetson-orin-nano, gpu_metrics: 1 ms,"
      " processes: [{model: resnet50, precision: fp16}], run: {duration: 200 ms}}\n"
      "sweep: {processes.0.batch: [1, 2]}\n");
  EXPECT_EQ(data.at("cdfs").at("interval_us"), 1000.0);
  for (const char* const metric : {"sm_active", "issue_slot", "tensor_active"}) {
    ASSERT_EQ(data.at("cdfs").at(metric).size(), 2U);
    EXPECT_EQ(data.at("cdfs").at(metric).at(0).size(), 101U);
    EXPECT_EQ(data.at("cdfs").at(metric).at(0).at(100), 1.0);
  }
}

TEST_F(StudyPage, of_both_clocks_has_what_governors_do_with_the_same_work) {
  const Json data = swept(
      "scenario: {device: jetson-nano, processes: [{model: resnet18, precision: fp32}], run: {duration: 1 "
      "s}}\n"
      "sweep: {processes.0.batch: [1, 4], clocks.cpu: [710.4 MHz, 1479 MHz], clocks.gpu: [307.2 MHz, 921.6 "
      "MHz]}\n");
  EXPECT_EQ(data.at("points").at("batch").size(), 8U);
  EXPECT_EQ(data.at("governors").at("batch"), Json::parse("[1,4]"));
  EXPECT_FALSE(data.at("governors").contains("gpu_mhz"));
  for (const Json& clock : data.at("governors").at("mean_gpu_mhz")) EXPECT_GT(clock.get<double>(), 307.2);
}

TEST_F(StudyPage, has_no_governors_where_the_scenario_leaves_them_nothing_to_choose) {
  for (const char* const clocks : {"clocks: {gpu: 307.2 MHz}", "jetson_clocks: true"}) {
    const std::string study =
        std::string("scenario: {device: jetson-nano, ") + clocks +
        ", processes: [{model: resnet18, precision: fp32}], run: {duration: 100 ms}}\n"
        "sweep: {clocks.cpu: [710.4 MHz, 1479 MHz], clocks.gpu: [307.2 MHz, 921.6 MHz]}\n";
    EXPECT_TRUE(swept(study.c_str()).at("governors").is_null()) << clocks;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
