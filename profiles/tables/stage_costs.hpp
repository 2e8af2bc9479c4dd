// Costs of the work around inference (profiles/stages.csv): decoding, scaling, filtering boxes, tracking.
//
// A row is a word of scenarios, a way of doing it and a processor. Rows alike in all three add up. On a core
// the cost is cycles of a Cortex-A78AE, on the GPU bytes moved, on an engine its rate over that of the
// profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::profiles {

// The quantity by which a cost is multiplied.
enum class StagePer : std::uint8_t { image, pixel, output, larger, box, object };

struct StageCost {
  std::string word, way;  // "decode", "h264"; the way is empty if there is one
  std::string on;         // "cpu", "gpu" or an engine
  StagePer per = StagePer::image;
  double cost = 0;
  std::string grade, source;
};

// Throws input::CsvError.
[[nodiscard]] std::vector<StageCost> parse_stage_costs(std::string_view csv, std::string_view name);
[[nodiscard]] const std::vector<StageCost>& stage_costs();  // the table that ships
[[nodiscard]] std::string_view to_string(StagePer per);

// Instructions a clock of a core relative to a Cortex-A78AE (profiles/cores.csv). `cluster` is a cluster's
// name in a profile, such as "a57" or "a78ae-0"; 1 for a core that is not in the table.
[[nodiscard]] double instructions_per_clock(std::string_view cluster);

}  // namespace jostle::profiles
