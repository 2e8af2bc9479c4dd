// Any bytes as a trace of arrivals: either there are times in order, within the longest run, or a problem to
// show.

#include <algorithm>
#include <cstdint>
#include <string>

#include "scenarios/language/arrival_trace.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jostle;
  input::Problems problems;
  const auto times =
      scenarios::parse_arrival_trace({reinterpret_cast<const char*>(data), size}, "fuzz.csv", problems);
  fuzz::require(times.has_value() == problems.empty(), "there are times exactly when there is no problem");
  fuzz::require_printable(problems.text());
  if (!times) return 0;
  fuzz::require(!times->empty() && std::ranges::is_sorted(*times), "times are in order");
  fuzz::require(
      times->front() >= sim::Time::zero() && sim::to_seconds(times->back() - sim::Time::zero()) <= 1e6,
      "times are within the longest run");
  return 0;
}
