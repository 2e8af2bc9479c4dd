// The temporary files and folders that exist now, so that a signal that ends the program can remove them.
#pragma once

#include <optional>
#include <string>

namespace jostle::output {

// An entry of the list, for the life of a temporary file or folder. Beyond a dozen at once, further ones are
// not listed and would not be removed after a signal.
class Temporary {
 public:
  explicit Temporary(const std::string& path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

 private:
  int slot_ = -1;
};

// An empty folder with a name of its own, among the system's temporary ones or beside a path. It goes with
// this object, and after a signal.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& beside = {});  // throws input::Refused if none can be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::optional<Temporary> listed_;
};

// Lives while a whole file is put in its place. The program should not be ended during that time.
class Committing {
 public:
  Committing();
  ~Committing();
  Committing(const Committing&) = delete;
  Committing& operator=(const Committing&) = delete;
  [[nodiscard]] static bool any();  // safe to call in a signal handler
};

// Removes all that is listed, folders with all that is in them. Safe to call in a signal handler.
void remove_temporaries();

}  // namespace jostle::output
