#include "scenarios/result/grades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {
namespace {

constexpr std::array<std::string_view, 5> order{"measured", "interpolated", "fitted", "datasheet", "assumed"};

auto rank(std::string_view grade) {
  return std::ranges::find(order, grade) - order.begin();
}

}  // namespace

const std::string& lower_grade(const std::string& a, const std::string& b) {
  return rank(b) > rank(a) ? b : a;
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
