// Cycles of dot products with weights in blocks, in the H200's profile against those of an H200.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

TEST(DotsOfAToken, cost_what_an_h200_takes_for_them) {
  input::Problems problems;
  const auto profile = shipped_profile("nvidia-h200", problems);
  ASSERT_TRUE(profile) << problems.text();
  const llm::ProductCycles cycles = profile->spec->runtimes[process::Runtime::llama_cpp]->cycles;
  const auto of = [&](llm::WeightFormat format) { return cycles.unpack[static_cast<std::size_t>(format)]; };
  const char* const file = "evidence/h200-dots/dots.csv";
  const auto table = input::CsvTable::parse(calibration::evidence_file(file).value_or(""), file);
  std::map<std::string, std::map<std::int64_t, double>> measured;  // by format and columns
  for (const input::CsvTable::Row row : table)
    if (row.integer("sms") == 132 && row.view("weights_in") == "L2")
      measured[row.text("format")][row.integer("columns")] = row.number("sm_cycles_a_row");
  // A sixth of a file in q4_k_m is q6_K, the rest q4_K: 4.85 bits of 4.5 and 6.5625.
  for (const auto& [columns, q4] : measured["q4_K"])
    measured["q4_k_m"][columns] = q4 + (4.85 - 4.5) / (6.5625 - 4.5) * (measured["q6_K"][columns] - q4);
  int judged = 0;
  for (const auto& [name, format] : {std::pair("q4_0", llm::WeightFormat::q4_0),
                                     {"q8_0", llm::WeightFormat::q8_0},
                                     {"q4_k_m", llm::WeightFormat::q4_k_m}}) {
    for (const auto& [columns, took] : measured[name]) {
      if (columns < 2048 || columns > 8192) continue;
      EXPECT_NEAR((cycles.row + of(format) * static_cast<double>(columns)) / took, 1, 0.16)
          << name << columns;
      ++judged;
    }
  }
  EXPECT_EQ(judged, 15);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
