// The name of a network from a file by its content, "onnx-0123456789abcdef". Evidence and profiles refer to
// it by this name, so that a renamed file is the same network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jostle::profiles {

// The name for the hash of the file's bytes (OnnxNetwork::hash).
[[nodiscard]] std::string content_name(std::uint64_t hash);
[[nodiscard]] bool is_content_name(std::string_view name);

}  // namespace jostle::profiles
