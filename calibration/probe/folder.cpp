#include "calibration/probe/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"
#include "input/units.hpp"

namespace jostle::calibration::probe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_header = "part,file,quick,start,end,note\n";
constexpr std::array<std::string_view, 6> manifest_columns{"part", "file", "quick", "start", "end", "note"};
constexpr std::array<std::string_view, 7> parameter_columns{"parameter", "value", "unit", "relative_sd_pct",
                                                            "samples",   "part",  "how"};

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

// A path inside the folder, in plain form.
bool is_inside(const std::string& file) {
  const fs::path path(file);
  return path.is_relative() && path.lexically_normal() == path && !file.starts_with("..");
}

void add_manifest_row(ProbeFolder& folder, const input::CsvTable::Row& row) {
  FinishedPart part;
  part.name = row.text("part");
  if (part.name.empty()) row.fail("the part has no name");
  if (row.text("quick") != "0" && row.text("quick") != "1") row.fail("quick is 0 or 1");
  part.quick = row.text("quick") == "1";
  part.start = row.number("start");
  part.end = row.number("end");
  if (!(part.start > 0) || part.end < part.start) row.fail("the part ends before it begins");
  part.note = row.text("note");
  const std::string file = row.text("file");
  if (!is_inside(file)) row.fail("the file is outside the probe's folder");
  std::error_code ignored;
  if (!fs::is_regular_file(folder.path / file, ignored)) row.fail(input::printable(file) + " is not there");
  auto known = std::ranges::find(folder.parts, part.name, &FinishedPart::name);
  if (known == folder.parts.end()) known = folder.parts.insert(folder.parts.end(), std::move(part));
  if (std::ranges::find(known->files, file) != known->files.end()) row.fail("this file is listed already");
  known->files.push_back(file);
}

void add_parameter_row(ProbeFolder& folder, const input::CsvTable::Row& row) {
  ProbedParameter read;
  Measured& measured = read.measured;
  measured.parameter = row.text("parameter");
  measured.value = row.number("value");
  measured.unit = row.text("unit");
  const double percent = row.number("relative_sd_pct");
  const std::int64_t samples = row.integer("samples");
  if (percent < 0) row.fail("a negative standard error");
  if (samples < 0) row.fail("a negative number of samples");
  measured.relative_sd = percent / 100;
  measured.samples = static_cast<std::size_t>(samples);
  read.part = row.text("part");
  measured.how = row.text("how");
  if (measured.parameter.empty() || measured.parameter.find_first_of(" \n\t") != std::string::npos)
    row.fail("a parameter is named by its path in a profile, or seen.NAME");
  if (std::ranges::find(folder.parts, read.part, &FinishedPart::name) == folder.parts.end())
    row.fail("the manifest has no part " + input::printable(read.part));
  for (const ProbedParameter& other : folder.parameters)
    if (other.measured.parameter == measured.parameter)
      row.fail("the parameter occurs twice: " + input::printable(measured.parameter));
  folder.parameters.push_back(std::move(read));
}

void note_parts_set_aside(ProbeFolder& folder) {
  std::error_code error;
  std::vector<fs::path> aside;
  for (fs::directory_iterator at(folder.path, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".mixed" || at->path().extension() == ".failed")
      aside.push_back(at->path());
  std::ranges::sort(aside);
  for (const fs::path& path : aside) {
    std::string why;
    std::ifstream file(path / "why.txt");
    std::getline(file, why);
    folder.notes.push_back(
        fmt::format("{} is left out{}{}", path.filename().string(), why.empty() ? "" : ": ", why));
  }
}

}  // namespace

bool is_probe_folder(const fs::path& path) {
  std::ifstream file(path / "manifest.csv");
  std::string line;
  return std::getline(file, line) && input::without_mark(line).starts_with("part,file,");
}

std::optional<ProbeFolder> read_probe_folder(const fs::path& path, input::Problems& problems) {
  ProbeFolder folder{
      .path = path, .identity = {}, .settings = {}, .parts = {}, .parameters = {}, .notes = {}};
  try {
    const input::CsvTable manifest = input::CsvTable::read(path / "manifest.csv", manifest_columns);
    for (const input::CsvTable::Row row : manifest) add_manifest_row(folder, row);
    constexpr std::array<std::string_view, 2> keys{"key", "value"};
    folder.identity = parse_identity(input::CsvTable::read(path / "identity.csv", keys));
    if (const auto text = input::read_text_file((path / "settings.txt").string(), 1 << 20, problems))
      folder.settings = parse_state(*text);
    const input::CsvTable parameters = input::CsvTable::read(path / "parameters.csv", parameter_columns);
    for (const input::CsvTable::Row row : parameters) add_parameter_row(folder, row);
  } catch (const input::CsvError& error) {
    problems.add({}, {}, error.what());
    return std::nullopt;
  }
  note_parts_set_aside(folder);
  return problems.empty() ? std::optional(std::move(folder)) : std::nullopt;
}

std::string manifest_csv(const std::vector<FinishedPart>& parts) {
  std::string text(manifest_header);
  for (const FinishedPart& part : parts)
    for (const std::string& file : part.files)
      text += fmt::format("{},{},{},{:.3f},{:.3f},{}\n", input::csv_field(part.name), input::csv_field(file),
                          part.quick ? 1 : 0, part.start, part.end, input::csv_field(part.note));
  return text;
}

std::string parameters_csv(const std::vector<ProbedParameter>& parameters) {
  std::string text = fmt::format("{}\n", fmt::join(parameter_columns, ","));
  for (const auto& [measured, part] : parameters)
    text += fmt::format("{},{:.6g},{},{:.3g},{},{},{}\n", input::csv_field(measured.parameter),
                        measured.value, input::csv_field(measured.unit), 100 * measured.relative_sd,
                        measured.samples, input::csv_field(part), input::csv_field(measured.how));
  return text;
}

void give_to_caller(const fs::path& path) {
  const char* const user = std::getenv("SUDO_UID");
  const char* const group = std::getenv("SUDO_GID");
  bool ignored = false;
  if (user == nullptr || geteuid() != 0) return;
  const auto uid = input::parse_integer(user, ignored);
  const auto gid = input::parse_integer(group != nullptr ? group : user, ignored);
  // A file system that knows no owners leaves the file with root; that harms nothing.
  if (uid && gid && lchown(path.c_str(), static_cast<uid_t>(*uid), static_cast<gid_t>(*gid)) != 0) errno = 0;
}

void write_file(const fs::path& path, std::string_view text) {
  const fs::path beside = path.string() + ".part";
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) cannot_write(path, errno);
  }
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) cannot_write(path, error.value());
  give_to_caller(path);
}

void write_file(const Session& session, Outcome& outcome, const std::string& name, std::string_view text) {
  const fs::path path = session.folder / name, folder = path.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error.value());
  give_to_caller(folder);
  write_file(path, text);
  outcome.files.push_back(name);
}

Claim::Claim(const fs::path& folder) : folder_(folder) {
  const auto refuse = [&](std::string_view why) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw input::Refused(fmt::format("{}: {}", input::printable(folder.string(), 400), why));
  };
  std::error_code error;
  if (fs::create_directories(folder, error)) {
    made_.emplace(folder.string());
    give_to_caller(folder);
  }
  if (error) refuse("cannot be made: " + error.message());
  // The lock is the open folder's, which forks share and no file keeps.
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 || ::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  const bool held = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat now {};
  const bool there = ::fstat(descriptor_, &now) == 0 && now.st_nlink > 0;
  if (held || !there) {
    made_.reset();
    refuse("another probe is writing to this folder; wait for its end, or choose another --output");
  }
}

Claim::~Claim() {
  std::error_code ignored;
  if (made_) fs::remove_all(folder_, ignored);
  ::close(descriptor_);
}

}  // namespace jostle::calibration::probe
