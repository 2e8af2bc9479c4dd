// An input file or pipe: jostle opens its inputs only in this way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace jostle::input {

// Ctrl-C ends every wait, in open() and in read(), with Interrupted.
class InputFile {
 public:
  // Opens `path`; null, with the reason in `problem`, if it is neither a readable file or pipe nor `-`,
  // standard input. A regular file is noted as an input (file_id.hpp).
  [[nodiscard]] static std::unique_ptr<InputFile> open(const std::string& path, std::string& problem);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Reads up to `most` bytes; fewer only at the end of the file and after a failure.
  [[nodiscard]] std::size_t read(char* to, std::size_t most);
  [[nodiscard]] bool failed() const { return failed_; }
  // Size of a regular file in bytes; 0 for a pipe.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  InputFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
  bool failed_ = false;
};

}  // namespace jostle::input
