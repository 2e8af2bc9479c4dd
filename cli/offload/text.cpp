// The result of an offload study as text: the edge alone, the break-even with the cloud, the partition
// points, all points, and several edge boards.
#include "cli/offload/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/run/report.hpp"
#include "cli/terminal/paragraph.hpp"
#include "cli/terminal/table.hpp"
#include "input/counted.hpp"
#include "input/printable.hpp"
#include "models/board/spec.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::cli {
namespace {

using analyses::BoardsRow;
using analyses::BreakEven;
using analyses::OffloadAnswer;
using analyses::OffloadPartition;
using analyses::OffloadPoint;
using analyses::OffloadStream;
using analyses::Side;
using analyses::SideMetrics;
using analyses::StreamMetrics;
using scenarios::Latency;
using scenarios::Link;
using scenarios::Metric;
using scenarios::Payload;

std::string ms(const Metric& value) {
  return value && *value >= 1000 ? fmt::format("{:.0f}", *value) : significant(value, 3);
}

// Metrics of a range of streams: worst latencies, total throughput and drops, the first bottleneck.
struct Worst {
  Latency latency;
  double throughput = 0;
  std::int64_t drops = 0;
  std::string saturated;
};

Worst worst_of(const SideMetrics& side, std::size_t first, std::size_t end) {
  Worst worst;
  const auto raise = [](Metric& to, const Metric& value) {
    if (value && (!to || *value > *to)) to = value;
  };
  for (std::size_t i = first; i < end; ++i) {
    const StreamMetrics& stream = side.streams[i];
    raise(worst.latency.p50, stream.latency_ms.p50);
    raise(worst.latency.p90, stream.latency_ms.p90);
    raise(worst.latency.p99, stream.latency_ms.p99);
    raise(worst.latency.mean, stream.latency_ms.mean);
    worst.throughput += stream.throughput.value_or(0);
    worst.drops += stream.drops;
    if (worst.saturated.empty()) worst.saturated = stream.saturated;
  }
  return worst;
}

Worst worst_of(const SideMetrics& side) {
  return worst_of(side, 0, side.streams.size());
}

// The noun for the served items: "image", or "sequence" if all streams are language models.
std::string served_word(const OffloadAnswer& answer) {
  const auto speaks = [](const StreamMetrics& stream) { return stream.tokens.has_value(); };
  return std::ranges::all_of(answer.edge.streams, speaks) ? "sequence" : "image";
}

// A latency; without one, the reason.
std::string ms(const Metric& value, const std::string& saturated) {
  return value || saturated.empty() ? ms(value) : saturated == "memory" ? "does not fit" : "grows";
}

// The images/s that are asked for, as an option serves them that keeps up; 0 if none does.
double asked_rate(const OffloadAnswer& answer) {
  for (const OffloadPoint& point : answer.points)
    for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers})
      if (const SideMetrics& all = analyses::metrics(answer, point, side); all.served())
        return all.throughput.value_or(0);
  return 0;
}

// Why the edge alone is no option: "the edge alone serves 56.2 of 90 images/s, so that latency grows".
std::string edge_alone_words(const OffloadAnswer& answer) {
  const Worst edge = worst_of(answer.edge);
  if (edge.saturated.empty())
    return fmt::format("the edge keeps up alone, 99 of 100 answers within {} ms on any link",
                       ms(edge.latency.p99));
  if (edge.saturated == "memory") return "the edge alone has too little memory";
  const double asked = asked_rate(answer);
  return fmt::format("the edge alone serves {}{} {}s/s, so that latency grows without end",
                     significant(edge.throughput, 3), asked > 0 ? " of " + significant(asked, 3) : "",
                     served_word(answer));
}

// Neighbouring round-trip times with the same best option.
struct BestStretch {
  Side side;
  bool served;
  sim::Duration last;
  std::size_t least, most;  // streams on the edge of `split`, or layers there of `layers`
};

BestStretch stretch_of(const OffloadAnswer& answer, const OffloadPoint& point) {
  const std::size_t part = point.best == Side::layers && !answer.partitions.empty()
                               ? static_cast<std::size_t>(answer.partitions[point.partition].at.layers)
                               : point.on_edge;
  return {point.best, analyses::metrics(answer, point, point.best).served(), point.rtt, part, part};
}

std::vector<BestStretch> stretches_of(const OffloadAnswer& answer, double bandwidth) {
  std::vector<BestStretch> found;
  for (const OffloadPoint& point : answer.points) {
    if (point.bandwidth != bandwidth) continue;
    const BestStretch next = stretch_of(answer, point);
    if (found.empty() || found.back().side != next.side || found.back().served != next.served)
      found.push_back(next);
    BestStretch& stretch = found.back();
    stretch.last = next.last;
    stretch.least = std::min(stretch.least, next.least);
    stretch.most = std::max(stretch.most, next.most);
  }
  return found;
}

// "split, 1 to 2 of 3 streams on the edge"
std::string stretch_words(const OffloadAnswer& answer, const BestStretch& stretch) {
  const std::string parts = stretch.least == stretch.most
                                ? fmt::format("{}", stretch.most)
                                : fmt::format("{} to {}", stretch.least, stretch.most);
  if (!stretch.served) return "none keeps up";
  if (stretch.side == Side::split)
    return fmt::format("split, {} of {} streams on the edge", parts, answer.streams.size());
  if (stretch.side == Side::layers)
    return fmt::format("split in the network, {} of {} layers on the edge", parts, answer.layers);
  return std::string("the ") + to_string(stretch.side);
}

// The best option at a bandwidth over the round-trip times, "the cloud up to 13 ms, then split, 2 of 3
// streams on the edge", and its p99, "4.52 to 30.1".
struct AtBandwidth {
  std::string bandwidth, best, p99;
};
std::vector<AtBandwidth> by_bandwidth(const OffloadAnswer& answer) {
  std::vector<AtBandwidth> all;
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    const double bandwidth = answer.points[i].bandwidth;
    if (i > 0 && answer.points[i - 1].bandwidth == bandwidth) continue;
    AtBandwidth& found = all.emplace_back(AtBandwidth{bandwidth_text(bandwidth), {}, {}});
    const auto stretches = stretches_of(answer, bandwidth);
    for (const BestStretch& stretch : stretches) {
      found.best += (found.best.empty() ? "" : ", then ") + stretch_words(answer, stretch);
      if (&stretch != &stretches.back()) found.best += " up to " + time_text(stretch.last);
    }
    const OffloadPoint* first = &answer.points[i];
    const OffloadPoint* last = first;
    for (const OffloadPoint& point : answer.points)
      if (point.bandwidth == bandwidth) last = &point;
    const auto p99 = [&](const OffloadPoint& point) {
      const Worst worst = worst_of(analyses::metrics(answer, point, point.best));
      return ms(worst.latency.p99, worst.saturated);
    };
    found.p99 = p99(*first) == p99(*last) ? p99(*first) : fmt::format("{} to {}", p99(*first), p99(*last));
  }
  return all;
}

Table where_table(const OffloadAnswer& answer) {
  Table table({right("bandwidth"), left("best, by round-trip time"), right("p99 ms", 60)});
  for (const auto& [bandwidth, best, p99] : by_bandwidth(answer)) table.add({bandwidth, best, p99});
  return table;
}

Table edge_table(const OffloadAnswer& answer) {
  Table table({shrinking("edge"), right("streams", 3), right("p50 ms", 2), right("p90 ms", 1),
               right("p99 ms"), right("mean ms", 1), right(served_word(answer) + "s/s"), right("drops", 4),
               left("bottleneck")});
  for (std::size_t i = 0; i < answer.streams.size();) {
    std::size_t end = i;
    while (end < answer.streams.size() && answer.streams[end].entry == answer.streams[i].entry) ++end;
    const Worst worst = worst_of(answer.edge, i, end);
    const auto cell = [&worst](const Metric& value) { return ms(value, worst.saturated); };
    table.add({scenarios::called(answer.streams[i]), fmt::format("{}", end - i), cell(worst.latency.p50),
               cell(worst.latency.p90), cell(worst.latency.p99), cell(worst.latency.mean),
               significant(worst.throughput, 4), fmt::format("{}", worst.drops), worst.saturated},
              worst.saturated.empty() ? Style::plain : Style::bad);
    i = end;
  }
  return table;
}

Table break_even_table(const OffloadAnswer& answer) {
  Table table({right("bandwidth"), shrinking("stream"), left("cloud has the lower p99")});
  for (const BreakEven& found : answer.break_even) {
    // Streams of one entry differ only in phase, so only the one with the lowest break-even is shown.
    if (found.stream) {
      const std::size_t entry = answer.streams[*found.stream].entry;
      if (answer.streams.back().entry == 0) continue;
      const auto is_lower = [&](const BreakEven& other) {
        if (!other.stream || other.bandwidth != found.bandwidth || other.stream == found.stream) return false;
        if (answer.streams[*other.stream].entry != entry) return false;
        const auto order = [](const BreakEven& one) { return std::pair(one.kind, one.rtt); };
        return order(other) != order(found) ? order(other) < order(found) : *other.stream < *found.stream;
      };
      if (std::ranges::any_of(answer.break_even, is_lower)) continue;
    }
    table.add({bandwidth_text(found.bandwidth),
               found.stream ? scenarios::called(answer.streams[*found.stream]) : "all (worst stream)",
               break_even_text(found)},
              found.stream ? Style::faint : Style::plain);
  }
  return table;
}

std::string points_table(const OffloadAnswer& answer, int width, bool colour) {
  std::vector<Column> columns({right("bandwidth"), right("RTT"), right("cloud p50", 4), right("p90", 3),
                               right("cloud p99 ms"), right("mean", 2), right(served_word(answer) + "s/s", 5),
                               right("mJ/" + served_word(answer), 6), left("bottleneck", 7),
                               right("split p99", 9), right("on edge", 8), right("split mJ", 1)});
  const bool partitioned = !answer.partitions.empty();
  if (partitioned) {
    columns.push_back(right("layers p99", 9));
    columns.push_back(right("at layer", 8));
    columns.push_back(right("layers mJ", 1));
  }
  columns.push_back(left("best"));
  columns.push_back(left("min mJ", 6));
  Table table(std::move(columns));
  for (const OffloadPoint& point : answer.points) {
    const Worst cloud = worst_of(point.cloud), split = worst_of(point.split);
    std::vector<std::string> cells{bandwidth_text(point.bandwidth),
                                   time_text(point.rtt),
                                   ms(cloud.latency.p50, cloud.saturated),
                                   ms(cloud.latency.p90, cloud.saturated),
                                   ms(cloud.latency.p99, cloud.saturated),
                                   ms(cloud.latency.mean, cloud.saturated),
                                   significant(cloud.throughput, 4),
                                   significant(point.cloud.edge_energy_mj, 3),
                                   cloud.saturated,
                                   ms(split.latency.p99, split.saturated),
                                   fmt::format("{}", point.on_edge),
                                   significant(point.split.edge_energy_mj, 3)};
    if (partitioned) {
      const Worst layers = worst_of(point.layers);
      cells.push_back(ms(layers.latency.p99, layers.saturated));
      cells.push_back(fmt::format("{}", answer.partitions[point.partition].at.layers));
      cells.push_back(significant(point.layers.edge_energy_mj, 3));
    }
    cells.emplace_back(to_string(point.best));
    cells.emplace_back(point.least_energy ? to_string(*point.least_energy) : "–");
    table.add(std::move(cells));
  }
  return table.text(width, colour);
}

std::string bytes_text(double bytes) {
  return bytes >= 1e3 ? fmt::format("{} kB", significant(bytes / 1e3, 4)) : fmt::format("{:g} B", bytes);
}

// Each partition point: the bytes sent, the head on the edge, and head and tail together over the best link.
std::string partitions_text(const OffloadAnswer& answer, int width, bool colour) {
  if (answer.partitions.empty())
    return paragraph(fmt::format("No split between layers: {}.", answer.why_not_partitioned), width, 0);
  const OffloadPoint* best_link = &answer.points.front();
  for (const OffloadPoint& point : answer.points)
    if (point.bandwidth > best_link->bandwidth) best_link = &point;
  std::string text =
      paragraph(fmt::format("Split between the {} layers of {}: the head runs on the edge, the tail in the "
                            "cloud, one tensor crosses the link. At {} and {} RTT:",
                            answer.layers, input::printable(answer.streams.front().model),
                            bandwidth_text(best_link->bandwidth), time_text(best_link->rtt)),
                width, 0);
  Table table({right("at layer"), shrinking("after", 9), right("sent"), right("edge p99 ms", 6),
               right("edge images/s", 4), right("edge W", 3), right("p50 ms", 2), right("p99 ms"),
               right("images/s", 7), right("mJ/image", 5), left("bottleneck", 8)});
  for (const OffloadPartition& partition : answer.partitions) {
    const Worst head = worst_of(partition.head), all = worst_of(partition.nearest);
    table.add({fmt::format("{}", partition.at.layers), input::printable(partition.at.after),
               bytes_text(partition.request_bytes), ms(head.latency.p99, head.saturated),
               significant(head.throughput, 4), significant(partition.head.edge_power_w, 3),
               ms(all.latency.p50), ms(all.latency.p99), significant(all.throughput, 4),
               significant(partition.nearest.edge_energy_mj, 3), all.saturated},
              all.saturated.empty() ? Style::plain : Style::bad);
  }
  return text + table.text(width, colour);
}

// A map with one letter per point; lower case if not all streams are served.
std::string map_text(const OffloadAnswer& answer) {
  std::size_t wide = 0, per_row = 0;
  for (const OffloadPoint& point : answer.points) {
    wide = std::max(wide, display_width(bandwidth_text(point.bandwidth)));
    if (point.bandwidth == answer.points.front().bandwidth) ++per_row;
  }
  std::string text;
  for (std::size_t row = answer.points.size() / per_row; row-- > 0;) {
    text += fmt::format("{:>{}}  ", bandwidth_text(answer.points[row * per_row].bandwidth), wide);
    for (std::size_t i = 0; i < per_row; ++i) {
      const OffloadPoint& point = answer.points[row * per_row + i];
      const SideMetrics& side = analyses::metrics(answer, point, point.best);
      const char letter = to_string(point.best)[0];
      text += side.served() ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    }
    text += "\n";
  }
  return text + fmt::format("{:>{}}  {} to {}\n", "RTT", wide, time_text(answer.points.front().rtt),
                            time_text(answer.points.back().rtt));
}

// Why more boards are slower, if they are: their governors clock them lower.
std::string clocks_text(const OffloadAnswer& answer, int width) {
  const BoardsRow* slower = nullptr;
  const BoardsRow& first = answer.boards.front();
  for (const BoardsRow& row : answer.boards)
    if (row.boards > first.boards && row.metrics.worst_p99() > first.metrics.worst_p99() &&
        first.metrics.worst_p99() && row.gpu_clock_mhz < first.gpu_clock_mhz && row.gpu_clock_mhz)
      slower = &row;
  if (slower == nullptr) return {};
  return paragraph(
      fmt::format("The GPU's governor clocks a board lower that has less to do: {:.0f} MHz with {} of them, "
                  "{:.0f} with {}. With jetson_clocks: true the clocks do not depend on the load.",
                  *slower->gpu_clock_mhz, slower->boards, *first.gpu_clock_mhz, first.boards),
      width, 0);
}

Table boards_table(const OffloadAnswer& answer) {
  Table table({left(""), right("p99 ms"), right(served_word(answer) + "s/s"), right("edge W"),
               right("mJ/" + served_word(answer), 2), right("GPU MHz", 1), left("bottleneck")});
  const auto add = [&](const std::string& name, const SideMetrics& side, const scenarios::Metric& clock) {
    const Worst worst = worst_of(side);
    table.add({name, ms(worst.latency.p99, worst.saturated), significant(side.throughput, 4),
               significant(side.edge_power_w, 3), significant(side.edge_energy_mj, 3),
               clock ? fmt::format("{:.0f}", *clock) : none, worst.saturated},
              worst.saturated.empty() ? Style::plain : Style::bad);
  };
  for (const BoardsRow& row : answer.boards)
    add(input::counted(row.boards, "board"), row.metrics, row.gpu_clock_mhz);
  // The cloud at the lowest RTT of each bandwidth is shown for comparison.
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    const OffloadPoint& point = answer.points[i];
    if (i > 0 && answer.points[i - 1].bandwidth == point.bandwidth) continue;
    add(fmt::format("cloud, {}, {}", bandwidth_text(point.bandwidth), time_text(point.rtt)), point.cloud, {});
  }
  return table;
}

// The costs of each option that serves all streams, at the lowest RTT of each bandwidth; empty without
// prices.
std::string costs_text(const OffloadAnswer& answer, int width, bool colour) {
  Table table({left(""),
               right("USD/h"),
               {fmt::format("USD/million {}s", served_word(answer))},
               right("cloud W"),
               right("GB/h")});
  bool any = false;
  const auto add = [&](const std::string& name, const SideMetrics& side) {
    if (!side.cost_per_hour || !side.served()) return;
    any = true;
    table.add({name, fmt::format("{:.3g}", *side.cost_per_hour),
               side.cost_per_million ? fmt::format("{:.3g}", *side.cost_per_million) : "–",
               significant(side.cloud_power_w, 3), significant(side.link_gb_per_h, 3)});
  };
  add("edge", answer.edge);
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    const OffloadPoint& point = answer.points[i];
    if (i > 0 && answer.points[i - 1].bandwidth == point.bandwidth) continue;
    const std::string link = fmt::format("{}, {}", bandwidth_text(point.bandwidth), time_text(point.rtt));
    add("cloud, " + link, point.cloud);
    if (point.on_edge > 0 && point.on_edge < answer.streams.size()) add("split, " + link, point.split);
    if (!answer.partitions.empty()) add("layers, " + link, point.layers);
  }
  if (!any) return {};
  std::string text = "Cost:";
  if (answer.prices.board)
    text += fmt::format(" board {:.6g} USD over {:.6g} h,", *answer.prices.board, answer.costs.life_h);
  if (answer.prices.cloud_per_hour)
    text += fmt::format(" cloud {:.6g} USD/h,", *answer.prices.cloud_per_hour);
  text += fmt::format(" link {:.6g} USD/GB, the board's energy {:.6g} USD/kWh.", answer.prices.link_per_gb,
                      answer.costs.energy_usd_per_kwh);
  return "\n" + paragraph(text, width, 0) + table.text(width, colour);
}

// The latencies that users of language models see, and the costs of a thousand tokens; empty without such
// streams.
std::string tokens_text(const OffloadAnswer& answer, int width, bool colour) {
  Table table({left(""), shrinking("stream"), right("TTFT p50", 2), right("TTFT p99 ms"), right("ITL p50", 3),
               right("ITL p99 ms", 4), right("tokens/s"), right("board J/1000", 5), right("cloud J/1000", 6),
               right("USD/1000 tokens", 7)});
  bool any = false;
  const auto add = [&](const std::string& name, const SideMetrics& side) {
    for (std::size_t i = 0; i < side.streams.size(); ++i) {
      const auto& tokens = side.streams[i].tokens;
      if (!tokens) continue;
      any = true;
      const Metric cost = side.cost_per_1000_tokens;
      table.add({name, scenarios::called(answer.streams[i]), ms(tokens->ttft_ms.p50), ms(tokens->ttft_ms.p99),
                 ms(tokens->itl_ms.p50), ms(tokens->itl_ms.p99), significant(tokens->per_s, 3),
                 significant(side.edge_j_per_1000_tokens, 3), significant(side.cloud_j_per_1000_tokens, 3),
                 cost ? fmt::format("{:.3g}", *cost) : "–"});
    }
  };
  add("edge", answer.edge);
  for (const OffloadPoint& point : answer.points)
    add(fmt::format("cloud, {}, {}", bandwidth_text(point.bandwidth), time_text(point.rtt)), point.cloud);
  if (!any) return {};
  return "\n" +
         paragraph(
             "Language models: time to the first token, from one token to the next, and what a thousand "
             "tokens of all streams take:",
             width, 0) +
         table.text(width, colour);
}

std::string payload_text(const Payload& payload) {
  if (payload.tensor) return "the network's input tensor";
  return payload.bytes >= 1e3 ? fmt::format("{:g} kB", payload.bytes / 1e3)
                              : fmt::format("{:g} B", payload.bytes);
}

// The prediction intervals of the watts above, if they were asked for.
std::string power_ranges(const OffloadAnswer& answer) {
  std::string text;
  const auto add = [&text](const scenarios::Interval& relative, const std::string& device) {
    if (relative) text += fmt::format("{} (power of {})", power_range(relative), device);
  };
  add(answer.edge_power_interval, answer.edge_device);
  add(answer.cloud_power_interval, answer.cloud_device);
  return text;
}

// The grades of the watts and energies above, and of what they cost.
std::string grades_sentence(const OffloadAnswer& answer) {
  const auto grade = [](const std::optional<std::string>& of) { return of.value_or("unknown"); };
  return fmt::format("power and energy: grade {} of {}, {} of {}", grade(answer.edge_power_grade),
                     answer.edge_device, grade(answer.cloud_power_grade), answer.cloud_device) +
         power_ranges(answer);
}

std::string power_text(const OffloadAnswer& answer, int width) {
  std::string text = "\n" + paragraph(grades_sentence(answer), width, 0);
  if (!answer.power_note.empty()) text += paragraph("note: " + answer.power_note, width, 0);
  return text;
}

std::string heading(const OffloadAnswer& answer) {
  const Link& link = answer.link;
  const std::size_t streams = answer.streams.size();
  std::string text =
      fmt::format("{} on {}, or over a link on {}; request payload: {}", input::counted(streams, "stream"),
                  answer.edge_device, answer.cloud_device,
                  served_word(answer) == "sequence" ? "the text of the prompt" : payload_text(link.payload));
  if (link.jitter > sim::Duration::zero()) text += fmt::format(", jitter {}", time_text(link.jitter));
  if (link.loss > 0) text += fmt::format(", loss {:g} %", 100 * link.loss);
  text += link.energy_per_bit_j > 0 ? fmt::format(", radio energy {:g} nJ/bit", 1e9 * link.energy_per_bit_j)
                                    : ", radio energy not given";
  return text;
}

std::string edge_power_line(const OffloadAnswer& answer) {
  return fmt::format("edge board: {:.3g} W, {} mJ/{}{}", *answer.edge.edge_power_w,
                     significant(answer.edge.edge_energy_mj, 3), served_word(answer),
                     answer.edge_power_grade ? fmt::format(" ({})", *answer.edge_power_grade) : "");
}

// The part of an answer's time that the link of a point takes: "of which 0.96 ms to send 120 kB and 1 ms on
// the way". Empty if the payload has no fixed size.
std::string sending_words(const OffloadAnswer& answer, const OffloadPoint& point) {
  if (answer.link.payload.tensor || answer.link.payload.bytes <= 0) return {};
  const double send_ms = 1e3 * answer.link.payload.bytes / point.bandwidth;
  return fmt::format("of which {} ms to send {} and {} on the way", significant(send_ms, 3),
                     payload_text(answer.link.payload), time_text(point.rtt));
}

// The bandwidth that all requests need: ", which needs 115 Mbit/s". Empty if that is not known.
std::string needed_link(const OffloadAnswer& answer, double asked) {
  if (answer.link.payload.tensor || answer.link.payload.bytes <= 0 || asked <= 0) return {};
  return fmt::format(", as all requests need {} Mbit/s",
                     significant(asked * answer.link.payload.bytes / 1.25e5, 3));
}

// How edge and cloud compare over the link of a point, in a sentence.
std::string over_link(const OffloadAnswer& answer, const OffloadPoint& point) {
  const Worst cloud = worst_of(point.cloud);
  const std::string link =
      fmt::format("with {} and {} there and back", bandwidth_text(point.bandwidth), time_text(point.rtt));
  const double asked = asked_rate(answer);
  const std::string of = asked > 0 ? " of " + significant(asked, 3) : std::string();
  if (!cloud.saturated.empty())
    return fmt::format("{} the cloud alone serves {}{} {}s/s: {}", link, significant(cloud.throughput, 3), of,
                       served_word(answer),
                       cloud.saturated == "link" ? "the link is full" + needed_link(answer, asked)
                                                 : cloud.saturated + " is the bottleneck");
  const Metric edge = worst_of(answer.edge).latency.p99;
  const std::string sent = sending_words(answer, point);
  return fmt::format(
      "{} the cloud answers within {} ms{}{}", link, ms(cloud.latency.p99), sent.empty() ? "" : ", " + sent,
      edge && cloud.latency.p99 ? fmt::format("; the edge takes {} ms to compute", ms(edge)) : std::string());
}

// The points with the most bandwidth and the shortest way, and with the least and the longest.
auto by_link(const OffloadPoint& point) {
  return std::pair(point.bandwidth, -sim::to_ms(point.rtt));
}
const OffloadPoint& best_link(const OffloadAnswer& answer) {
  return *std::ranges::max_element(answer.points, {}, by_link);
}
const OffloadPoint& worst_link(const OffloadAnswer& answer) {
  return *std::ranges::min_element(answer.points, {}, by_link);
}

// The least p99 at a point among options other than the best; none if no other serves all streams. Splits
// that leave a side without streams are no options of their own.
Metric second_best(const OffloadAnswer& answer, const OffloadPoint& point) {
  Metric least = point.other_split;
  for (const Side side : {Side::edge, Side::cloud, Side::split, Side::layers}) {
    const bool whole = point.on_edge == 0 || point.on_edge == answer.streams.size();
    const bool no_option =
        (side == Side::split && whole) || (side == Side::layers && answer.partitions.empty());
    if (side == point.best || no_option) continue;
    const Metric p99 = analyses::metrics(answer, point, side).worst_p99();
    if (p99 && (!least || *p99 < *least)) least = p99;
  }
  return least;
}

// Says if the choice would flip if the model were off by its usual error, for the two links of the answer and
// in how many of all. Empty without a grade.
std::string offload_decision(const OffloadAnswer& answer, const OffloadPoint& fast,
                             const OffloadPoint& slow) {
  if (!answer.usual_error) return {};
  const auto keeps_up = [&](const OffloadPoint& point) {
    return point.best_if_slower || !analyses::metrics(answer, point, point.best).served();
  };
  // True if the best option stays the best although it alone takes longer.
  const auto stays = [&](const OffloadPoint& point) {
    const Metric second = second_best(answer, point);
    return keeps_up(point) && (!second || *second > point.best_if_slower.value_or(0));
  };
  const auto at = [&](const OffloadPoint& point) {
    const std::string link =
        fmt::format("with {} and {}", bandwidth_text(point.bandwidth), time_text(point.rtt));
    const Metric second = second_best(answer, point);
    if (!keeps_up(point))
      return fmt::format("{} it would not keep up{}", link, second ? "" : ", and nothing else does");
    if (!analyses::metrics(answer, point, point.best).served()) return link + " nothing keeps up";
    if (!second) return link + " it stays: nothing else keeps up";
    return fmt::format("{} it {} (p99 {}, then {}, against {} ms)", link, stays(point) ? "stays" : "may flip",
                       ms(analyses::metrics(answer, point, point.best).worst_p99()), ms(point.best_if_slower),
                       ms(second));
  };
  return fmt::format(
      "If all times of the best option are longer by the model's usual {:.0f} %, the choice stays the same "
      "on {} of {}: {}, {}",
      100 * *answer.usual_error, std::ranges::count_if(answer.points, stays),
      input::counted(answer.points.size(), "link"), at(fast), at(slow));
}

// Where to run, from the most bandwidth to the least: "there and back in 1 ms to 60 ms; with 320 Mbit/s the
// cloud up to 13 ms, then the edge (p99 4.52 to 30.1 ms); with 10 Mbit/s none keeps up". Of many bandwidths
// both ends.
std::string best_by_link(const OffloadAnswer& answer) {
  std::vector<AtBandwidth> all = by_bandwidth(answer);
  std::ranges::reverse(all);
  if (all.size() > 4) all = {all.front(), all.back()};
  const auto [least, most] = std::ranges::minmax(answer.points, {}, &OffloadPoint::rtt);
  std::string text =
      fmt::format("there and back in {}{}", least.rtt == most.rtt ? "" : time_text(least.rtt) + " to ",
                  time_text(most.rtt));
  for (const auto& [bandwidth, best, p99] : all) {
    text += fmt::format("; with {} {}", bandwidth, best);
    if (std::isdigit(static_cast<unsigned char>(p99.front())) != 0) text += fmt::format(" (p99 {} ms)", p99);
  }
  return text;
}

}  // namespace

std::string bandwidth_text(double bytes_per_s) {
  const double mbit = bytes_per_s / 1.25e5;
  if (mbit >= 1000) return fmt::format("{:g} Gbit/s", mbit / 1000);
  return mbit >= 1 ? fmt::format("{:g} Mbit/s", mbit) : fmt::format("{:g} kbit/s", 1000 * mbit);
}

std::string time_text(sim::Duration time) {
  const double value = sim::to_ms(time);
  if (value >= 10'000) return fmt::format("{:g} s", value / 1000);
  return fmt::format("{:g} ms", value);
}

std::string break_even_text(const BreakEven& found) {
  switch (found.kind) {
    case BreakEven::Kind::never:
      return "never";
    case BreakEven::Kind::always:
      return "always, at every RTT";
    case BreakEven::Kind::up_to:
      break;
  }
  return fmt::format("up to {:.3g} ms RTT", sim::to_ms(found.rtt));
}

std::string offload_text(const OffloadAnswer& answer, int width, bool colour) {
  const auto paragraphed = [width](const std::string& text) { return paragraph(text, width, 0); };
  std::string text = edge_table(answer).text(width, colour);
  if (answer.edge.edge_power_w) text += edge_power_line(answer) + "\n";
  text += "\n" + break_even_table(answer).text(width, colour);
  text += "\n" + partitions_text(answer, width, colour);
  text += "\n" + paragraphed(fmt::format("Best option by the p99 of the worst stream (E edge, C cloud, S "
                                         "streams split{}; lower case: not all streams are served):",
                                         answer.partitions.empty() ? "" : ", L layers split"));
  text += map_text(answer);
  text += "\n" + points_table(answer, width, colour);
  if (!answer.boards.empty())
    text += "\n" + boards_table(answer).text(width, colour) + clocks_text(answer, width);
  text += tokens_text(answer, width, colour);
  text += costs_text(answer, width, colour);
  return text + power_text(answer, width);
}

PageWords offload_words(const OffloadAnswer& answer, const scenarios::InWords& edge) {
  PageWords words = page_words(edge);
  words.scenario = heading(answer);
  words.question = fmt::format(
      "Where should {} run, so that the slowest has its answers soonest: on the edge ({}), in the cloud "
      "({}), or split between both",
      input::counted(answer.streams.size(), "stream"), answer.edge_device, answer.cloud_device);
  Passage alone{"on the edge alone", {edge_table(answer)}};
  if (answer.edge.edge_power_w) alone.lines.push_back(edge_power_line(answer));
  if (!answer.points.empty()) {
    const OffloadPoint &fast = best_link(answer), &slow = worst_link(answer);
    words.answer.push_back({"", {}, {best_by_link(answer)}});
    words.why = {over_link(answer, fast), over_link(answer, slow)};
    if (!worst_of(answer.edge).saturated.empty())
      words.why.insert(words.why.begin(), edge_alone_words(answer));
    words.trust.push_back(offload_decision(answer, fast, slow));
  }
  words.answer.push_back({"", {where_table(answer)}});
  words.more = {{"when the cloud alone is faster than the edge", {break_even_table(answer)}},
                std::move(alone)};
  if (const std::string grade = lowest_grade(answer); !grade.empty())
    words.trust.push_back(grade_sentence("Throughput and latency", grade));
  Passage watts{"how sure the watts are"};
  const bool computed = answer.edge_power_interval.has_value();
  if (computed) watts.lines.push_back(grades_sentence(answer));
  if (answer.edge_power_grade && !computed)
    watts.lines.push_back(grade_sentence("Power of " + answer.edge_device, *answer.edge_power_grade));
  if (answer.cloud_power_grade && answer.cloud_power_grade != answer.edge_power_grade && !computed)
    watts.lines.push_back(grade_sentence("Power of " + answer.cloud_device, *answer.cloud_power_grade));
  if (!watts.lines.empty()) words.more.push_back(std::move(watts));
  if (!answer.power_note.empty()) words.warnings.push_back({"note", answer.power_note});
  if (!answer.boards.empty())
    words.more.push_back({"more edge boards, and the cloud", {boards_table(answer)}});
  return words;
}

}  // namespace jostle::cli
