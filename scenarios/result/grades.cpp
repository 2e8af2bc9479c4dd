#include "scenarios/result/grades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
namespace {

// Best first.
struct GradeRow {
  std::string_view name, meaning;
};
constexpr std::array<GradeRow, 5> grade_rows{
    {{"measured", "read off runs on this device"},
     {"interpolated", "between measured values"},
     {"fitted", "chosen so that the model reproduces measured runs"},
     {"datasheet", "computed from what the manufacturer publishes"},
     {"assumed", "a judgement, because nothing better is known: doubt it first"}}};

auto rank(std::string_view grade) {
  return std::ranges::find(grade_rows, grade, &GradeRow::name) - grade_rows.begin();
}

}  // namespace

const std::string& lower_grade(const std::string& a, const std::string& b) {
  return rank(b) > rank(a) ? b : a;
}

std::string_view meaning(std::string_view grade) {
  const auto* const row = std::ranges::find(grade_rows, grade, &GradeRow::name);
  return row == grade_rows.end() ? std::string_view() : row->meaning;
}

std::string lowest(const Grades& grades) {
  return grades.sharing ? lower_grade(grades.kernels, *grades.sharing) : grades.kernels;
}

std::string sharing_note(const Result& result) {
  const auto assumed = std::ranges::count_if(result.processes, [](const ProcessResult& process) {
    return process.status == "ok" && process.grades.sharing == "assumed";
  });
  if (assumed == 0) return {};
  return fmt::format(
      "how processes share the GPU of {} is assumed, not measured: a log of the same network in 1 and in {} "
      "processes at once would settle it (jostle calibrate)",
      result.device, std::max<std::ptrdiff_t>(assumed, 2));
}

}  // namespace jostle::scenarios
