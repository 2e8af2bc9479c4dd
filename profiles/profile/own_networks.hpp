// Networks that were recorded on the board of a profile: NAME.onnx in the folder mine.kernels/ beside
// mine.yaml, called mine/NAME.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::profiles {

// The folder of a profile's file.
[[nodiscard]] std::filesystem::path own_networks_folder(const std::filesystem::path& profile);

// "NAME" of "mine/NAME", if that is the profile's; the text itself of any other.
[[nodiscard]] std::string_view own_network_name(std::string_view text, const std::filesystem::path& profile);

// The file of "mine/NAME"; empty if there is none, or the text is no such name.
[[nodiscard]] std::string own_network_file(std::string_view text, const std::filesystem::path& profile);

// All of them, "mine/NAME", in no order.
[[nodiscard]] std::vector<std::string> own_networks(const std::filesystem::path& profile);

}  // namespace jostle::profiles
