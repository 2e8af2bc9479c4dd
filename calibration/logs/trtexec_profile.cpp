// Reads trtexec --exportProfile: an array whose first object contains the number of queries, followed by one
// object per layer with its times.
#include <fmt/format.h>

#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/json_stream.hpp"

namespace jostle::calibration {
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
