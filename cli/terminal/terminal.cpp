#include "cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "input/interruption.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"
#include "scenarios/run/cpu_time.hpp"

namespace jostle::cli {
namespace {

constexpr int min_width = 20;
constexpr auto progress_after = std::chrono::milliseconds(500);
constexpr auto progress_every = std::chrono::milliseconds(100);
constexpr double telling_s = 1;        // seconds of work
constexpr double telling_from = 0.02;  // share of all work; sooner an estimate is a guess by what comes first
constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::string_view strong_style = "\x1b[1m", faint_style = "\x1b[2m", bad_style = "\x1b[31m",
                           no_style = "\x1b[0m";
constexpr std::array styles{strong_style, faint_style, bad_style, no_style};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<int> columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::nullopt;
}

// Writes all of `text`, retrying after signals and short writes. False with errno set on failure, also when
// the user wants the program to end while a reader does not read.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR && !input::interruption()) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// `text` with characters that control a terminal escaped, except line ends and, if `colour`, the styles of
// `styled`.
std::string safe(std::string_view text, bool colour) {
  std::string result;
  while (!text.empty()) {
    std::string_view style;
    if (colour) {
      for (const std::string_view known : styles)
        if (text.starts_with(known)) style = known;
    }
    result += style;
    text.remove_prefix(style.size());
    const std::size_t end = std::min(text.find('\x1b', style.empty() ? 1 : 0), text.size());
    result += input::printable_lines(text.substr(0, end));
    text.remove_prefix(end);
  }
  return result;
}

// A failure to write to standard error cannot be reported, so it is ignored.
void write_error(std::string_view text) {
  if (!write_all(STDERR_FILENO, text)) errno = 0;
}

}  // namespace

void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() takes the lowest free number, and the lower ones are open by now.
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY) != descriptor)
      _exit(1);
  }
}

Terminal::Settings Terminal::detect() {
  Settings settings;
  const bool output = isatty(STDOUT_FILENO) == 1;
  const bool error = isatty(STDERR_FILENO) == 1;
  const std::string_view term = environment("TERM");
  const bool capable = !term.empty() && term != "dumb";
  const bool colour = capable && environment("NO_COLOR").empty();
  settings.colour = output && colour;
  settings.error_colour = error && colour;
  settings.progress = error && capable;

  const std::string_view requested = environment("COLUMNS");
  int columns = 0;
  const auto read = std::from_chars(requested.data(), requested.data() + requested.size(), columns);
  if (!requested.empty() && read.ec == std::errc{} && read.ptr == requested.data() + requested.size()) {
    settings.width = std::max(columns, min_width);
  } else if (output) {
    settings.width = std::max(columns_of(STDOUT_FILENO).value_or(80), min_width);
  }
  return settings;
}

void Terminal::print(std::string_view text) {
  print_data(safe(text, settings_.colour));
}

void Terminal::print_data(std::string_view text) {
  clear_progress();
  if (settings_.output != nullptr) {
    settings_.output->append(text);
    return;
  }
  if (write_all(STDOUT_FILENO, text)) return;
  if (errno == EINTR) throw input::Interrupted();
  throw OutputError(fmt::format("cannot write to standard output: {}", std::strerror(errno)), errno == EPIPE);
}

void Terminal::write_message(std::string_view text) {
  if (settings_.messages != nullptr)
    settings_.messages->append(text);
  else
    write_error(text);
}

void Terminal::complain(std::string_view text) {
  clear_progress();
  write_message(
      fmt::format("{} {}\n", styled("jostle:", Style::bad, settings_.error_colour), safe(text, false)));
}

ExitCode Terminal::refuse(std::string_view text) {
  complain(text);
  return ExitCode::bad_input;
}

ExitCode Terminal::refuse(const input::Problems& problems) {
  note(problems.text());
  return ExitCode::bad_input;
}

void Terminal::note(std::string_view lines) {
  clear_progress();
  write_message(safe(lines, false));
}

void Terminal::progress(std::string_view what, double done) {
  const double share = std::clamp(done, 0.0, 1.0);
  if (settings_.told) settings_.told(share);
  const Clock::time_point now = Clock::now();
  if (!progress_began_ || share < progress_from_) {
    if (!progress_began_) progress_next_ = now + progress_after;
    progress_began_ = now;
    progress_from_ = share;
  }
  const double elapsed = std::chrono::duration<double>(now - *progress_began_).count();
  const double left = elapsed * (1 - share) / std::max(share - progress_from_, 1e-9);
  const double least = elapsed < scenarios::worth_telling_s ? telling_from : 1e-9;
  const bool known = share >= progress_from_ + least;
  const bool tells = elapsed >= telling_s && known && left >= scenarios::worth_telling_s;
  if (tells && !expected_) expect(what, left, "more");
  if (!settings_.progress || now < progress_next_) return;
  progress_next_ = now + progress_every;
  std::string line = fmt::format("{:3.0f} %  {}", 100 * share, what);
  if (known && share < 1) line += fmt::format("  ({:.0f} s left)", left);
  // The line stays one column short of the edge: a full line would wrap and could not be erased.
  const int columns = columns_of(STDERR_FILENO).value_or(80);
  write_error(fmt::format(
      "{}{}", erase_line,
      shortened(input::printable(line, std::string::npos), static_cast<std::size_t>(columns - 1))));
  progress_shown_ = true;
}

void Terminal::expect(std::string_view what, double seconds, std::string_view of) {
  expected_ = true;
  if (seconds < scenarios::worth_telling_s) return;
  const auto began = progress_began_;
  complain(fmt::format("warning: {}: this may take {} {}", input::printable(what, std::string::npos),
                       about(seconds), of));
  progress_began_ = began;
}

void Terminal::clear_progress() {
  if (progress_shown_) write_error(erase_line);
  progress_shown_ = false;
  progress_began_.reset();
}

std::string about(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 2 * minute) return fmt::format("some {:.0f} seconds", seconds);
  if (seconds < 2 * hour) return fmt::format("some {:.0f} minutes", seconds / minute);
  return seconds < 100 * hour ? fmt::format("some {:.0f} hours", seconds / hour) : "days";
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain || text.empty()) return std::string(text);
  const std::string_view begin = style == Style::strong  ? strong_style
                                 : style == Style::faint ? faint_style
                                                         : bad_style;
  return fmt::format("{}{}{}", begin, text, no_style);
}

std::size_t display_width(std::string_view text) {
  // Bytes 10xxxxxx continue a code point.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts && seen++ == columns - 1) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace jostle::cli
