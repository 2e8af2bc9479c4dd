// Reads what trtexec exports as JSON. --exportTimes: an array with one object per query; times are in ms
// since the start. --exportProfile: an array whose first object contains the number of queries, followed by
// one object per layer with its times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "calibration/logs/formats.hpp"
#include "calibration/logs/json_stream.hpp"
#include "calibration/logs/measurement.hpp"
#include "sim/quantiles.hpp"

namespace jostle::calibration {
namespace {

enum Field : std::size_t {
  start_enqueue,
  end_enqueue,
  end_compute,
  h2d,
  compute,
  d2h,
  latency,
  end_to_end,
  fields
};
// The keys of a query. TensorRT 7 uses "in" and "out" for the copies and has no times of enqueueing.
struct Key {
  std::string_view name;
  Field field;
};
constexpr std::array<Key, 10> keys{{{"startEnqMs", start_enqueue},
                                    {"endEnqMs", end_enqueue},
                                    {"endComputeMs", end_compute},
                                    {"h2dMs", h2d},
                                    {"inMs", h2d},
                                    {"computeMs", compute},
                                    {"d2hMs", d2h},
                                    {"outMs", d2h},
                                    {"latencyMs", latency},
                                    {"endToEndMs", end_to_end}}};

constexpr std::size_t exact_quantiles = 100'000;  // up to this number of queries; beyond, from a histogram

struct Series {
  Moments moments;
  sim::Quantiles quantiles{exact_quantiles};

  void add(double value) {
    moments.add(value);
    quantiles.add(value);
  }
  [[nodiscard]] Measurement row(std::string metric) const {
    return {.metric = std::move(metric),
            .value = moments.mean,
            .unit = "ms",
            .sd = moments.sd(),
            .median = quantiles.quantile(0.5),
            .p90 = quantiles.quantile(0.9),
            .p99 = quantiles.quantile(0.99),
            .count = moments.count};
  }
};

class Times : public json::Handler<Times> {
 public:
  using Handler::Handler;

  bool begin_array() { return depth == 1 || refuse("unexpected array inside a query"); }
  bool begin_object() {
    values_.fill(std::nullopt);
    field_ = fields;
    return depth == 2 ||
           refuse(depth == 1 ? "expected an array of queries" : "unexpected object inside a query");
  }
  bool key(std::string_view name) {
    const auto found = std::ranges::find(keys, name, &Key::name);
    field_ = found == keys.end() ? fields : found->field;
    return true;
  }
  bool text(std::string_view) { return field_ == fields || refuse("a time is not a number"); }
  bool number(double value) {
    if (field_ == fields) return depth == 2 || refuse("a number outside any query");
    if (!(std::abs(value) <= max_number)) return refuse("a time has an impossible value");
    values_[field_] = value;
    return true;
  }
  bool end_object() {
    if (!values_[compute] || !values_[latency]) return refuse("a query has no computeMs or latencyMs");
    for (const Field field : {h2d, compute, d2h, latency, end_to_end}) {
      if (values_[field] && *values_[field] < 0) return refuse("a time is negative");
      if (values_[field]) series[field].add(*values_[field]);
    }
    if (values_[start_enqueue] && values_[end_enqueue]) {
      const double took = *values_[end_enqueue] - *values_[start_enqueue];
      if (took < 0) return refuse("enqueueing ends before it starts");
      series[end_enqueue].add(took);
      latest = std::max(latest, *values_[end_enqueue]);
    }
    if (values_[end_compute]) {
      first_end = std::min(first_end, *values_[end_compute]);
      last_end = std::max(last_end, *values_[end_compute]);
    }
    return true;
  }

  std::array<Series, fields> series;
  double latest = 0;
  double first_end = std::numeric_limits<double>::max(), last_end = 0;

 private:
  std::array<std::optional<double>, fields> values_;
  Field field_ = fields;
};

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

std::vector<Import> read_trtexec_times(Source& source, input::Problems& problems) {
  Times times(source);
  if (!json::parse(source, times, problems)) return {};
  const Moments& all = times.series[compute].moments;
  if (all.count == 0) {
    source.fail(problems, 0, "the file contains no query");
    return {};
  }
  Import result{.format = "trtexec-times", .origin = source.origin()};
  result.setting.tool = "trtexec --exportTimes";
  if (all.count > 1 && times.last_end > times.first_end) {
    result.rows.push_back(
        {.metric = "throughput",
         .value = static_cast<double>(all.count - 1) / (times.last_end - times.first_end) * 1e3,
         .unit = "queries/s",
         .count = all.count});
    result.notes.emplace_back(
        "throughput is measured from the end of the first query to the end of the last; it counts queries of "
        "any batch size");
  }
  result.rows.push_back(times.series[latency].row("latency"));
  if (times.series[end_to_end].moments.count > 0)
    result.rows.push_back(times.series[end_to_end].row("end_to_end_latency"));
  const Series& enqueue = times.series[end_enqueue];
  // Times since the start are printed with six digits.
  const double step = times.latest > 0 ? std::pow(10, std::floor(std::log10(times.latest)) - 5) : 0;
  if (enqueue.moments.count > 0 && enqueue.moments.mean < 10 * step) {
    result.notes.push_back(
        fmt::format("enqueue is left out: its mean of {:.3g} ms is a difference of times that are printed in "
                    "steps of {:g} ms",
                    enqueue.moments.mean, step));
  } else if (enqueue.moments.count > 0) {
    result.rows.push_back(enqueue.row("enqueue"));
    result.notes.emplace_back(
        "the file does not show whether a profiler slowed enqueueing: see the run's log");
  }
  if (times.series[h2d].moments.count > 0) result.rows.push_back(times.series[h2d].row("h2d"));
  result.rows.push_back(times.series[compute].row("gpu_time"));
  if (times.series[d2h].moments.count > 0) result.rows.push_back(times.series[d2h].row("d2h"));
  return {std::move(result)};
}

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
