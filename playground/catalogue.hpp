// The choices that the page's forms and completion offer.
#pragma once

#include <string>

namespace jostle::playground {

// {"devices": [{"name", "description", "power_modes", "default_power_mode", "cores", "gpu"}],
//  "models": [{"name", "description", "family", "input"}], and lists of names: "language_models",
//  "precisions", "runtimes", "syncs"; "grades": [{"name", "meaning", "error"}], best first}
[[nodiscard]] std::string catalogue_json();

}  // namespace jostle::playground
