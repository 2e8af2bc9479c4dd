#include "scenarios/result/grades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
namespace {

// Best first. How far measurements are from predictions, rounded from docs/validation.md: nine of ten of 168
// rates of equal processes within 4.7 % (measured); of 142 batches an octave from measured ones within 10 %
// (interpolated); of 885 times of boards without their laboratory within 23 to 26 % (fitted); four cards by
// their data sheets 11 to 25 % off in the mean (datasheet). The last is a judgement itself.
struct GradeRow {
  std::string_view name, meaning, error;
  double share;  // the same error as a number; of "or more", the least
};
constexpr std::array<GradeRow, 5> grade_rows{
    {{"measured", "on this device", "some 5 %", 0.05},
     {"interpolated", "between measured values", "some 10 %", 0.1},
     {"fitted", "to measured runs", "some 25 %", 0.25},
     {"datasheet", "what the manufacturer publishes", "some 30 %", 0.3},
     {"assumed", "a judgement, not measured", "30 % or more", 0.3}}};

const GradeRow* row_of_grade(std::string_view grade) {
  const auto* const row = std::ranges::find(grade_rows, grade, &GradeRow::name);
  return row == grade_rows.end() ? nullptr : row;
}

auto rank(std::string_view grade) {
  return std::ranges::find(grade_rows, grade, &GradeRow::name) - grade_rows.begin();
}

}  // namespace

const std::string& lower_grade(const std::string& a, const std::string& b) {
  return rank(b) > rank(a) ? b : a;
}

std::string_view meaning(std::string_view grade) {
  const GradeRow* const row = row_of_grade(grade);
  return row == nullptr ? std::string_view() : row->meaning;
}

std::string_view usual_error(std::string_view grade) {
  const GradeRow* const row = row_of_grade(grade);
  return row == nullptr ? std::string_view("an unknown share") : row->error;
}

std::optional<double> usual_error_share(std::string_view grade) {
  const GradeRow* const row = row_of_grade(grade);
  return row == nullptr ? std::nullopt : std::optional(row->share);
}

std::string lowest(const Grades& grades) {
  return grades.sharing ? lower_grade(grades.kernels, *grades.sharing) : grades.kernels;
}

std::string lowest(const Result& result) {
  std::string grade;
  for (const ProcessResult& process : result.processes)
    grade = grade.empty() ? lowest(process.grades) : lower_grade(grade, lowest(process.grades));
  return grade;
}

std::string sharing_note(const Result& result) {
  std::size_t processes = 0, streams = 0;
  for (const ProcessResult& process : result.processes) {
    if (process.status != "ok" || process.grades.sharing != "assumed") continue;
    ++processes;
    streams = process.instances.size();
  }
  if (processes == 0) return {};
  const bool of_one = processes == 1 && streams > 1;
  return fmt::format(
      "how {} the GPU of {} is assumed, not measured: a log of any one network in 1 and in {} at once would "
      "settle it (jostle calibrate)",
      of_one ? "the streams of a process share" : "processes share", result.device,
      of_one ? fmt::format("{} streams", streams)
             : fmt::format("{} processes", std::max<std::size_t>(processes, 2)));
}

std::optional<std::string> power_grade(const Result& result) {
  for (const ProcessResult& process : result.processes)
    if (process.grades.power) return process.grades.power;
  return std::nullopt;
}

}  // namespace jostle::scenarios
