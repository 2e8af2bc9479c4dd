#include "profiles/profile/own_networks.hpp"

#include <fmt/format.h>

namespace jostle::profiles {

namespace fs = std::filesystem;

fs::path own_networks_folder(const fs::path& profile) {
  return profile.parent_path() / (profile.stem().string() + ".kernels");
}

std::string_view own_network_name(std::string_view text, const fs::path& profile) {
  const std::string begin = profile.stem().string() + '/';
  return !profile.empty() && text.starts_with(begin) ? text.substr(begin.size()) : text;
}

std::string own_network_file(std::string_view text, const fs::path& profile) {
  const std::string_view name = own_network_name(text, profile);
  const bool plain = name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
  if (name.size() == text.size() || !plain) return {};
  const fs::path file = own_networks_folder(profile) / fmt::format("{}.onnx", name);
  std::error_code error;
  return fs::exists(file, error) ? file.string() : std::string();
}

std::vector<std::string> own_networks(const fs::path& profile) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(own_networks_folder(profile), error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension().string() == ".onnx")
      found.push_back(fmt::format("{}/{}", profile.stem().string(), at->path().stem().string()));
  return found;
}

}  // namespace jostle::profiles
