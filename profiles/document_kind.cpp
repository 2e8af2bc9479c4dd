#include "profiles/document_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jostle::profiles {
namespace {

struct Row {
  DocumentKind kind;
  const char* name;
  const char* use;  // the commands that read it
};
constexpr std::array rows{
    Row{DocumentKind::scenario, "a scenario", "use jostle run, or jostle explain"},
    Row{DocumentKind::study, "a study", "use jostle sweep, or jostle plan if it has objectives"},
    Row{DocumentKind::fleet, "a study of a fleet", "use jostle plan"},
    Row{DocumentKind::offload, "a study of offloading", "use jostle offload"},
    Row{DocumentKind::profile, "a device profile",
        "use jostle show device, or name it as a scenario's device"}};

const Row& row_of(DocumentKind kind) {
  return *std::ranges::find(rows, kind, &Row::kind);
}

}  // namespace

DocumentKind kind_of(const input::Value& document) {
  if (document.kind != input::Kind::mapping) return DocumentKind::other;
  const auto has = [&](const char* key) { return document.find(key) != nullptr; };
  if (has("scenario")) {
    if (has("fleet")) return DocumentKind::fleet;
    return has("offload") ? DocumentKind::offload : DocumentKind::study;
  }
  if (has("processes")) return DocumentKind::scenario;
  const bool profile = has("name") && (has("like") || (has("cpu") && has("memory") && has("sync")));
  return profile ? DocumentKind::profile : DocumentKind::other;
}

bool is_another_kind(const input::Node& document, const std::string& origin,
                     const std::vector<DocumentKind>& wanted, input::Problems& problems) {
  const DocumentKind found = document ? kind_of(*document) : DocumentKind::other;
  if (found == DocumentKind::other || std::ranges::find(wanted, found) != wanted.end()) return false;
  problems.add_file(origin,
                    fmt::format("this is {}, not {}", row_of(found).name, row_of(wanted.front()).name),
                    row_of(found).use);
  return true;
}

}  // namespace jostle::profiles
