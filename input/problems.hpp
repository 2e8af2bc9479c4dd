// Problems of an input, with all that is needed to correct them: file, line, path, message, hint.
//
// Readers do not throw on bad input and do not print. They add to a Problems and continue to find further
// problems.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace jostle::input {

// Thrown if the user's request cannot be carried out: nothing was run, and the command exits with 2.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Position of a value in an input. `origin` is a file name or a command-line option such as "--set a.b=1".
struct Location {
  std::shared_ptr<const std::string> origin;
  int line = 0;    // from 1; 0 if there are no lines (an option, a whole file)
  int column = 0;  // from 1
};

struct Problem {
  Location location;
  std::string path;     // "processes.0.batch"; empty: the whole document
  std::string message;  // the error
  std::string hint;     // a correction; may be empty

  // "gate.yaml:7: processes.0.batch: 0 is below the least value 1 (hint)"
  [[nodiscard]] std::string text() const;
};

class Problems {
 public:
  // Problems beyond this number are only counted.
  static constexpr std::size_t max_kept = 50;

  // Each text is stored as `printable` shows it: a problem is one line, whatever the input contains.
  void add(Location location, std::string path, std::string message, std::string hint = {});
  // Adds a problem of a whole file.
  void add_file(const std::string& file, std::string message, std::string hint = {});

  void append(const Problems& others);
  // Sorts into reading order: by origin, then line. Stable.
  void sort();

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t count() const { return list_.size() + dropped_; }
  [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
  // One line for each problem, each ended by a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Problem> list_;
  std::size_t dropped_ = 0;
};

}  // namespace jostle::input
