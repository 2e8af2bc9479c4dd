// For tests of schemas: the keys that readers request from mappings, which are the keys that they accept.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace jostle::input {

// Collects, while it lives, the keys that readers request on this thread. Only one may live at a time.
class AskedKeys {
 public:
  AskedKeys();
  ~AskedKeys();
  AskedKeys(const AskedKeys&) = delete;
  AskedKeys& operator=(const AskedKeys&) = delete;

  // The keys by the path of the mapping, with `*` for every index: "processes.*.arrivals".
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& by_path() const { return by_path_; }

 private:
  friend void note_asked(const std::string& path, const std::vector<std::string>& keys);
  std::map<std::string, std::set<std::string>> by_path_;
};

// Notes that a mapping at this path has been read with these keys. It has no effect while no AskedKeys lives.
void note_asked(const std::string& path, const std::vector<std::string>& keys);

}  // namespace jostle::input
