// Reads trtexec --exportLayerInfo: the layers of an engine, with their types and output formats.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/json_stream.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t max_kinds = 1000;

// The precision of a format such as "Half", "Row major linear FP16 format" or "Thirty-two wide channel
// vectorized row major Int8 format".
std::string precision_of(std::string_view format) {
  struct Word {
    std::string_view word, precision;
  };
  for (const Word& known : {Word{"Int8", "int8"},
                            {"INT8", "int8"},
                            {"FP16", "fp16"},
                            {"Half", "fp16"},
                            {"BF16", "bf16"},
                            {"BFloat16", "bf16"},
                            {"FP8", "fp8"},
                            {"FP32", "fp32"},
                            {"Float", "fp32"},
                            {"Int32", "int32"},
                            {"INT32", "int32"},
                            {"Int64", "int64"},
                            {"Bool", "bool"}}) {
    if (format.find(known.word) != std::string_view::npos) return std::string(known.precision);
  }
  return "other";
}

class Layers : public json::Handler<Layers> {
 public:
  using Handler::Handler;

  bool begin_array() {
    if (depth == 2 && key_ == "Layers") in_layers_ = true;
    if (depth == 4 && in_layers_) in_outputs_ = key_ == "Outputs";
    return true;
  }
  bool end_array() {
    if (depth == 2) in_layers_ = false;
    if (depth == 4) in_outputs_ = false;
    return true;
  }
  bool begin_object() {
    if (in_layers_ && depth == 3) {
      ++layers;
      output_counted_ = false;
    }
    return true;
  }
  bool key(std::string_view name) {
    key_ = name.substr(0, 30);
    return true;
  }
  bool text(std::string_view value) {
    if (!in_layers_) return true;
    if (depth == 2) {  // an engine without details contains only names
      ++layers;
      ++plain;
    } else if (depth == 3 && key_ == "LayerType") {
      return count(types, std::string(value.substr(0, 100)));
    } else if (depth == 5 && in_outputs_ && key_ == "Format/Datatype" && !output_counted_) {
      output_counted_ = true;
      return count(precisions, precision_of(value));
    }
    return true;
  }

  std::int64_t layers = 0, plain = 0;
  std::map<std::string, std::int64_t> types, precisions;

 private:
  bool count(std::map<std::string, std::int64_t>& counts, const std::string& word) {
    ++counts[word];
    return counts.size() <= max_kinds || refuse(fmt::format("more than {} kinds of layers", max_kinds));
  }

  std::string key_;
  bool in_layers_ = false, in_outputs_ = false, output_counted_ = false;
};

Measurement layers(std::string metric, std::int64_t number, std::string of) {
  return {.metric = std::move(metric),
          .value = static_cast<double>(number),
          .unit = "layers",
          .count = 1,
          .of = std::move(of)};
}

}  // namespace

std::vector<Import> read_trtexec_layers(Source& source, input::Problems& problems) {
  Layers handler(source);
  if (!json::parse(source, handler, problems)) return {};
  if (handler.layers == 0) {
    source.fail(problems, 0, "the file contains no layer");
    return {};
  }
  Import result{.format = "trtexec-layers", .origin = source.origin()};
  result.setting.tool = "trtexec --exportLayerInfo";
  result.rows.push_back(layers("layers", handler.layers, ""));
  for (const auto& [type, number] : handler.types) result.rows.push_back(layers("layers", number, type));
  for (const auto& [precision, number] : handler.precisions)
    result.rows.push_back(layers("layers_giving", number, precision));
  if (handler.plain > 0)
    result.notes.emplace_back("names only: build with --profilingVerbosity=detailed for types and formats");
  return {std::move(result)};
}

// Reads trtexec --exportProfile: an array whose first object contains the number of queries, followed by one
// object per layer with its times.

namespace {

constexpr std::size_t max_layers = 100'000;

class Profile : public json::Handler<Profile> {
 public:
  using Handler::Handler;

  bool begin_array() { return depth == 1 || refuse("unexpected array inside a layer"); }
  bool begin_object() {
    layer_ = {};
    mean_.reset();
    time_.reset();
    return depth == 2 ||
           refuse(depth == 1 ? "expected an array of layers" : "unexpected object inside a layer");
  }
  bool key(std::string_view name) {
    key_ = name.substr(0, 20);
    return true;
  }
  bool text(std::string_view value) {
    if (key_ == "name") layer_.of = std::string(value);
    return true;
  }
  bool number(double value) {
    if (depth != 2) return refuse("a number outside any layer");
    if (!(value >= 0 && value <= max_number)) return refuse(fmt::format("{} has an impossible value", key_));
    if (key_ == "count") count = value;
    if (key_ == "averageMs") mean_ = value;
    if (key_ == "medianMs") layer_.median = value;
    if (key_ == "timeMs") time_ = value;
    return true;
  }
  bool end_object() {
    if (layer_.of.empty()) return count.has_value() || refuse("a layer has no name");
    if (!mean_ && time_ && count && *count > 0) mean_ = *time_ / *count;
    if (!mean_) return refuse("a layer has no averageMs");
    if (layers.size() == max_layers) return refuse(fmt::format("more than {} layers", max_layers));
    layer_.metric = "layer_time";
    layer_.value = *mean_;
    layer_.unit = "ms";
    layer_.count = static_cast<std::int64_t>(count.value_or(1));
    layers.push_back(layer_);
    return true;
  }

  std::optional<double> count;
  std::vector<Measurement> layers;

 private:
  std::string key_;
  Measurement layer_;
  std::optional<double> mean_, time_;
};

}  // namespace

std::vector<Import> read_trtexec_profile(Source& source, input::Problems& problems) {
  Profile profile(source);
  if (!json::parse(source, profile, problems)) return {};
  if (profile.layers.empty()) {
    source.fail(problems, 0, "the file contains no layer");
    return {};
  }
  Import result{.format = "trtexec-profile", .origin = source.origin()};
  result.setting.tool = "trtexec --exportProfile";
  result.setting.observer = "trtexec";
  Measurement total{.metric = "layers_time", .value = 0, .unit = "ms", .count = profile.layers.front().count};
  for (const Measurement& layer : profile.layers) total.value += layer.value;
  result.rows = std::move(profile.layers);
  result.rows.insert(result.rows.begin(), total);
  result.notes.emplace_back(
      "the layer profiler was on: times are of layers one after another, and say nothing of launching");
  return {std::move(result)};
}

}  // namespace jostle::calibration
