// The exclusive right of one probe to the folder that it writes.
#pragma once

#include <filesystem>
#include <optional>

#include "output/temporaries.hpp"

namespace jostle::calibration::probe {

class Claim {
 public:
  // Makes the folder if it is missing. Throws input::Refused if it cannot be made or written, or if another
  // probe has it. The system gives it back when the process ends, however it ends.
  explicit Claim(const std::filesystem::path& folder);
  // Removes the folder if it was made here and keep() was not called; a signal that ends the program does
  // too.
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  void keep() { made_.reset(); }

 private:
  std::filesystem::path folder_;
  std::optional<output::Temporary> made_;
  int descriptor_ = -1;
};

}  // namespace jostle::calibration::probe
