// Queries of several requests that are made at once: a query is answered when its last request is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace jostle::process {

class Queries {
 public:
  // `requests`: number that each query has, at least 1.
  explicit Queries(std::int64_t requests) : requests_(requests) {}

  // A request of a query that was made at `made` is answered. Returns true if it was the last one of its
  // query. Queries made at the same time are alike: the requests that are answered first are one's.
  [[nodiscard]] bool answered(sim::Time made) {
    if (requests_ == 1) return true;
    const auto open = std::ranges::find(open_, made, &Open::made);
    if (open == open_.end()) {
      open_.push_back({made, requests_ - 1});
      return false;
    }
    if (--open->left > 0) return false;
    open_.erase(open);
    return true;
  }

 private:
  struct Open {  // a query that is answered in part
    sim::Time made;
    std::int64_t left = 0;  // number of requests without an answer
  };
  std::int64_t requests_;
  std::vector<Open> open_;
};

}  // namespace jostle::process
