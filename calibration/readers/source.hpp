// The bytes of a log, in pieces: a file of any size is read with little memory, unpacked if it is gzip.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "input/problems.hpp"

namespace jostle::calibration {

class Source {
 public:
  static constexpr std::size_t piece = std::size_t{1} << 20U;  // also the longest line
  static constexpr std::size_t max_peeked = std::size_t{1} << 16U;
  static constexpr std::uint64_t max_bytes = std::uint64_t{1}
                                             << 36U;  // unpacked: gzip can promise any length

  // Null with a problem if it is not a readable file or pipe, or empty.
  [[nodiscard]] static std::unique_ptr<Source> open(const std::string& path, input::Problems& problems);
  [[nodiscard]] static std::unique_ptr<Source> of_text(std::string text, const std::string& origin);

  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // A reader stops when `flag` becomes true, as at the end of a file that cannot be read.
  void stop_when(const std::atomic<bool>* flag) { stop_ = flag; }
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && *stop_; }

  // What comes next, not taken: at least min(max_peeked, what is left) bytes.
  [[nodiscard]] std::string_view peek();

  // The next line without its end ("\n" or "\r\n"). False at the end of the file and after a failure.
  [[nodiscard]] bool next_line(std::string_view& line);
  [[nodiscard]] int line() const { return line_; }  // of the line read last, from 1
  // The line read last had no newline: the file ends in it.
  [[nodiscard]] bool unterminated() const { return unterminated_; }

  // Byte by byte, for parsers that pull: '\0' at the end.
  [[nodiscard]] char peek_byte() { return begin_ != end_ || more() ? *begin_ : '\0'; }
  char take_byte() {
    if (begin_ == end_ && !more()) return '\0';
    line_ += *begin_ == '\n' ? 1 : 0;
    return *begin_++;
  }
  [[nodiscard]] bool at_end() { return begin_ == end_ && !more(); }
  // A failure where more than `most` bytes are taken between two marks: what the parser holds in memory.
  void limit_unmarked(std::uint64_t most) { max_unmarked_ = most; }
  void mark() { mark_ = taken(); }
  [[nodiscard]] std::uint64_t taken() const { return read_ - static_cast<std::uint64_t>(end_ - begin_); }

  // Why the file ended early (cut gzip, a disk error, a line too long, a stop); empty if it did not.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::string& origin() const { return *origin_; }
  // The whole of what of_text() was given, or null for a file: for readers that need a file as it is.
  [[nodiscard]] const std::string* text() const { return file_ == nullptr ? &text_ : nullptr; }
  [[nodiscard]] bool zipped() const { return inflater_ != nullptr; }

  // A problem at a line (0: the whole file).
  void fail(input::Problems& problems, int line, std::string message, std::string hint = {}) const;

 private:
  struct Inflater;
  explicit Source(const std::string& origin);
  bool more();  // puts more bytes behind those at hand, which it may move
  std::size_t read_some(char* to, std::size_t most);
  std::size_t read_raw(char* to, std::size_t most);
  std::size_t unzip(char* to, std::size_t most);
  void start();

  std::shared_ptr<const std::string> origin_;
  std::FILE* file_ = nullptr;
  std::string text_;
  std::size_t text_at_ = 0;
  std::unique_ptr<Inflater> inflater_;
  std::vector<char> buffer_;
  char *begin_ = nullptr, *end_ = nullptr;  // what is at hand, in buffer_
  std::uint64_t read_ = 0, mark_ = 0, max_unmarked_ = max_bytes;
  int line_ = 0;
  bool unterminated_ = false, ended_ = false;
  std::string failure_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace jostle::calibration
