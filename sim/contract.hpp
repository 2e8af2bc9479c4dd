// Contracts: conditions that hold in every run, whatever the input, unless the simulator itself is wrong.
//
// They are checked in every build, also in release, so a fault of the simulator becomes a message instead of
// a wrong result. A check is a compare and a branch that is never taken. Conditions that a user's input can
// break are no contracts: readers report those with file and line.
#pragma once

#include <source_location>
#include <stdexcept>

namespace jostle::sim {

// A contract does not hold. It is thrown, because all that call an engine can handle an exception, and an
// abort would take too much with it: the command reports it and ends with status 1, a study loses one point
// of a thousand, Python gets a RuntimeError and lives on, the page of the playground shows it. No result
// leaves the run, and destroying the engine is safe. It is no RunError, which some analyses count as an
// answer.
class BrokenContract : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws BrokenContract with the file, the line and the sentence.
[[noreturn, gnu::cold]] void throw_broken(const char* sentence, const std::source_location& where);

// `sentence` says what holds: "events happen in the order of their times".
inline void contract(bool holds, const char* sentence,
                     const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    throw_broken(sentence, where);
}

}  // namespace jostle::sim
