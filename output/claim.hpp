// The exclusive right of one output to its file: the file is neither an input nor another output.
#pragma once

#include <optional>
#include <string>

#include "input/file_id.hpp"

namespace jostle::output {

// The temporary files and folders that exist now, so that a signal that ends the program can remove them.

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

// The claim lasts as long as the object. Devices may be shared (/dev/null); pipes and regular files may not.
class Claim {
 public:
  // Throws input::Refused if the file is an input, belongs to another output, or is a directory.
  explicit Claim(const std::string& path);
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }      // in the user's spelling
  [[nodiscard]] const std::string& target() const { return target_; }  // links followed; may not exist yet
  [[nodiscard]] bool exists() const { return id_.has_value(); }
  [[nodiscard]] bool regular() const { return regular_; }  // also if it does not exist yet

  // Throws input::Refused if the file has become an input since.
  void check_unread() const;

 private:
  std::string path_, target_;
  std::optional<input::FileId> id_;
  bool regular_ = true, counted_ = false;
};

}  // namespace jostle::output
