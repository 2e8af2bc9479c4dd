// The result of an offload study as lines of JSON (docs/offload.md).
#include <nlohmann/json.hpp>

#include "analyses/interval/relative_power.hpp"
#include "analyses/offload/offload.hpp"
#include "output/json.hpp"
#include "scenarios/result/metric_json.hpp"

namespace jostle::analyses {
namespace {

using scenarios::Latency;
using scenarios::Metric;
using Json = nlohmann::ordered_json;

Json stream_json(const StreamMetrics& stream) {
  const Latency& latency = stream.latency_ms;
  return {{"served", stream.served()},
          {"saturated", stream.saturated.empty() ? Json(nullptr) : Json(stream.saturated)},
          {"latency_ms",
           {{"mean", metric_json(latency.mean)},
            {"p50", metric_json(latency.p50)},
            {"p90", metric_json(latency.p90)},
            {"p95", metric_json(latency.p95)},
            {"p99", metric_json(latency.p99)}}},
          {"throughput", metric_json(stream.throughput)},
          {"drops", stream.drops}};
}

// The metrics of a language model; null for other models.
Json tokens_json(const SideMetrics& side, const std::optional<scenarios::TokenResult>& tokens) {
  if (!tokens) return nullptr;
  return {{"tokens_per_s", metric_json(tokens->per_s)},
          {"decode_per_s", metric_json(tokens->decode_per_s)},
          {"ttft_ms",
           {{"mean", metric_json(tokens->ttft_ms.mean)},
            {"p50", metric_json(tokens->ttft_ms.p50)},
            {"p99", metric_json(tokens->ttft_ms.p99)}}},
          {"itl_ms",
           {{"mean", metric_json(tokens->itl_ms.mean)},
            {"p50", metric_json(tokens->itl_ms.p50)},
            {"p99", metric_json(tokens->itl_ms.p99)}}},
          {"edge_j_per_1000_tokens", metric_json(side.edge_j_per_1000_tokens)},
          {"cloud_j_per_1000_tokens", metric_json(side.cloud_j_per_1000_tokens)},
          {"cost_per_1000_tokens", metric_json(side.cost_per_1000_tokens)}};
}

Json side_json(const OffloadAnswer& answer, const SideMetrics& side, std::size_t stream) {
  Json json = stream_json(side.streams[stream]);
  json["edge_power_w"] = metric_json(side.edge_power_w);
  json["edge_power_w_pi90"] = interval_json(interval_of_mean(answer.edge_power_interval, side.edge_power_w));
  json["edge_energy_per_image_mj"] = metric_json(side.edge_energy_mj);
  json["link_busy"] = metric_json(side.link_busy);
  json["link_gb_per_h"] = metric_json(side.link_gb_per_h);
  json["cloud_power_w"] = metric_json(side.cloud_power_w);
  json["cloud_power_w_pi90"] =
      interval_json(interval_of_mean(answer.cloud_power_interval, side.cloud_power_w));
  json["cost_per_hour"] = metric_json(side.cost_per_hour);
  json["cost_per_million_images"] = metric_json(side.cost_per_million);
  json["tokens"] = tokens_json(side, side.streams[stream].tokens);
  return json;
}

Json identity(const OffloadAnswer& answer, const char* kind) {
  const auto grade = [](const std::optional<std::string>& of) { return of ? Json(*of) : Json(nullptr); };
  return {{"schema", "jostle.offload/1"},
          {"kind", kind},
          {"study", answer.name},
          {"edge_device", answer.edge_device},
          {"cloud_device", answer.cloud_device},
          {"edge_power_grade", grade(answer.edge_power_grade)},
          {"cloud_power_grade", grade(answer.cloud_power_grade)},
          {"edge_power_of", answer.edge_is_card ? "card" : "board"},
          {"cloud_power_of", answer.cloud_is_card ? "card" : "board"}};
}

Json partition_json(const OffloadAnswer& answer, const OffloadPartition& partition) {
  return {{"cut", partition.at.layers},
          {"of_layers", answer.layers},
          {"after", partition.at.after},
          {"request_bytes", partition.request_bytes}};
}

// Metrics of the worst stream and of all streams together.
Json all_json(const SideMetrics& side) {
  return {{"served", side.served()},
          {"worst_p99_ms", metric_json(side.worst_p99())},
          {"throughput", metric_json(side.throughput)},
          {"edge_power_w", metric_json(side.edge_power_w)},
          {"edge_energy_per_image_mj", metric_json(side.edge_energy_mj)}};
}

void add_stream(Json& json, const OffloadStream& stream) {
  json["stream"] = stream.index;
  json["entry"] = stream.entry;
  if (!stream.name.empty()) json["name"] = stream.name;
  json["model"] = stream.model;
  json["cloud_model"] = stream.cloud_model;
}

std::string line(const Json& json) {
  return output::json_text(json) + "\n";
}

double mbit(double bytes_per_s) {
  return bytes_per_s / 1.25e5;
}

const char* kind_name(BreakEven::Kind kind) {
  return kind == BreakEven::Kind::never ? "never" : kind == BreakEven::Kind::always ? "always" : "up_to";
}

Json prices_json(const OffloadAnswer& answer) {
  Json prices = identity(answer, "prices");
  prices["board"] = metric_json(answer.prices.board);
  prices["cloud_per_hour"] = metric_json(answer.prices.cloud_per_hour);
  prices["link_per_gb"] = answer.prices.link_per_gb;
  prices["life_h"] = answer.costs.life_h;
  prices["energy_per_kwh"] = answer.costs.energy_usd_per_kwh;
  return prices;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): the keys of a line
std::string offload_json(const OffloadAnswer& answer) {
  std::string text;
  for (const OffloadPoint& point : answer.points) {
    for (const OffloadStream& stream : answer.streams) {
      Json json = identity(answer, "point");
      json["bandwidth_mbit_s"] = mbit(point.bandwidth);
      json["rtt_ms"] = sim::to_ms(point.rtt);
      add_stream(json, stream);
      json["edge"] = side_json(answer, answer.edge, stream.index);
      json["cloud"] = side_json(answer, point.cloud, stream.index);
      json["split"] = side_json(answer, point.split, stream.index);
      json["split"]["stays"] = point.on_edge;
      json["split"]["at"] = to_string(stream.index < point.on_edge ? Side::edge : Side::cloud);
      json["layers"] = nullptr;
      if (!answer.partitions.empty()) {
        const OffloadPartition& partition = answer.partitions[point.partition];
        json["layers"] = side_json(answer, point.layers, stream.index);
        json["layers"].update(partition_json(answer, partition));
        json["layers"]["head"] = stream_json(partition.head.streams[stream.index]);
      }
      json["better"] = {{"latency", to_string(point.by_latency[stream.index])},
                        {"energy", point.by_energy ? Json(to_string(*point.by_energy)) : Json(nullptr)}};
      json["best"] = to_string(point.best);
      json["best_p99_ms_if_off"] = metric_json(point.best_if_slower);
      json["least_energy"] = point.least_energy ? Json(to_string(*point.least_energy)) : Json(nullptr);
      json["cheapest"] = point.cheapest ? Json(to_string(*point.cheapest)) : Json(nullptr);
      text += line(json);
    }
  }
  text += line(prices_json(answer));
  for (const BreakEven& found : answer.break_even) {
    Json json = identity(answer, "break_even");
    json["bandwidth_mbit_s"] = mbit(found.bandwidth);
    json["stream"] = found.stream ? Json(*found.stream) : Json(nullptr);
    json["cloud_is_faster"] = kind_name(found.kind);
    json["rtt_ms"] = found.kind == BreakEven::Kind::up_to ? Json(sim::to_ms(found.rtt)) : Json(nullptr);
    text += line(json);
  }
  for (const OffloadPartition& partition : answer.partitions) {
    Json json = identity(answer, "cut");
    json.update(partition_json(answer, partition));
    json["head"] = all_json(partition.head);
    json["nearest"] = all_json(partition.nearest);
    text += line(json);
  }
  for (const BoardsRow& row : answer.boards) {
    Json json = identity(answer, "boards");
    json["boards"] = row.boards;
    json["served"] = row.metrics.served();
    json["worst_p99_ms"] = metric_json(row.metrics.worst_p99());
    json["throughput"] = metric_json(row.metrics.throughput);
    json["power_w"] = metric_json(row.metrics.edge_power_w);
    json["power_w_pi90"] =
        interval_json(interval_of_mean(answer.edge_power_interval, row.metrics.edge_power_w));
    json["energy_per_image_mj"] = metric_json(row.metrics.edge_energy_mj);
    json["cost_per_hour"] = metric_json(row.metrics.cost_per_hour);
    json["cost_per_million_images"] = metric_json(row.metrics.cost_per_million);
    json["gpu_clock_mhz"] = metric_json(row.gpu_clock_mhz);
    text += line(json);
  }
  return text;
}

}  // namespace jostle::analyses
