// What the user asked cannot be done as asked: nothing was run, and the command exits with 2.
#pragma once

#include <stdexcept>

namespace jostle::input {

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace jostle::input
