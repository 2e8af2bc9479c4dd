// What all imports share: files and gzip, telling formats apart, rows of evidence, boards that cannot be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include "calibration/logs/log_text.hpp"
#include "calibration/logs/run_logs.hpp"
#include "calibration/logs/wrong_device.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/calibration/readers_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::vector<std::string> lines_of(const std::string& bytes) {
  const auto source = Source::of_text(bytes, "x");
  std::vector<std::string> lines;
  std::string_view line;
  while (source->next_line(line)) lines.emplace_back(line);
  return lines;
}

RC_GTEST_PROP(LogSource, LinesAreThoseOfTheText,
              (const std::vector<std::string>& words, bool windows, bool packed)) {
  std::vector<std::string> expected;
  std::string text;
  for (std::string word : words) {
    std::erase_if(word, [](char c) { return c == '\n' || c == '\r' || c == '\x1b'; });  // escapes colour
    text += word + (windows ? "\r\n" : "\n");
    expected.push_back(word);
  }
  RC_ASSERT(lines_of(packed ? gzip(text) : text) == expected);
}

TEST(LogSource, LinesOfAnyLengthUpToTheLimitAreWhole) {
  // Across the pieces in which a file is read.
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 40; ++i) {
    expected.emplace_back(i * 26'000, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  text.pop_back();
  EXPECT_TRUE(lines_of(text) == expected);
  EXPECT_TRUE(lines_of(gzip(text)) == expected);
}

TEST(LogSource, JoinedGzipIsReadAndCutGzipIsNot) {
  EXPECT_THAT(lines_of(gzip("a\n") + gzip("b\n")), ::testing::ElementsAre("a", "b"));
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("RAM {}\n", i * i);
  const std::string packed = gzip(text);
  const auto cut = Source::of_text(packed.substr(0, packed.size() / 2), "x");
  std::string_view line;
  while (cut->next_line(line)) {
  }
  EXPECT_EQ(cut->failure(), "the gzip data is truncated");
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x55;
  EXPECT_TRUE(import_text(damaged, "tegrastats").runs.empty());
}

RC_GTEST_PROP(LogText, FiguresAreWhatTheStandardReads, (std::int32_t digits)) {
  const int decimals = *rc::gen::inRange(0, 9);
  const std::string text = fmt::format("{:.{}f}", digits / 1000.0, decimals);
  RC_ASSERT(std::abs(parse_number(text).value() - std::stod(text)) <= 1e-15 * std::abs(std::stod(text)));
}

TEST(LogText, WhatIsNoFigureIsNone) {
  for (const char* const text : {"", ".", "x", "1x", "1e400", "nan", "inf", "-", "1.2.3", "1e16", "--1"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  EXPECT_EQ(parse_number("1.5e3"), 1500);
  EXPECT_EQ(parse_number("-2.5"), -2.5);
}

const std::string tegrastats =
    "RAM 2048/7620MB (lfb 9x4MB) SWAP 10/3810MB (cached 0MB) CPU [10%@1000,30%@2000,off,off,off,off] "
    "EMC_FREQ 5%@3199 "
    "GR3D_FREQ 40%@[1016] VDD_IN 6000mW/6000mW\n";

TEST(LogFormats, AFileOfAnotherFormatIsNamed) {
  EXPECT_THAT(import_text(tegrastats, "trtexec").problems,
              HasSubstr("my.log: not trtexec: it looks like tegrastats (log of tegrastats)"));
  EXPECT_THAT(import_text("hello\n").problems, HasSubstr("not a supported log format"));
  EXPECT_THAT(import_text("{\"hello\": 1}\n").problems, HasSubstr("JSON, but not in a supported format"));
  EXPECT_THAT(import_text("").problems, HasSubstr("the file is empty"));
  EXPECT_EQ(import_text(gzip(tegrastats)).value("power"), 6);
}

TEST(LogFormats, NamesAreFoundAndDistinct) {
  for (const Format& format : formats()) EXPECT_EQ(find_format(format.name), &format);
  EXPECT_EQ(find_format("auto"), nullptr);
}

// Bytes that are no text reach every reader.
RC_GTEST_PROP(LogFormats, GarbageIsAProblemNotACrash, (const std::string& bytes)) {
  for (const Format& format : formats()) {
    const Imported found = import_text(bytes, std::string(format.name));
    RC_ASSERT(found.runs.empty() != found.problems.empty());
  }
}

TEST(Evidence, RowsFitTheHeaderAndHoldWhatTheLogAndTheUserSay) {
  Imported found = import_text(tegrastats);
  input::Problems problems;
  const std::string text =
      evidence_header() +
      rows_of(found.runs, {"s1", "jetson-orin-nano", "15W", "resnet50", "int8", 8, {}, {}}, problems);
  EXPECT_TRUE(problems.empty());
  const input::CsvTable table = input::CsvTable::parse(text, "x");
  ASSERT_EQ(table.rows(), found.runs[0].rows.size());
  const auto row = table.row(0);
  EXPECT_EQ(row.text(table.column("run")), "s1");
  EXPECT_EQ(row.text(table.column("device")), "jetson-orin-nano");
  EXPECT_EQ(row.text(table.column("metric")), "ram");
  EXPECT_EQ(row.number(table.column("value")), 2048);
  EXPECT_EQ(row.integer(table.column("batch")), 8);
  EXPECT_EQ(row.text(table.column("source")), "my.log: tegrastats");
  EXPECT_EQ(row.text(table.column("pinned")), "");
}

// The columns of what ships, in its order, come first.
TEST(Evidence, TheHeaderBeginsAsThatOfTheShippedRuns) {
  EXPECT_TRUE(
      evidence_header().starts_with("run,device,power_mode,pinned,gpu_mhz,cpu_mhz,emc_mhz,cores,model,"
                                    "precision,batch,placement,dla_batch,metric,"
                                    "value,unit,source,"));
}

TEST(Evidence, ABatchThatTheLogContradictsIsRefused) {
  std::vector<Import> runs(1);
  runs[0].origin = "a/b.log";
  runs[0].setting.batch = 4;
  runs[0].rows.push_back({});
  input::Problems problems;
  (void)rows_of(runs, {"", "", "", "", "", 8, {}, {}}, problems);
  EXPECT_EQ(problems.text(), "a/b.log: the log has batch 4, but --batch 8 is given\n");
}

TEST(Evidence, TheBatchTurnsQueriesIntoImages) {
  std::vector<Import> runs(1);
  Measurement row;
  row.metric = "throughput";
  row.value = 100;
  row.unit = "queries/s";
  runs[0].rows.push_back(row);
  input::Problems problems;
  EXPECT_THAT(rows_of(runs, {"", "", "", "", "", 8, {}, {}}, problems),
              HasSubstr(",throughput,800,images/s,"));
}

TEST(Evidence, NamesOfTheLogCannotBreakARow) {
  std::vector<Import> runs(1);
  Measurement row;
  row.of = "a\"b,c\nd\r\x01";
  runs[0].rows.push_back(row);
  input::Problems problems;
  const input::CsvTable table = input::CsvTable::parse(evidence_header() + rows_of(runs, {}, problems), "x");
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.row(0).text(table.column("of")), "a\"b,c d  ");
}

TEST(WrongDevice, WhatALogKnowsOfItsBoardIsCompared) {
  const auto against = [](const char* name, const Setting& log) {
    input::Problems problems;
    return contradiction(log, *profiles::shipped_profile(name, problems).value().spec, name);
  };
  Setting orin;
  orin.gpu = "Orin";
  orin.compute_capability = "8.7";
  orin.sms = 8;
  orin.cores = 6;
  orin.memory_bytes = 7620.0 * 1024 * 1024;
  EXPECT_EQ(against("jetson-orin-nano", orin), "");
  EXPECT_EQ(against("jetson-orin-nano-super", orin), "");
  EXPECT_EQ(against("jetson-nano", orin), "its GPU, Orin, is of sm_87, but that of jetson-nano is of sm_53");
  EXPECT_THAT(against("raspberry-pi-3b", orin), HasSubstr("raspberry-pi-3b has no GPU"));
  Setting cores;
  cores.cores = 6;
  EXPECT_THAT(against("jetson-agx-orin-64gb", cores),
              HasSubstr("it has 6 CPU cores, but jetson-agx-orin-64gb has 12"));
  Setting memory;
  memory.memory_bytes = 4e9;
  EXPECT_THAT(against("jetson-orin-nano", memory), HasSubstr("4.0 GB of memory"));
  Setting sms;
  sms.sms = 16;
  EXPECT_THAT(against("jetson-orin-nano", sms), HasSubstr("16 SMs"));
  EXPECT_EQ(against("jetson-orin-nano", {}), "");
}

// H100 and H200 differ in nothing but their memory, and L40 from L4 in a digit.
TEST(WrongDevice, ACardIsKnownByItsNameAndItsNumberOfSms) {
  const auto against = [](const char* device, const char* name, std::int64_t sms) {
    Setting log;
    log.gpu = name;
    log.sms = sms;
    input::Problems problems;
    return contradiction(log, *profiles::shipped_profile(device, problems).value().spec, device);
  };
  EXPECT_EQ(against("nvidia-h100", "NVIDIA H100 80GB HBM3", 132), "");
  EXPECT_EQ(against("nvidia-a100-80gb", "A100-SXM4-80GB", 108), "");
  EXPECT_EQ(against("nvidia-h200", "NVIDIA H100 80GB HBM3", 132),
            "its GPU is NVIDIA H100 80GB HBM3, not that of nvidia-h200");
  EXPECT_THAT(against("nvidia-h200", "NVIDIA GH200 480GB", 132), HasSubstr("not that of nvidia-h200"));
  EXPECT_THAT(against("nvidia-l4", "NVIDIA L40", 58), HasSubstr("not that of nvidia-l4"));
  EXPECT_EQ(against("nvidia-h100", "NVIDIA H100 PCIe", 114),
            "its GPU has 114 SMs, but that of nvidia-h100 has 132");
  // A power mode turns some off.
  EXPECT_EQ(against("jetson-orin-nano", "Orin", 4), "");
  EXPECT_THAT(against("jetson-orin-nano", "Orin", 6), HasSubstr("6 SMs"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
