// Recognises the kind of a YAML document by its keys, so that a command can explain that it was given the
// file of another command.
#pragma once

#include <string>
#include <vector>

#include "input/problems.hpp"
#include "input/value.hpp"

namespace jostle::profiles {

enum class DocumentKind { scenario, study, fleet, offload, profile, other };

[[nodiscard]] DocumentKind kind_of(const input::Value& document);

// True if the document is clearly of another kind than those `wanted`. The problem then names its kind and
// the command that reads it. `origin` names the file.
[[nodiscard]] bool is_another_kind(const input::Node& document, const std::string& origin,
                                   const std::vector<DocumentKind>& wanted, input::Problems& problems);

}  // namespace jostle::profiles
