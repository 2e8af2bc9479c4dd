// What is wrong with an input, said so that it can be put right: file, line, path, message, hint.
//
// Readers never throw at bad input and never print: they add to a Problems, and go on to find the next one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace jostle::input {

// Where a piece of input stands. `origin` is a file name, or a command-line option such as "--set a.b=1".
struct Location {
  std::shared_ptr<const std::string> origin;
  int line = 0;    // from 1; 0 where lines mean nothing (an option, a whole file)
  int column = 0;  // from 1
};

struct Problem {
  Location location;
  std::string path;     // "processes.0.batch"; empty: the whole document
  std::string message;  // what is wrong
  std::string hint;     // how to put it right; may be empty

  // "gate.yaml:7: processes.0.batch: 0 is below the least value 1 (hint)"
  [[nodiscard]] std::string text() const;
};

class Problems {
 public:
  // More than this many are only counted: a file of garbage need not be answered line by line.
  static constexpr std::size_t max_kept = 50;

  // Kept as `printable` shows the texts: a problem is one line, whatever the input holds.
  void add(Location location, std::string path, std::string message, std::string hint = {});
  // Of a file as a whole.
  void add_file(const std::string& file, std::string message, std::string hint = {});

  void append(const Problems& others);
  // Into reading order: by origin, then line; equals stay as found.
  void sort();

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::size_t count() const { return list_.size() + dropped_; }
  [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
  // One line a problem, each ended by a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Problem> list_;
  std::size_t dropped_ = 0;
};

}  // namespace jostle::input
