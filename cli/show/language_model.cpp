#include "cli/show/language_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/terminal/paragraph.hpp"
#include "models/llm/weights.hpp"
#include "output/json.hpp"

namespace jostle::cli {

std::string language_model_table(const llm::Architecture& shown, int width) {
  std::string text =
      paragraph(fmt::format("{}, a language model ({})", shown.name, shown.source), width, 0) + "\n";
  const auto row = [&text](std::string_view what, const std::string& value) {
    text += fmt::format("{:<30} {:>14}\n", what, value);
  };
  row("parameters", fmt::format("{:.2f} million", static_cast<double>(parameters(shown)) / 1e6));
  if (shown.experts.count > 0)
    row("of these a token meets",
        fmt::format("{:.2f} million", static_cast<double>(active_parameters(shown)) / 1e6));
  row("blocks of the decoder", std::to_string(shown.layers));
  row("width", std::to_string(shown.hidden));
  row("heads of queries", fmt::format("{} of {}", shown.heads, shown.head_dim));
  row("heads of keys and values", std::to_string(shown.kv_heads));
  if (const llm::Experts& experts = shown.experts; experts.count > 0) {
    row("experts of a token", fmt::format("{} of {}", experts.per_token, experts.count));
    row("width of an expert", std::to_string(shown.ffn));
    if (experts.shared_ffn > 0) row("width of the shared expert", std::to_string(experts.shared_ffn));
  } else {
    row("width of the feed-forward", std::to_string(shown.ffn));
  }
  row("words", std::to_string(shown.vocabulary));
  if (shown.vision.layers > 0) {
    row("vision tower, parameters",
        fmt::format("{:.2f} million", static_cast<double>(vision_parameters(shown)) / 1e6));
    row("tokens of an image", std::to_string(shown.vision.tokens));
  }
  row("keys and values of a token", fmt::format("{:.1f} kB", kv_bytes_per_token(shown) / 1e3));
  text += "\nweights in memory\n";
  for (const llm::WeightTraits& format : llm::weight_formats)
    row(fmt::format("  {}", format.name), fmt::format("{:.2f} GB", weight_bytes(shown, format.format) / 1e9));
  return text;
}

std::string language_model_json(const llm::Architecture& shown) {
  using Json = nlohmann::ordered_json;
  Json weights;
  for (const llm::WeightTraits& format : llm::weight_formats)
    weights[std::string(format.name)] = weight_bytes(shown, format.format);
  Json vision = nullptr, experts = nullptr;
  if (shown.experts.count > 0)
    experts = {{"count", shown.experts.count},
               {"per_token", shown.experts.per_token},
               {"shared_ffn", shown.experts.shared_ffn},
               {"active_parameters", active_parameters(shown)}};
  if (shown.vision.layers > 0)
    vision = {{"parameters", vision_parameters(shown)}, {"tokens", shown.vision.tokens}};
  return output::json_text({{"schema", "jostle.language_model/1"},
                            {"name", shown.name},
                            {"source", shown.source},
                            {"parameters", parameters(shown)},
                            {"layers", shown.layers},
                            {"hidden", shown.hidden},
                            {"heads", shown.heads},
                            {"kv_heads", shown.kv_heads},
                            {"head_dim", shown.head_dim},
                            {"ffn", shown.ffn},
                            {"vocabulary", shown.vocabulary},
                            {"tied", shown.tied},
                            {"experts", experts},
                            {"vision", vision},
                            {"kv_bytes_per_token", kv_bytes_per_token(shown)},
                            {"weight_bytes", weights}});
}

}  // namespace jostle::cli
