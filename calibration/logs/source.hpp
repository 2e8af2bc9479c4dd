// Reads the bytes of a log in chunks, so that a file of any size needs little memory; gzip files are
// decompressed. Reading throws Interrupted on Ctrl-C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "input/input_file.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

// A text without the sequences that set the colours of a terminal: "\x1b[32m" and alike.
[[nodiscard]] std::string without_colours(std::string_view text);

class Source {
 public:
  // Chunk size; also the maximum line length.
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;
  static constexpr std::size_t max_peeked = std::size_t{1} << 16U;
  static constexpr std::uint64_t max_bytes =
      std::uint64_t{1}  // after decompression: a small gzip file can expand to any length
      << 36U;

  // Opens a source. Null, with a problem, if it is not a readable file, pipe or `-` (standard input), or if
  // it is empty.
  [[nodiscard]] static std::unique_ptr<Source> open(const std::string& path, input::Problems& problems);
  [[nodiscard]] static std::unique_ptr<Source> of_text(std::string text, const std::string& origin);

  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // The next bytes, without consuming them: at least min(max_peeked, remaining bytes).
  [[nodiscard]] std::string_view peek();

  // Reads the next line, without its end ("\n" or "\r\n") and without the colours of a terminal. Returns
  // false at the end of the file and after a failure.
  [[nodiscard]] bool next_line(std::string_view& line);
  [[nodiscard]] int line() const { return line_; }  // number of the line read last, from 1
  // True if the line read last had no newline, so that the file ends in it.
  [[nodiscard]] bool unterminated() const { return unterminated_; }

  // Reads byte by byte, for pull parsers: '\0' at the end.
  [[nodiscard]] char peek_byte() { return begin_ != end_ || more() ? *begin_ : '\0'; }
  char take_byte() {
    if (begin_ == end_ && !more()) return '\0';
    line_ += *begin_ == '\n' ? 1 : 0;
    return *begin_++;
  }
  [[nodiscard]] bool at_end() { return begin_ == end_ && !more(); }
  // Sets the limit on bytes consumed between two marks, which bounds the memory of the parser. More bytes are
  // a failure.
  void limit_unmarked(std::uint64_t most) { max_unmarked_ = most; }
  void mark() { mark_ = taken(); }
  [[nodiscard]] std::uint64_t taken() const { return read_ - static_cast<std::uint64_t>(end_ - begin_); }

  // The reason why the file ended early (truncated gzip, a disk error, a line too long); empty if it did not.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::string& origin() const { return *origin_; }
  // The complete text given to of_text(), or null for a file; used by readers that need the file itself.
  [[nodiscard]] const std::string* text() const { return file_ == nullptr ? &text_ : nullptr; }
  [[nodiscard]] bool zipped() const { return inflater_ != nullptr; }

  // Reports a problem at a line (0: the whole file).
  void fail(input::Problems& problems, int line, std::string message, std::string hint = {}) const;

 private:
  struct Inflater;
  static constexpr std::size_t buffer_bytes = chunk_bytes + max_peeked;
  explicit Source(const std::string& origin);
  bool next_raw_line(std::string_view& line);
  bool more();  // appends more bytes to the available ones, which it may move
  std::size_t read_some(char* to, std::size_t most);
  std::size_t read_raw(char* to, std::size_t most);
  std::size_t unzip(char* to, std::size_t most);
  void start();
  void start_unzipping();

  std::shared_ptr<const std::string> origin_;
  std::unique_ptr<input::InputFile> file_;  // null for text
  std::string text_;
  std::size_t text_at_ = 0;
  std::unique_ptr<Inflater> inflater_;
  std::string plain_;                       // a line that had colours
  std::unique_ptr<char[]> buffer_;          // uninitialised: most logs are short
  char *begin_ = nullptr, *end_ = nullptr;  // the available bytes, in buffer_
  std::uint64_t read_ = 0, mark_ = 0, max_unmarked_ = max_bytes;
  int line_ = 0;
  bool unterminated_ = false, ended_ = false;
  std::string failure_;
};

}  // namespace jostle::calibration
