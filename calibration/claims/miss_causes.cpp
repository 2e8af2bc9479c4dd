#include "calibration/claims/miss_causes.hpp"

#include <algorithm>
#include <array>

namespace jostle::calibration {
namespace {

constexpr std::array<std::string_view, 9> of_efficiency{"C02", "C06", "C10", "C34", "C35",
                                                        "C36", "C38", "C46", "G05"};
constexpr std::array<std::string_view, 9> of_source{"C03", "C13", "C22", "C26", "C31",
                                                    "D10", "E15", "E32", "E44"};
constexpr std::array<std::string_view, 8> of_host_work{"D06", "E02", "E05", "E12",
                                                       "E19", "E30", "E37", "F01"};
constexpr std::array<std::string_view, 7> of_constant_costs{"C16", "C18", "C19", "C27", "C29", "C37", "C61"};
constexpr std::array<std::string_view, 6> of_fitted_power{"E07", "E08", "E09", "E10", "E16", "G03"};
constexpr std::array<std::string_view, 4> of_memory_power{"C15", "C17", "C20", "C49"};
constexpr std::array<std::string_view, 3> of_governors{"E06", "E11", "E21"};
constexpr std::array<std::string_view, 7> of_their_own{"C12", "D04", "E14", "E23", "E29", "E38", "F04"};

constexpr std::array<MissCause, 8> causes{{
    {"the model has one efficiency for all kernels of a kind, where real kernels differ", of_efficiency},
    {"the source contradicts itself or leaves out a setting that decides", of_source},
    {"the source does not say what its program does on the CPU between batches, so the model leaves it out",
     of_host_work},
    {"a turn, a switch and a launch cost the same in the model at any batch and number of processes, where "
     "the source has a small trend",
     of_constant_costs},
    {"the power of a board was fitted on another board or at other clocks", of_fitted_power},
    {"memory traffic costs too much power on the rail that was fitted on another board", of_memory_power},
    {"a loop that waits busily keeps the simulated governors at the highest clock", of_governors},
    {"each has a reason of its own", of_their_own},
}};

}  // namespace

std::span<const MissCause> miss_causes() {
  return causes;
}

const MissCause* cause_of(std::string_view id) {
  const auto* const row = std::ranges::find_if(
      causes, [id](const MissCause& cause) { return std::ranges::find(cause.ids, id) != cause.ids.end(); });
  return row == causes.end() ? nullptr : row;
}

}  // namespace jostle::calibration
