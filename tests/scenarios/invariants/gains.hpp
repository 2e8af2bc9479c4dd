// Who is served more after a change that gives nobody more, and by what mechanism.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/invariants/generator.hpp"
#include "tests/scenarios/invariants/laws.hpp"

namespace jostle::scenarios::testing {

// A scenario, and what becomes of it.
struct Pair {
  Draft before, after;
  // The entry that has less, where others may have more for it: they do not serve less. Absent: all entries
  // of `before` have no more than they had.
  std::optional<std::size_t> less;
};

// By which nobody, or nobody but others, gets more of anything.
struct Change {
  std::string_view name;
  // None where the scenario cannot be changed so.
  std::optional<Pair> (*of)(const Draft& draft, std::uint64_t number);
};
[[nodiscard]] const std::vector<Change>& changes();

struct Compared {
  const Run& before;
  const Run& after;
};

// By which a process may be served more all the same, as the results tell.
struct Mechanism {
  std::string_view name;
  bool (*seen)(const Compared& runs, std::size_t process);
};
[[nodiscard]] const std::vector<Mechanism>& mechanisms();

// "process 0: 120/s before, 135/s after", of all who gain (or, of others, lose) more than 2 % without a
// mechanism.
[[nodiscard]] std::vector<std::string> unexplained(const Pair& pair, const Compared& runs);
// Likewise, of runs of the two. What a short run finds counts where five longer ones find it, too.
[[nodiscard]] std::vector<std::string> unexplained(const Pair& pair);

}  // namespace jostle::scenarios::testing
