#include "calibration/logs/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "calibration/logs/log_text.hpp"
#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/printable.hpp"

namespace jostle::calibration {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.csv";
constexpr std::array<std::string_view, 16> columns{
    "run",       "file",  "format",    "device",  "power_mode", "pinned", "cpu_mhz", "model",
    "precision", "batch", "processes", "runtime", "sync",       "start",  "end",     "note"};
// The manifest's names of formats that `jostle import` names differently.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> words{
    {{"times", "trtexec-times"}, {"profile", "trtexec-profile"}}};
constexpr std::size_t max_note_bytes = std::size_t{1} << 20U;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string small_text(const fs::path& path) {
  input::Problems none;
  return input::read_text_file(path.string(), max_note_bytes, none).value_or("");
}

// The value of a line "key=value"; empty if there is none.
std::string value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key) && line.substr(key.size()).starts_with('='))
      return std::string(trimmed(line.substr(key.size() + 1)));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

bool is_set_aside(const fs::path& folder) {
  return folder.extension() == ".mixed" || folder.extension() == ".failed" || folder.extension() == ".part";
}

class ManifestReading {
 public:
  // `prefix` is put before the names of runs.
  ManifestReading(const fs::path& manifest, std::string prefix, Recording& into, input::Problems& problems)
      : manifest_(manifest),
        folder_(manifest.parent_path()),
        prefix_(std::move(prefix)),
        into_(into),
        problems_(problems) {}

  void run() {
    const input::CsvTable table =
        input::CsvTable::parse(input::read_text(manifest_), manifest_.string(), columns);
    if (table.rows() == 0) throw input::CsvError(manifest_.string(), 0, "the manifest lists no file");
    for (const input::CsvTable::Row row : table) read(row);
    note_set_aside();
    add_folders();
  }

 private:
  void read(const input::CsvTable::Row& row) {
    const auto text = [&](std::string_view column) { return row.text(column); };
    const auto count = [&](std::string_view column) -> std::optional<std::int64_t> {
      if (text(column).empty()) return std::nullopt;
      const std::int64_t value = row.integer(column);
      if (value < 1) row.fail(fmt::format("{} {} is not positive", column, value));
      return value;
    };
    RecordedFile file;
    file.path = (folder_ / text("file")).string();
    const fs::path inside = fs::path(text("file")).lexically_normal();
    if (inside.is_absolute() || inside.string().starts_with(".."))
      row.fail("the file is outside the recording");
    if (is_set_aside(inside.parent_path()))
      row.fail("the recorder has set this run aside: its state changed, or it failed");
    if (!is_file(file.path)) {
      problems_.add_file(file.path, fmt::format("listed in {}, but not there", manifest_.string()));
      return;
    }
    if (text("pinned") != "0" && text("pinned") != "1" && !text("pinned").empty())
      row.fail("pinned is 0 or 1");
    SuppliedFields& said = file.said;
    said = {.run = prefix_ + text("run"),
            .device = text("device"),
            .power_mode = text("power_mode"),
            .model = text("model"),
            .precision = text("precision"),
            .batch = count("batch"),
            .pinned = {},
            .processes = text("processes") == "0" ? std::nullopt : count("processes"),
            .runtime = text("runtime"),
            .sync = text("sync"),
            .cpu_mhz = text("cpu_mhz")};
    if (!text("pinned").empty()) said.pinned = text("pinned") == "1";
    if (text("format") == "nvpmodel") {
      check_mode(file);
      return;
    }
    std::string format = text("format");
    if (format == "layers") return;  // the engine's layers without their times, for people who look
    for (const auto& [word, name] : words)
      if (format == word) format = name;
    file.format = find_format(format);
    if (file.format == nullptr) row.fail("unknown format '" + input::printable(text("format")) + "'");
    find_onnx(said);
    into_.files.push_back(std::move(file));
  }

  // Checks that the text "NV Power Mode: 15W", as `nvpmodel -q` prints it, agrees with the manifest.
  void check_mode(const RecordedFile& file) {
    constexpr std::string_view key = "NV Power Mode:";
    const std::string text = small_text(file.path);
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return;
    const std::size_t begin = at + key.size();
    const std::string_view mode =
        trimmed(std::string_view(text).substr(begin, text.find('\n', begin) - begin));
    if (mode != file.said.power_mode)
      problems_.add_file(file.path, fmt::format("the board was in {}, the manifest says {}: mixed states",
                                                input::printable(std::string(mode)),
                                                input::printable(file.said.power_mode)));
  }

  // Finds the ONNX file in the engine's folder, which names the file it was built from.
  void find_onnx(SuppliedFields& said) const {
    if (said.model.empty() || !said.batch) return;
    const std::string name = fmt::format("{}-{}-b{}", said.model, said.precision, *said.batch);
    for (const fs::path& engines : {folder_ / "engines", folder_.parent_path() / "engines"}) {
      const std::string info = small_text(engines / name / "info.txt");
      if (info.empty()) continue;
      if (const std::string onnx = value_of(info, "onnx"); onnx.ends_with(".onnx")) said.model = onnx;
      said.onnx_sha256 = value_of(info, "onnx_sha256");
      return;
    }
  }

  void note_set_aside() {
    std::error_code error;
    std::vector<fs::path> aside;
    for (fs::directory_iterator at(folder_.empty() ? "." : folder_, error), end; !error && at != end;
         at.increment(error))
      if (is_set_aside(at->path())) aside.push_back(at->path());
    std::ranges::sort(aside);
    for (const fs::path& path : aside) {
      const std::string why = small_text(path / "why.txt");
      into_.notes.push_back(fmt::format("{} is left out{}{}", path.string(), why.empty() ? "" : ": ",
                                        trimmed(why.substr(0, why.find('\n')))));
    }
  }

  void add_folders() {
    const fs::path here = folder_.empty() ? fs::path(".") : folder_;
    std::vector<fs::path> near{here, here.parent_path(), here.parent_path().parent_path()};
    for (const RecordedFile& file : into_.files) near.push_back(fs::path(file.path).parent_path());
    for (const fs::path& folder : near) {
      const std::string name = folder.string();
      if (std::ranges::find(into_.folders, name) == into_.folders.end()) into_.folders.push_back(name);
    }
  }

  fs::path manifest_, folder_;
  std::string prefix_;
  Recording& into_;
  input::Problems& problems_;
};

// The manifests, each with the prefix of its runs.
std::vector<std::pair<fs::path, std::string>> manifests_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {{path, ""}};
  if (is_file(path / manifest_name)) return {{path / manifest_name, ""}};
  std::vector<std::pair<fs::path, std::string>> found;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (is_file(at->path() / manifest_name))
      found.emplace_back(at->path() / manifest_name, at->path().filename().string() + '/');
  std::ranges::sort(found);
  return found;
}

}  // namespace

bool is_recording(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return true;
  if (!is_file(path)) return false;
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && input::without_mark(line).starts_with("run,file,format,");
}

Recording read_recording(const std::string& path, input::Problems& problems) {
  Recording found;
  const auto manifests = manifests_of(path);
  if (manifests.empty())
    problems.add_file(path, "no manifest.csv here or in the folders inside",
                      "scripts/record-jetson writes them; single logs: jostle import auto FILE...");
  for (const auto& [manifest, prefix] : manifests) {
    try {
      ManifestReading(manifest, prefix, found, problems).run();
    } catch (const input::CsvError& error) {
      problems.add({}, {}, error.what());
    }
  }
  if (problems.empty() && found.files.empty()) problems.add_file(path, "the recording lists no log");
  return found;
}

}  // namespace jostle::calibration
