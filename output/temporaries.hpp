// The temporary files that exist now, so that a signal that ends the program can remove them.
#pragma once

#include <string>

namespace jostle::output {

// Listed from its creation to its end. More than a dozen at once are not listed, which loses nothing but
// their removal.
class Temporary {
 public:
  explicit Temporary(const std::string& path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

 private:
  int slot_ = -1;
};

// Lives while a whole file is put in its place: who ends the program should wait for that.
class Committing {
 public:
  Committing();
  ~Committing();
  Committing(const Committing&) = delete;
  Committing& operator=(const Committing&) = delete;
  [[nodiscard]] static bool any();  // safe to call in a signal handler
};

// Removes all that are listed. Safe to call in a signal handler.
void remove_temporaries();

}  // namespace jostle::output
