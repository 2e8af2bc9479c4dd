// For tests of schemas: which keys readers ask mappings for, and so which they accept.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace jostle::input {

// While one lives, it collects what is asked for on this thread. One at a time.
class AskedKeys {
 public:
  AskedKeys();
  ~AskedKeys();
  AskedKeys(const AskedKeys&) = delete;
  AskedKeys& operator=(const AskedKeys&) = delete;

  // By the path of the mapping, with `*` for every index: "processes.*.arrivals".
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& by_path() const { return by_path_; }

 private:
  friend void note_asked(const std::string& path, const std::vector<std::string>& keys);
  std::map<std::string, std::set<std::string>> by_path_;
};

// A mapping at this path has been read by these keys. Does nothing where nobody collects.
void note_asked(const std::string& path, const std::vector<std::string>& keys);

}  // namespace jostle::input
