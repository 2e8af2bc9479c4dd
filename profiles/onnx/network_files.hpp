// Finds the ONNX files of networks that logs, recordings and evidence name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "input/problems.hpp"
#include "profiles/onnx/onnx.hpp"

namespace jostle::profiles {

class NetworkFiles {
 public:
  // `named` are files that the user gave, `folders` may contain further ones; "" is the working directory.
  explicit NetworkFiles(std::vector<std::string> named = {}, std::vector<std::string> folders = {});
  void also_in(const std::string& folder);

  // The path of a file by the name that a log gives it, "models/mine.onnx" or only "mine". Searches the named
  // files, then that path itself, then the folders. Empty if there is none.
  [[nodiscard]] std::string by_name(std::string_view written) const;
  // The path of a file by its content_name(), or by the SHA-256 of its bytes, in hexadecimal. Searches the
  // named files, then all .onnx files in the folders. Empty if there is none.
  [[nodiscard]] std::string by_content(std::string_view content);
  [[nodiscard]] std::string by_sha256(std::string_view digest);

  // content_name() of a file; empty, with a problem, if it cannot be read.
  [[nodiscard]] std::string content_of(const std::string& path, input::Problems& problems);
  // The network in a file, read once; null, with a problem, if it cannot be read.
  [[nodiscard]] std::shared_ptr<const OnnxNetwork> read(const std::string& path, input::Problems& problems);

 private:
  struct Known {
    std::string content, sha256;
  };
  [[nodiscard]] std::vector<std::string> candidates() const;
  [[nodiscard]] const Known& known(const std::string& path, input::Problems& problems);

  std::vector<std::string> named_, folders_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::shared_ptr<const OnnxNetwork>> read_;
};

}  // namespace jostle::profiles
