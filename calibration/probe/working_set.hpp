// A working set that is read and written in passes, and what a pass costs once its cache is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jostle::calibration::probe {

// Memory in lines of 64 bytes, visited page by page in a random order of pages, a line after the other in a
// page, as data of programs are. A pass changes every line.
class WorkingSet {
 public:
  explicit WorkingSet(std::size_t bytes);
  void pass();
  // The time of a pass, ns.
  [[nodiscard]] std::int64_t timed_pass();
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> pages_;  // first word of each, in the order of a pass
  std::size_t words_a_page_;
};

// The sizes that are measured: 16 KiB to 8 MiB, or a few of them.
[[nodiscard]] std::vector<std::size_t> working_sets(bool quick);

// The time that passes take longer than warm ones, in all: passes are timed until they are warm again, at
// most a few. ns.
[[nodiscard]] double refill_ns(WorkingSet& set, double warm_ns);
// The time of a warm pass: the median of a few, after one that warms. ns.
[[nodiscard]] double warm_pass_ns(WorkingSet& set);

}  // namespace jostle::calibration::probe
