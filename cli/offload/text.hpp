// The result of an offload study as text.
#pragma once

#include <string>

#include "analyses/offload/offload.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

// Tables and a character map of the best option.
[[nodiscard]] std::string offload_text(const analyses::OffloadAnswer& answer, int width, bool colour);
// The same for the head of a page; `edge`: the scenario in words.
[[nodiscard]] PageWords offload_words(const analyses::OffloadAnswer& answer, const scenarios::InWords& edge);

// Values with units, for tables.
[[nodiscard]] std::string bandwidth_text(double bytes_per_s);
[[nodiscard]] std::string time_text(sim::Duration time);
// "up to 23.4 ms RTT"
[[nodiscard]] std::string break_even_text(const analyses::BreakEven& found);

}  // namespace jostle::cli
