// The result of an offload study as lines of JSON and as CSV (docs/offload.md).
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyses/interval/relative_power.hpp"
#include "analyses/offload/offload.hpp"
#include "input/csv.hpp"
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

std::string cell(const Metric& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string side_cells(const SideMetrics& side, std::size_t stream) {
  const StreamMetrics& metrics = side.streams[stream];
  const Latency& latency = metrics.latency_ms;
  return fmt::format(",{},{},{},{},{},{},{},{},{}", metrics.saturated, cell(latency.mean), cell(latency.p50),
                     cell(latency.p90), cell(latency.p99), cell(metrics.throughput), metrics.drops,
                     cell(side.edge_power_w), cell(side.edge_energy_mj));
}

std::string partition_cells(const OffloadPoint& point, const OffloadPartition& partition,
                            std::size_t stream) {
  const StreamMetrics& head = partition.head.streams[stream];
  return side_cells(point.layers, stream) + fmt::format(",{},{},{},{},{},{}", partition.at.layers,
                                                        input::csv_field(partition.at.after),
                                                        partition.request_bytes, cell(head.latency_ms.p50),
                                                        cell(head.latency_ms.p99), cell(head.throughput));
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

std::string offload_csv(const OffloadAnswer& answer) {
  std::string text = "bandwidth_mbit_s,rtt_ms,stream,entry,name,model,cloud_model";
  const auto add_columns = [&text](const char* side) {
    for (const char* const column :
         {"saturated", "latency_mean_ms", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms",
          "throughput_images_per_s", "drops", "edge_power_w", "edge_energy_per_image_mj"})
      text += fmt::format(",{}_{}", side, column);
  };
  for (const char* const side : {"edge", "cloud", "split"}) add_columns(side);
  text += ",stays,better_latency,better_energy,best";
  text += ",least_energy";
  add_columns("layers");
  text +=
      ",cut,cut_after,cut_request_bytes,head_latency_p50_ms,head_latency_p99_ms,head_throughput_images_per_"
      "s";
  for (const char* const side : {"edge", "cloud", "split", "layers"})
    text += fmt::format(",{}_cost_per_hour", side);
  text += ",cheapest,edge_power_grade,cloud_power_grade";
  for (const char* const side : {"edge", "cloud", "split", "layers"})
    text += fmt::format(",{0}_edge_power_low_w,{0}_edge_power_high_w", side);
  text += "\n";
  for (const OffloadPoint& point : answer.points) {
    for (const OffloadStream& stream : answer.streams) {
      text += fmt::format("{},{},{},{},{},{},{}", mbit(point.bandwidth), sim::to_ms(point.rtt), stream.index,
                          stream.entry, input::csv_field(stream.name), input::csv_field(stream.model),
                          input::csv_field(stream.cloud_model));
      for (const SideMetrics* const side : {&answer.edge, &point.cloud, &point.split})
        text += side_cells(*side, stream.index);
      text += fmt::format(",{},{},{},{}", point.on_edge, to_string(point.by_latency[stream.index]),
                          point.by_energy ? to_string(*point.by_energy) : "", to_string(point.best));
      text += fmt::format(",{}", point.least_energy ? to_string(*point.least_energy) : "");
      text += answer.partitions.empty()
                  ? ",,,,,,,,,,,,,,,"
                  : partition_cells(point, answer.partitions[point.partition], stream.index);
      for (const SideMetrics* const side : {&answer.edge, &point.cloud, &point.split, &point.layers})
        text += fmt::format(",{}", cell(side->cost_per_hour));
      text += fmt::format(",{},{},{}", point.cheapest ? to_string(*point.cheapest) : "",
                          answer.edge_power_grade.value_or(""), answer.cloud_power_grade.value_or(""));
      for (const SideMetrics* const side : {&answer.edge, &point.cloud, &point.split, &point.layers}) {
        const auto pi90 = interval_of_mean(answer.edge_power_interval, side->edge_power_w);
        text += pi90 ? fmt::format(",{},{}", pi90->first, pi90->second) : ",,";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace jostle::analyses
