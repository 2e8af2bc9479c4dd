// A scenario in words, for people who have not seen its file.
#pragma once

#include <string>
#include <vector>

namespace jostle::scenarios {

struct Scenario;

// The board with its power mode and limits; a phrase for each entry of `processes` ("2 x resnet50 int8, batch
// 4, tensorrt, one batch after the other"); and how it is run ("0.5 s after 1 s of warm-up, seed 1").
// `resolved`: to_json() of a scenario, or the member of that name of a result.
struct InWords {
  std::string board;
  std::vector<std::string> processes;
  std::string run;
};
[[nodiscard]] InWords in_words(const std::string& resolved);

// How many of the networks end with one of them: "a crash takes 2 of 3".
[[nodiscard]] std::string isolation_of(const std::vector<const Scenario*>& boards);

}  // namespace jostle::scenarios
