// Which of jostle's files a YAML document is, by its keys: for whoever gives one to a command that reads
// another.
#pragma once

#include <string>
#include <vector>

#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::calibration {

enum class DocumentKind { scenario, study, fleet, offload, profile, other };

[[nodiscard]] DocumentKind kind_of(const input::Value& document);

// Whether the document is clearly of another kind than those `wanted`; if so the problem says which, and
// which command reads it. `origin` names the file.
[[nodiscard]] bool is_another_kind(const input::Node& document, const std::string& origin,
                                   const std::vector<DocumentKind>& wanted, input::Problems& problems);

}  // namespace jostle::calibration
