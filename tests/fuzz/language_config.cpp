// Any bytes as a config.json: either it is read and its shapes can be computed with, or there is a problem to
// show.

#include "profiles/readers/language_config.hpp"

#include <cstdint>
#include <string>

#include "models/llm/weights.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  using fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  input::Problems problems;
  const auto of = profiles::parse_config(text, "fuzz.json", problems);
  require(of.has_value() == problems.empty(), "there are shapes exactly when there is no problem");
  if (!of) return 0;
  require(llm::parameters(*of) > 0, "a model has parameters");
  require(llm::active_parameters(*of) > 0 && llm::active_parameters(*of) <= llm::parameters(*of),
          "a token meets some of them");
  require(llm::kv_bytes_per_token(*of) > 0, "a position has keys and values");
  require(llm::weight_bytes(*of, llm::WeightFormat::fp16) > 0, "weights take memory");
  return 0;
}
