// The MPI ranks that mpirun started. Without mpirun there is one rank.
#pragma once

#include <cstddef>

namespace jostle::cli {

class Ranks {
 public:
  // Throws std::runtime_error if mpirun started several processes of a build without MPI.
  Ranks();
  // Aborts all ranks if an exception is in flight: the others would wait for ever.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  void wait_for_all() const;
  [[nodiscard]] std::size_t sum(std::size_t mine) const;  // sum over all ranks, returned on each

 private:
  std::size_t index_ = 0, count_ = 1;
};

}  // namespace jostle::cli
