// Output of the command: results go to standard output, everything else to standard error.
//
// Colour and the progress line are used on a terminal only (NO_COLOR and TERM=dumb are respected); a pipe
// gets plain text without progress.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace jostle::cli {

// Standard output cannot be written. `closed`: the reader closed the pipe (as `head` does), which is not an
// error.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& what, bool closed) : std::runtime_error(what), closed_(closed) {}
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  bool closed_;
};

// Opens /dev/null for those of standard input, output and error that are closed. To be called before any
// other file is opened: that would get their numbers, and with it what is printed.
void open_standard_descriptors();

enum class Style { plain, strong, faint, bad };
[[nodiscard]] std::string styled(std::string_view text, Style style, bool colour);

class Terminal {
 public:
  static constexpr int unlimited = 100'000;  // a pipe or a file gets all columns in full
  struct Settings {
    int width = unlimited;      // columns for tables; at least 20
    bool colour = false;        // on standard output
    bool error_colour = false;  // on standard error
    bool progress = false;      // standard error can show a progress line
  };
  // From the file descriptors and the environment (COLUMNS, NO_COLOR, TERM) of this process.
  [[nodiscard]] static Settings detect();

  explicit Terminal(const Settings& settings) : settings_(settings) {}
  ~Terminal() { clear_progress(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int width() const { return settings_.width; }
  [[nodiscard]] bool colour() const { return settings_.colour; }

  // Text for people to standard output, at once. What would act on the terminal is escaped, but for line ends
  // and the styles of `styled`; a name that could hold a line end is to go through input::printable. Throws
  // OutputError.
  void print(std::string_view text);
  // The same for JSON, CSV and the like, which programs read: unchanged.
  void print_data(std::string_view text);
  // "jostle: text" to standard error, escaped as by print().
  void complain(std::string_view text);
  // Lines to standard error, escaped as by print().
  void note(std::string_view lines);

  // Shows what is being done and the share done (0 to 1) in a line that replaces itself, after the first half
  // second.
  void progress(std::string_view what, double done);
  void clear_progress();

 private:
  using Clock = std::chrono::steady_clock;

  Settings settings_;
  std::optional<Clock::time_point> progress_began_;
  Clock::time_point progress_next_;
  bool progress_shown_ = false;
};

// Columns that `text` takes on a screen: its UTF-8 code points (jostle writes no wide ones).
[[nodiscard]] std::size_t display_width(std::string_view text);
// `text` truncated to `columns`, with an ellipsis if anything was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace jostle::cli
