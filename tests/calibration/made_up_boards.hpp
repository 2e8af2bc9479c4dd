// Trees of /proc, /sys, /dev and /etc of machines that nobody owns, in a temporary folder.
#pragma once

#include <filesystem>
#include <string>

namespace jostle::calibration::made_up {

class Tree {
 public:
  Tree();
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  // Writes a file with a newline at its end; `path` begins with a slash.
  void write(const std::string& path, const std::string& text) const;
  void link(const std::string& path, const std::string& target) const;
  void remove(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

void orin_nano(const Tree& tree);   // 8 GB, Super, six cores in two clusters, JetPack 6
void tx2(const Tree& tree);         // Denver cores 1 and 2 between Cortex-A57, JetPack 4
void pc_with_l4(const Tree& tree);  // four cores of two threads each

}  // namespace jostle::calibration::made_up
