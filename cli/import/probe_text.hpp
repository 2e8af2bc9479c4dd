// Folders of `jostle probe` among the recordings that are imported: what they hold, for people.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/terminal.hpp"
#include "input/problems.hpp"

namespace jostle::cli {

// Says what the folders of probes among the words hold (on standard output if there is nothing else, beside
// rows of evidence on standard error), and takes them out of the words: their parameters are no rows of
// evidence, but `jostle calibrate auto` reads them. False, with the reasons, if one cannot be read.
[[nodiscard]] bool tell_of_probes(std::vector<std::string>& words, input::Problems& problems,
                                  Terminal& terminal);

}  // namespace jostle::cli
