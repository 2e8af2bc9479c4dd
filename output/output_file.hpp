// The one way in which jostle writes a file: whole or not at all.
//
// A regular file is written beside its place under a temporary name that nobody can guess, brought to the
// disk, and renamed: readers, a crash, a full disk or a signal see the old content or the new, never a
// mixture. Symbolic links are followed and stay. The permissions of a file that was there are kept. Devices
// and pipes are written directly. docs/reliability.md says what users are promised.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "output/claim.hpp"
#include "output/temporaries.hpp"

namespace jostle::output {

// Writing failed after it had begun; what() names the file and says why.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutputFile {
 public:
  // Throws input::Refused if the file cannot be written as far as can be told now: open outputs before
  // anything is run. Nothing changes at `path` until commit().
  explicit OutputFile(const std::string& path);
  // Without commit(), leaves `path` as it was.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Whether this is a device or a pipe, which is written as it comes.
  [[nodiscard]] bool direct() const { return direct_; }

  // Appends. An error is kept until commit(), so that this can be called where nothing may be thrown.
  void write(std::string_view bytes) noexcept;
  // Puts the file in its place. Throws WriteError; Interrupted, while a reader of a pipe lets it wait.
  void commit();

 private:
  void make_temporary();
  void open_directly();
  void put_in_place();
  void fail(int error) { error_ = error_ == 0 ? error : error_; }
  [[nodiscard]] std::string cannot_write(int error) const;

  Claim claim_;
  bool direct_;  // not by way of a temporary file
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first failure
  std::string temporary_;
  std::optional<Temporary> listed_;
};

// The file of an option; none if the option was not given.
[[nodiscard]] std::unique_ptr<OutputFile> open_if_given(const std::string& path);

// Writes all of `text` and commits.
void write_whole(OutputFile& file, std::string_view text);

}  // namespace jostle::output
