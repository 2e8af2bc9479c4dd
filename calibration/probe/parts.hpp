// The table of the parts of `jostle probe`, in the order in which they run.
#pragma once

#include <span>
#include <vector>

#include "calibration/probe/identity.hpp"
#include "calibration/probe/part.hpp"

namespace jostle::calibration::probe {

[[nodiscard]] std::span<const Part> parts();

// The parts of these words, each a group or the name of a part; all if there are no words. An unknown word
// gives no part. Parts on the GPU are left out if the machine has none; so is power, if there is no sensor of
// it either and no word asks for it.
[[nodiscard]] std::vector<Part> chosen_parts(std::span<const Part> all, const std::vector<std::string>& only,
                                             const Identity& machine);

// A sentence for each kind of part that is left out on a machine, with the reason; empty if none is.
[[nodiscard]] std::string left_out_parts(const Identity& machine);

// The words of --only: the groups, then the names.
[[nodiscard]] std::vector<std::string> part_words(std::span<const Part> all);

// Asks the GPU's driver, in a process of its own, and fills in what it tells of the GPU. If it cannot be
// opened, the GPU counts as absent, with the reason.
void add_driver_facts(const Session& session, GpuIdentity& gpu);

}  // namespace jostle::calibration::probe
