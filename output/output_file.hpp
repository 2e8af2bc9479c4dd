// A file that jostle writes: whole or not at all. All files are written in this way.
//
// A regular file is written in the same folder under a temporary name that nobody can guess, flushed to the
// disk, and renamed: readers, a crash, a full disk or a signal leave the old content or the new, never a
// mixture. Symbolic links are followed and stay. The permissions of an existing file are kept. Devices and
// pipes are written directly. docs/reliability.md lists the guarantees for users.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "output/claim.hpp"
#include "output/temporaries.hpp"

namespace jostle::output {

// Thrown if writing failed after it had begun; what() names the file and the reason.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutputFile {
 public:
  // Throws input::Refused if it is already clear that the file cannot be written, so outputs are opened
  // before anything is run. Nothing changes at `path` until commit().
  explicit OutputFile(const std::string& path);
  // Leaves `path` as it was, unless commit() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // True for a device or a pipe, which is written without a temporary file.
  [[nodiscard]] bool direct() const { return direct_; }

  // Appends. An error is kept until commit(), so that this function never throws.
  void write(std::string_view bytes) noexcept;
  // Puts the file in its place. Throws WriteError, and Interrupted while it waits for the reader of a pipe.
  void commit();

 private:
  void make_temporary();
  void open_directly();
  void put_in_place();
  void fail(int error) { error_ = error_ == 0 ? error : error_; }
  [[nodiscard]] std::string cannot_write(int error) const;

  Claim claim_;
  bool direct_;  // written without a temporary file
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first failure
  std::string temporary_;
  std::optional<Temporary> listed_;
};

// The file of an option; none if the option was not given.
[[nodiscard]] std::unique_ptr<OutputFile> open_if_given(const std::string& path);

// Writes all of `text` and commits.
void write_whole(OutputFile& file, std::string_view text);

// A folder that jostle makes with all of its files, or not at all.
class OutputFolder {
 public:
  // Throws input::Refused unless it is absent or empty, and can be made.
  explicit OutputFolder(const std::string& path);
  // Adds a file, a script if it begins with #!. Throws WriteError.
  void add(const std::string& file, std::string_view text) const;
  // Puts the folder in its place. Throws WriteError.
  void commit() const;

 private:
  std::string path_;
  TemporaryFolder beside_;
};

}  // namespace jostle::output
