#include "profiles/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/hash.hpp"
#include "input/override.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/readers.hpp"
#include "input/spelling.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "profiles/embedded.hpp"
#include "profiles/profile/like.hpp"
#include "profiles/profile/read_parts.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/factors.hpp"
#include "profiles/tables/kernel_tables.hpp"

namespace jostle::profiles {
namespace {

// Caches profiles from files, so that each content is parsed once. Callers that run scenarios in a loop
// request the same file repeatedly, and a notebook may rewrite it in between.
struct Known {
  std::string text, tables;  // tables: state_of_tables()
  Profile profile;
};
std::mutex guard;

std::map<std::string, Known>& known() {
  static std::map<std::string, Known> by_path;
  return by_path;
}

std::string tables_of(const Profile& profile) {
  return state_of_tables(profile.spec->evidence) + state_of_tables(profile.spec->sibling);
}

// The profile that was parsed from `text`, the content of `path`. Absent if it was not parsed, or if a
// measured table in one of its folders has changed since. Thread-safe.
std::optional<Profile> known_profile(const std::string& path, const std::string& text) {
  const std::lock_guard lock(guard);
  const auto found = known().find(path);
  if (found == known().end() || found->second.text != text ||
      found->second.tables != tables_of(found->second.profile))
    return std::nullopt;
  return found->second.profile;
}

void remember_profile(const std::string& path, const std::string& text, const Profile& profile) {
  const std::lock_guard lock(guard);
  known().insert_or_assign(path, Known{text, tables_of(profile), profile});
}

constexpr std::string_view folder = "devices/", suffix = ".yaml";

// Reads the name of a shipped folder, or a path (contains a '/') relative to the profile's own folder. Empty,
// with a problem, if there is no such evidence.
std::string read_source(const input::Cursor& at) {
  const auto text = input::Text{4096}(at);
  if (!text) return {};
  std::string source = *text;
  if (source.find('\n') != std::string::npos) {
    at.problem("the name of evidence has a line break");
    return {};
  }
  if (!input::has_directory(source)) {
    if (!embedded_file("kernels/" + source + "/kernels.csv"))
      at.problem("there is no shipped evidence of the name " + source);
    return source;
  }
  const std::string origin = at.location().origin ? *at.location().origin : std::string();
  if (!origin.starts_with("--")) source = std::filesystem::path(origin).parent_path() / source;
  if (!input::has_directory(source)) source.insert(0, "./");
  try {
    (void)kernel_tables(source);
  } catch (const input::CsvError& error) {
    at.problem(error.what());
  }
  return source;
}

// Reads one source, or a list of them in the order of precedence.
void read_evidence(const input::Cursor& at, std::string& evidence) {
  constexpr std::size_t most = 16;
  std::vector<std::string> sources;
  if (!at.is(input::Kind::sequence)) {
    sources.push_back(read_source(at));
  } else {
    for (const input::Cursor& item : at.items("a list of evidence", most))
      sources.push_back(read_source(item));
  }
  evidence = joined_evidence(sources);
}

void read_prices(const input::Cursor& at, std::vector<ProfileParameter>& parameters, Prices& prices) {
  Block block(at, "prices: board, per_hour", parameters);
  constexpr double most = 1e9;
  const auto read = [&](const char* key, const input::Dimension& dimension, std::optional<double>& into) {
    double value = 0;
    if (block.optional(key, value, input::Quantity{dimension, 0, most, true})) into = value;
  };
  read("board", input::price_dimension(), prices.board_usd);
  read("per_hour", input::price_per_time_dimension(), prices.per_hour_usd);
}

// Checks that every runtime has a context, since without one it would need no memory.
void check_contexts(const input::Cursor& at, const board::DeviceSpec& device) {
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (device.runtimes[row.runtime] && !device.contexts[row.runtime])
      at.problem(fmt::format("memory.contexts: no context for runtime {}", row.name));
  }
}

void take_power_limit(const input::Cursor& gpu, const power::PowerLimitSpec& limit,
                      board::DeviceSpec& device) {
  if (!device.power) return gpu.descend("power_limit").problem("there is no power to limit", "power");
  if (gpu.problems().empty() && device.gpu.clock_table_hz.empty())
    gpu.descend("power_limit").problem("there is no table of clocks to lower", "gpu.clock_table");
  device.power->limit = limit;
}

void read_device(const input::Cursor& at, Profile& profile) {
  std::vector<ProfileParameter>& parameters = profile.figures;
  board::DeviceSpec& device = *profile.spec;
  input::Mapping top(at, "a device profile");
  top.required("name", device.name, input::Text{100});
  top.required("description", device.description, input::Text{400});
  if (const auto part = top.find("evidence")) read_evidence(*part, device.evidence);
  if (const auto part = top.find("sibling_evidence")) read_evidence(*part, device.sibling);
  if (const auto part = top.require("cpu")) read_cpu(*part, parameters, *device.cpu);
  const auto gpu = top.find("gpu");
  std::optional<power::PowerLimitSpec> limit;
  if (gpu) read_gpu(*gpu, parameters, device, limit);
  if (const auto part = top.find("dla")) read_dla(*part, parameters, device.dla);
  if (const auto part = top.find("engines")) read_engines(*part, parameters, device.engines);
  if (const auto part = top.require("memory")) read_memory(*part, parameters, device);
  if (const auto part = top.require("runtimes")) read_runtimes(*part, parameters, device);
  if (const auto part = top.require("sync")) read_sync(*part, parameters, device.sync);
  // Without a GPU no work is enqueued on it.
  if (gpu) {
    if (const auto part = top.find("observer")) read_observer(*part, parameters, device);
    if (const auto part = top.require("refill")) read_follow_up(*part, parameters, device.follow_up);
  }
  check_contexts(at, device);
  if (const auto part = top.find("price")) read_prices(*part, parameters, profile.prices);
  if (const auto part = top.find("power_modes")) read_power_modes(*part, parameters, device);
  if (const auto part = top.find("power")) read_power(*part, parameters, device);
  if (limit) take_power_limit(*gpu, *limit, device);
  if (const auto part = top.find("factors")) read_factors(*part, dnn::Chip::of(device.gpu), profile.factors);
}

// Adds the values that results depend on to the hash, with their paths; prices, grades and sources are
// excluded.
void add_to_hash(const input::Value& value, std::string& path, std::uint64_t& hash) {
  if (value.children.empty()) {
    for (const std::string_view part : {std::string_view(path), std::string_view("="),
                                        std::string_view(value.text), std::string_view("\n")})
      hash = input::fnv1a(part, hash);
    return;
  }
  const std::size_t length = path.size();
  if (value.kind != input::Kind::mapping) {
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      path.append(".").append(std::to_string(i));
      add_to_hash(*value.children[i], path, hash);
      path.resize(length);
    }
    return;
  }
  std::vector<std::pair<std::string_view, const input::Value*>> steps;
  steps.reserve(value.children.size());
  for (std::size_t i = 0; i < value.children.size(); ++i)
    steps.emplace_back(value.keys[i].name, value.children[i].get());
  std::ranges::sort(steps, {}, [](const auto& step) { return step.first; });
  for (const auto& [step, child] : steps) {
    if (path.empty() && step == "price") continue;
    if (step == "from" || step == "grade" || step == "source" || step == "description") continue;
    if (step != "value") path.append(".").append(step);
    add_to_hash(*child, path, hash);
    path.resize(length);
  }
}

}  // namespace

std::optional<Profile> profile_of(input::Node document, input::Problems& problems,
                                  const std::vector<std::string>& set) {
  input::Problems own;
  for (const std::string& assignment : set) {
    if (document) document = input::with_override(document, assignment, own);
  }
  Profile profile;
  if (document) {
    read_device({document, {}, own}, profile);
    std::uint64_t hash = input::fnv1a({});
    profile.factors = dnn::with_own(profile.factors, shipped_factors());
    if (std::string path; own.empty()) add_to_hash(*document, path, hash);
    for (const std::string* evidence : {&profile.spec->evidence, &profile.spec->sibling}) {
      for (const std::string& source : evidence_sources(*evidence)) {
        if (!own.empty() || !input::has_directory(source)) continue;
        for (const char* const file : {"kernels.csv", "solo.csv"})
          hash ^= input::fnv1a_of_words(table_text(source, file));
      }
    }
    hash = input::fnv1a(embedded_file("factors.csv").value_or(""), hash);
    profile.hash = input::hex(hash);
  }
  own.sort();
  problems.append(own);
  return document && own.empty() ? std::optional(std::move(profile)) : std::nullopt;
}

std::optional<Profile> parse_profile(const std::string& text, const std::string& origin,
                                     input::Problems& problems, const std::vector<std::string>& set) {
  return profile_of(profile_document(text, origin, problems), problems, set);
}

std::optional<Profile> read_profile(const std::string& path, input::Problems& problems) {
  const std::optional<std::string> text = input::read_text_file(path, input::Limits{}.bytes, problems);
  if (!text) return std::nullopt;
  if (auto known = known_profile(path, *text)) return known;
  auto profile = parse_profile(*text, path, problems);
  if (profile) remember_profile(path, *text, *profile);
  return profile;
}

const std::vector<std::string>& device_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const EmbeddedFile& file : embedded_files()) {
      if (!file.path.starts_with(folder) || !file.path.ends_with(suffix)) continue;
      found.emplace_back(file.path.substr(folder.size(), file.path.size() - folder.size() - suffix.size()));
    }
    std::sort(found.begin(), found.end());  // the files are sorted including their extensions
    return found;
  }();
  return names;
}

std::optional<std::string> device_text(const std::string& name) {
  const auto text = embedded_file(fmt::format("{}{}{}", folder, name, suffix));
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::string device_hint(const std::string& name) {
  std::vector<std::string> described;
  for (const std::string& device : device_names()) {
    input::Problems none;  // shipped profiles are tested
    const auto profile = shipped_profile(device, none);
    described.push_back(device + ' ' + (profile ? profile->spec->description : ""));
  }
  std::vector<std::string> found = input::with_all_words(name, described);
  for (std::string& device : found) device.erase(device.find(' '));
  std::ranges::stable_sort(found, {}, &std::string::size);
  return found.empty() || found.size() > 4 ? input::spelling_hint(name, device_names())
                                           : input::did_you_mean(std::move(found));
}

std::optional<Profile> shipped_profile(const std::string& name, input::Problems& problems) {
  if (!device_text(name)) {
    problems.add({}, {}, fmt::format("unknown device '{}'", input::printable(name)), device_hint(name));
    return std::nullopt;
  }
  // Studies request the same profile thousands of times, from several threads.
  static std::mutex guard;
  static std::map<std::string, Profile> known;
  const std::lock_guard lock(guard);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  std::optional<Profile> profile =
      profile_of(shipped_document(name, name + std::string(suffix), problems), problems);
  if (profile) return known.emplace(name, *std::move(profile)).first->second;
  return std::nullopt;
}

std::optional<Profile> find_profile(const std::string& name, input::Problems& problems) {
  return input::is_path(name) ? read_profile(name, problems) : shipped_profile(name, problems);
}

}  // namespace jostle::profiles
