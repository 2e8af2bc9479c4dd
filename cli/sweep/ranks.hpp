// The processes that mpirun started together, of which this is one. Without mpirun there is this one.
#pragma once

#include <cstddef>

namespace jostle::cli {

class Ranks {
 public:
  // Throws std::runtime_error where mpirun started several of a build that knows nothing of it.
  Ranks();
  // Ends them all if this one is left by an exception: the others would wait for ever.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] std::size_t index() const { return index_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  void wait_for_all() const;
  [[nodiscard]] std::size_t sum(std::size_t mine) const;  // over all, to all

 private:
  std::size_t index_ = 0, count_ = 1;
};

}  // namespace jostle::cli
