#include "profiles/onnx/network_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "input/file.hpp"
#include "input/hash.hpp"
#include "profiles/onnx/content_name.hpp"

namespace jostle::profiles {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".onnx";

// The file name without folders, "mine.onnx"; unusual characters become '_', as in scripts/record-jetson.
std::string plain_name(std::string_view path) {
  std::string name = fs::path(path).filename().string();
  if (!name.ends_with(extension)) name += extension;
  for (char& c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-';
    if (!kept) c = '_';
  }
  return name;
}

bool is_existing_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator at(folder.empty() ? "." : folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error))
    if (at->path().extension() == extension && is_existing_file(at->path()))
      found.push_back((fs::path(folder) / at->path().filename()).string());
  std::ranges::sort(found);
  return found;
}

}  // namespace

NetworkFiles::NetworkFiles(std::vector<std::string> named, std::vector<std::string> folders)
    : named_(std::move(named)) {
  for (const std::string& folder : folders) also_in(folder);
}

void NetworkFiles::also_in(const std::string& folder) {
  if (std::ranges::find(folders_, folder) == folders_.end()) folders_.push_back(folder);
}

std::vector<std::string> NetworkFiles::candidates() const {
  std::vector<std::string> all = named_;
  for (const std::string& folder : folders_)
    for (std::string& file : files_in(folder)) all.push_back(std::move(file));
  return all;
}

std::string NetworkFiles::by_name(std::string_view written) const {
  if (written.empty()) return {};
  const std::string wanted = plain_name(written);
  for (const std::string& file : named_)
    if (plain_name(file) == wanted) return file;
  if (written.ends_with(extension) && is_existing_file(written)) return std::string(written);
  for (const std::string& folder : folders_)
    for (const std::string& file : files_in(folder))
      if (plain_name(file) == wanted) return file;
  return {};
}

const NetworkFiles::Known& NetworkFiles::known(const std::string& path, input::Problems& problems) {
  if (const auto found = known_.find(path); found != known_.end()) return found->second;
  Known of;
  if (const auto bytes = input::read_text_file(path, max_onnx_bytes, problems))
    of = {content_name(input::fnv1a_of_words(*bytes)), input::sha256(*bytes)};
  return known_.emplace(path, std::move(of)).first->second;
}

std::string NetworkFiles::content_of(const std::string& path, input::Problems& problems) {
  return known(path, problems).content;
}

std::string NetworkFiles::by_content(std::string_view content) {
  input::Problems none;
  for (const std::string& file : candidates())
    if (known(file, none).content == content) return file;
  return {};
}

std::string NetworkFiles::by_sha256(std::string_view digest) {
  input::Problems none;
  for (const std::string& file : candidates())
    if (known(file, none).sha256 == digest) return file;
  return {};
}

std::shared_ptr<const OnnxNetwork> NetworkFiles::read(const std::string& path, input::Problems& problems) {
  if (const auto found = read_.find(path); found != read_.end()) return found->second;
  auto network = read_onnx(path, {}, problems);
  if (!network) return nullptr;
  return read_.emplace(path, std::make_shared<const OnnxNetwork>(*std::move(network))).first->second;
}

}  // namespace jostle::profiles
