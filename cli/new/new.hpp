// Templates of scenarios: files of scenarios/templates, with the answers to the questions of `jostle new`.
//
// A template is a valid scenario. Lines "#? KEY: VALUE" in front name the texts that answers replace: board,
// comes (the rate of what comes), models, limit. A line that ends with "#? Python" is there without an
// answer, and one that ends with "#? C++" takes its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

struct TemplateAnswers {
  std::string board = {}, comes = {}, limit = {};  // empty: the template's; limit "none": without the limit
  std::vector<std::string> models = {};  // a process each; more than the template has: copies of its last
  bool cpp = false;
};

[[nodiscard]] std::vector<std::string> template_names();
// The text of one of them.
[[nodiscard]] std::string_view template_text(std::string_view name);
// The value of "#? KEY: VALUE"; none: the template does not ask.
[[nodiscard]] std::optional<std::string> template_default(std::string_view text, std::string_view key);
// The words between commas.
[[nodiscard]] std::vector<std::string> words_of_list(const std::string& text);
// The scenario.
[[nodiscard]] std::string filled_template(std::string_view text, const TemplateAnswers& answers);

}  // namespace jostle::cli
