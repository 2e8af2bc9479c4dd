// JSON objects of figures, as benchmarks write their summaries: keys of nested objects are joined by dots.
//
// Part of the readers of JSON logs; not for use elsewhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "calibration/logs/source.hpp"
#include "input/problems.hpp"

namespace jostle::calibration {

class FlatObject {
 public:
  // Absent if there is none, or it is no number; a text that is one counts.
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  void set(const std::string& key, std::variant<double, std::string> value);
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }  // in order

 private:
  std::map<std::string, std::variant<double, std::string>, std::less<>> values_;
  std::vector<std::string> keys_;
};

// The objects of a file that holds one, an array of them, or one a line. Arrays inside of them are left out.
// Empty, with a problem, if it is no such file.
[[nodiscard]] std::vector<FlatObject> read_flat_objects(Source& source, input::Problems& problems);

}  // namespace jostle::calibration
