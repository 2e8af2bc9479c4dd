// Output of the command: results go to standard output, everything else to standard error.
//
// Colour and the progress line are used on a terminal only (NO_COLOR and TERM=dumb are respected); a pipe
// gets plain text without progress.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace jostle::input {
class Problems;
}

namespace jostle::cli {

// Exit codes of the command. Scripts depend on them.
enum class ExitCode {
  done = 0,
  failed = 1,        // any other error
  bad_input = 2,     // wrong usage, an invalid file, or an output that cannot be opened; nothing was run
  no_fit = 3,        // a process did not fit into memory, the others were run; or heat shut the board down
  set_aside = 3,     // a part of a probe failed, or the machine's state changed in it; the others are done
  interrupted = 130  // SIGINT; after SIGTERM 143, after SIGHUP 129: 128 + the signal
};

// Thrown if standard output cannot be written. `closed`: the reader closed the pipe (like `head`), which is
// not an error.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& what, bool closed) : std::runtime_error(what), closed_(closed) {}
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  bool closed_;
};

// Opens /dev/null for each of standard input, output and error that is closed. This comes before any other
// file is opened: such a file would get their numbers and receive the printed text.
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
    // For a program that calls the command: where text goes instead of standard output and standard error,
    // and who is told the share done.
    std::string* output = nullptr;
    std::string* messages = nullptr;
    std::function<void(double)> told = {};
  };
  // The settings from the file descriptors and the environment (COLUMNS, NO_COLOR, TERM) of this process.
  [[nodiscard]] static Settings detect();

  explicit Terminal(const Settings& settings) : settings_(settings) {}
  ~Terminal() { clear_progress(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int width() const { return settings_.width; }
  [[nodiscard]] bool colour() const { return settings_.colour; }

  // Prints text for people to standard output, at once. Characters that control the terminal are escaped,
  // except line ends and the styles of `styled`; a name that could contain a line end must go through
  // input::printable. Throws OutputError.
  void print(std::string_view text);
  // Prints JSON, CSV and the like, which programs read, unchanged.
  void print_data(std::string_view text);
  // Prints "jostle: text" to standard error, escaped as by print().
  void complain(std::string_view text);
  // Prints lines to standard error, escaped as by print().
  void note(std::string_view lines);
  // Prints what is wrong with what the user gave: a sentence as by complain(), or problems with their places.
  // Returns the exit code for that.
  ExitCode refuse(std::string_view text);
  ExitCode refuse(const input::Problems& problems);

  // Shows the current activity and the completed share (0 to 1) in a line that replaces itself, after the
  // first half second.
  void progress(std::string_view what, double done);
  // Says that `what` may take so long, if that is worth telling; `of`: words that follow the time. Unless
  // somebody has, progress() does so once a second of work tells, also where no line is shown.
  void expect(std::string_view what, double seconds, std::string_view of);
  void clear_progress();

 private:
  using Clock = std::chrono::steady_clock;

  void write_message(std::string_view text);

  Settings settings_;
  std::optional<Clock::time_point> progress_began_;
  double progress_from_ = 0;  // the share done then
  bool expected_ = false;     // somebody has called expect()
  Clock::time_point progress_next_;
  bool progress_shown_ = false;
};

// A rough duration: "some 3 minutes". More digits would exceed the precision of an estimate.
[[nodiscard]] std::string about(double seconds);

// The number of columns that `text` takes on a screen: its UTF-8 code points (jostle writes no wide ones).
[[nodiscard]] std::size_t display_width(std::string_view text);
// `text` truncated to `columns`, with an ellipsis if anything was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace jostle::cli
