// Where the command's words go: results to standard output, all else to standard error.
//
// Colour and the progress line appear on a terminal only (NO_COLOR and TERM=dumb are respected); whoever
// reads a pipe sees plain text and no progress.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace jostle::cli {

// Nobody can read standard output any more. `closed`: its reader went away (a pipe into `head`), which is no
// fault.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& what, bool closed) : std::runtime_error(what), closed_(closed) {}
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  bool closed_;
};

enum class Style { plain, strong, faint, bad };
[[nodiscard]] std::string styled(std::string_view text, Style style, bool colour);

class Terminal {
 public:
  static constexpr int unlimited = 100'000;  // no reader to fit: a pipe or a file gets every column in full
  struct Settings {
    int width = unlimited;      // columns for tables; at least 20
    bool colour = false;        // on standard output
    bool error_colour = false;  // on standard error
    bool progress = false;      // whether standard error can show a line that changes
  };
  // Of the descriptors and the environment (COLUMNS, NO_COLOR, TERM) of this program.
  [[nodiscard]] static Settings detect();

  explicit Terminal(const Settings& settings) : settings_(settings) {}
  ~Terminal() { clear_progress(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int width() const { return settings_.width; }
  [[nodiscard]] bool colour() const { return settings_.colour; }

  // To standard output, at once. Throws OutputError.
  void print(std::string_view text);
  // "jostle: text" to standard error, a line.
  void complain(std::string_view text);
  // Lines to standard error as they are.
  void note(std::string_view lines);

  // What is being done and how much of it is (0 to 1); a line that replaces itself, shown from half a second
  // on.
  void progress(std::string_view what, double done);
  void clear_progress();

 private:
  using Clock = std::chrono::steady_clock;

  Settings settings_;
  std::optional<Clock::time_point> progress_began_;
  Clock::time_point progress_next_;
  bool progress_shown_ = false;
};

// Columns that `text` takes on a screen: code points of UTF-8, none of which jostle writes is wide.
[[nodiscard]] std::size_t display_width(std::string_view text);
// The beginning of `text` that fits, with an ellipsis where it was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace jostle::cli
