#include "output/claim.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <vector>

#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::output {
namespace {

namespace fs = std::filesystem;

std::string shown(const std::string& path) {
  return input::printable(path, 400);
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw input::Refused(fmt::format("cannot write {}: {}", shown(path), why));
}

struct Claimed {
  std::string path, target;
  std::optional<input::FileId> id;
};

// One for the process, because two outputs of one command are opened in different places.
struct Outputs {
  std::mutex guard;
  std::vector<Claimed> claimed;
};

Outputs& outputs() {
  static Outputs all;
  return all;
}

// The path without symbolic links, absolute; the file itself need not exist.
std::string followed(const std::string& path) {
  std::error_code error;
  fs::path at = path;
  // A link to a file that does not exist yet is followed as well: the link stays, and the file is created.
  constexpr int most_links = 40;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, error)); ++links) {
    if (links == most_links) refuse(path, std::strerror(ELOOP));
    const fs::path to = fs::read_symlink(at, error);
    if (error) refuse(path, error.message());
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
  if (error) refuse(path, error.message());
  return (folder / at.filename()).string();
}

}  // namespace

Claim::Claim(const std::string& path) : path_(path) {
  if (path.empty() || path.find('\0') != std::string::npos) refuse(path, "not a valid file name");
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(path, "is a directory");
    if (S_ISSOCK(status.st_mode) && !path.starts_with("/dev/")) refuse(path, "is a socket");
    regular_ = S_ISREG(status.st_mode);
    id_ = input::id_of(status);
  } else if (errno != ENOENT) {
    refuse(path, std::strerror(errno));
  }
  target_ = regular_ ? followed(path) : path;
  check_unread();
  if (!regular_ && !S_ISFIFO(status.st_mode)) return;
  const std::lock_guard lock(outputs().guard);
  const auto same = [this](const Claimed& other) {
    return other.target == target_ || (id_ && other.id == id_);
  };
  const auto other = std::ranges::find_if(outputs().claimed, same);
  if (other != outputs().claimed.end())
    refuse(path, other->path == path
                     ? "it is the file of another output"
                     : fmt::format("it is the file of another output, {}", shown(other->path)));
  outputs().claimed.push_back({path_, target_, id_});
  counted_ = true;
}

Claim::~Claim() {
  if (!counted_) return;
  const std::lock_guard lock(outputs().guard);
  std::erase_if(outputs().claimed, [this](const Claimed& one) { return one.target == target_; });
}

void Claim::check_unread() const {
  const auto as = id_ && regular_ ? input::read_as(*id_) : std::nullopt;
  if (as)
    refuse(path_, *as == path_ ? "it is an input" : fmt::format("it is an input, {}", input::file_name(*as)));
}

}  // namespace jostle::output
