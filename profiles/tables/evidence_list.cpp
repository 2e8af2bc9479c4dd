#include "profiles/tables/evidence_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "input/hash.hpp"

namespace jostle::profiles {
namespace {

constexpr char between = '\n';  // not in a path that a profile can hold
constexpr std::string_view memory = "memory:";

struct Kept {
  std::mutex mutex;
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> tables;  // kernels.csv, solo.csv
};

Kept& kept() {
  static Kept all;
  return all;
}

}  // namespace

std::string joined_evidence(const std::vector<std::string>& sources) {
  return fmt::format("{}", fmt::join(sources, std::string(1, between)));
}

std::vector<std::string> evidence_sources(std::string_view evidence) {
  std::vector<std::string> sources;
  for (std::size_t begin = 0; begin < evidence.size();) {
    const std::size_t end = std::min(evidence.find(between, begin), evidence.size());
    if (end > begin) sources.emplace_back(evidence.substr(begin, end - begin));
    begin = end + 1;
  }
  return sources;
}

std::string shipped_evidence(std::string_view evidence) {
  for (std::string& source : evidence_sources(evidence))
    if (!input::has_directory(source)) return std::move(source);
  return {};
}

std::string keep_in_memory(const std::string& kernels_csv, const std::string& solo_csv) {
  const std::string name =
      fmt::format("{}{}/", memory, input::hex(input::fnv1a(solo_csv, input::fnv1a(kernels_csv))));
  const std::scoped_lock lock(kept().mutex);
  kept().tables.try_emplace(name, kernels_csv, solo_csv);
  return name;
}

std::string table_text(std::string_view source, std::string_view file) {
  {
    const std::scoped_lock lock(kept().mutex);
    const auto found = kept().tables.find(source);
    if (found != kept().tables.end()) return file == "solo.csv" ? found->second.second : found->second.first;
  }
  return input::read_text(std::filesystem::path(source) / file);
}

}  // namespace jostle::profiles
