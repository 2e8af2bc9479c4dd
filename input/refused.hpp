// Thrown if the user's request cannot be carried out: nothing was run, and the command exits with 2.
#pragma once

#include <stdexcept>

namespace jostle::input {

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace jostle::input
