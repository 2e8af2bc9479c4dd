// The questions that the page asks the simulator, by name; a question and its answer are texts.
#pragma once

#include <string>
#include <string_view>

namespace jostle::playground {

enum class Status {
  answered,  // the answer, JSON
  problems,  // JSON: [{"line", "column", "path", "message", "hint"}], what is wrong with the scenario
  failed,    // one sentence: why the run could not go on
};

struct Answer {
  Status status = Status::answered;
  std::string text;
};

// `question`: JSON, {"ask": NAME} with `text`, a scenario as YAML, and `set`, a list of "KEY=VALUE" put over
// it. Names: "run" (the line of `jostle run --format json`), "csv" (its rows), "check" ([], nothing is run),
// "picture"
// ({"result", "words", "window_us", "timeline"}; words: what was asked, and why it comes out so), "explain"
// (of `jostle explain --format json`), "catalogue" (devices with their power modes, networks, words of the
// language), "new" ({"text"}, the scenario of a `template` with the answers `board`, `comes`, `models`,
// `limit` and `cpp`, as `jostle new` asks them).
[[nodiscard]] Answer answer(std::string_view question);

// The choices that the page's forms and completion offer.

// {"devices": [{"name", "description", "power_modes", "default_power_mode", "cores", "gpu"}],
//  "models": [{"name", "description", "family", "input"}], and lists of names: "language_models",
//  "precisions", "runtimes", "syncs"; "grades": [{"name", "meaning", "error"}], best first;
//  "templates": [{"name", "about", "languages", "board", "comes", "models", "limit"}]}
[[nodiscard]] std::string catalogue_json();

}  // namespace jostle::playground
