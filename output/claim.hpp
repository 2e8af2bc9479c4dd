// The exclusive right of one output to its file: the file is neither an input nor another output.
#pragma once

#include <optional>
#include <string>

#include "input/file_id.hpp"

namespace jostle::output {

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
