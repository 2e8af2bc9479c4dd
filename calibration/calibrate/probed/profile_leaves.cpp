#include "calibration/calibrate/probed/profile_leaves.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::calibration {
namespace {

// A tree of leaves by the steps of their paths, in the order in which the steps came first.
struct LeafBranch {
  std::vector<std::string> names;  // names of the parts
  std::vector<LeafBranch> parts;
  std::string yaml;

  LeafBranch& part(const std::string& name) {
    const auto known = std::ranges::find(names, name);
    if (known != names.end()) return parts[static_cast<std::size_t>(known - names.begin())];
    names.push_back(name);
    return parts.emplace_back();
  }
};

void write_branch(const LeafBranch& branch, const std::string& indent, std::string& text) {
  for (std::size_t i = 0; i < branch.parts.size(); ++i) {
    const LeafBranch& part = branch.parts[i];
    text += fmt::format("{}{}:", indent, branch.names[i]);
    if (part.parts.empty()) {
      text += ' ' + part.yaml + '\n';
    } else {
      text += '\n';
      write_branch(part, indent + "  ", text);
    }
  }
}

}  // namespace

std::string yaml_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

std::string graded_yaml(const std::string& value, const std::string& grade, const std::string& source) {
  return fmt::format("{{value: {}, grade: {}, source: {}}}", value, grade, yaml_quoted(source));
}

std::string leaves_text(const std::vector<ProfileLeaf>& leaves) {
  LeafBranch root;
  for (const ProfileLeaf& leaf : leaves) {
    LeafBranch* at = &root;
    for (std::size_t begin = 0; begin <= leaf.path.size();) {
      const std::size_t end = std::min(leaf.path.find('.', begin), leaf.path.size());
      at = &at->part(leaf.path.substr(begin, end - begin));
      begin = end + 1;
    }
    at->yaml = leaf.yaml;
  }
  std::string text;
  write_branch(root, "", text);
  return text;
}

}  // namespace jostle::calibration
