// Writes the sentence on a group of processes: its largest loss of time, and the changes that would reduce
// it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"

namespace jostle::analyses {
namespace {

using process::Share;

constexpr double least_loss = 0.05;   // share of the time: smaller losses get no sentence
constexpr double least_relief = 0.2;  // share of the loss: changes that relieve less are not named
constexpr double gone = 0.1;          // share of a loss that may remain if it counts as removed
constexpr double least_gain = 0.02;   // relative gain of throughput that is worth naming
constexpr std::size_t max_named = 2;

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

double share_of(const Explained& explained, Share share) {
  return (*explained.share)[index_of(share)] / 1000.0;
}

// The mean time of the share per image of these parts, in seconds; none if none of them has time shares. The
// share alone would be misleading: it may stay the same while everything gets faster.
class PerImage {
 public:
  void add(const Part& part, Share share) {
    if (!part.process->time_share || part.throughput().mean.value_or(0) <= 0) return;
    sum_ += (*part.process->time_share)[index_of(share)] / *part.throughput().mean;
    ++count_;
  }
  [[nodiscard]] std::optional<double> mean() const {
    return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt;
  }

 private:
  double sum_ = 0, count_ = 0;
};

// The loss per image after a change, relative to the loss before.
std::optional<double> left_of(const Tried& tried, const scenarios::Result& before,
                              const std::vector<std::size_t>& group, Share share) {
  PerImage then, now;
  const std::vector<Part> from = parts_in(before);
  const auto in_group = [&](const Part& part) {
    return std::ranges::find(group, static_cast<std::size_t>(part.process->index)) != group.end();
  };
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (in_group(from[tried.what_if.boards[board].parts[i]])) then.add(parts[i], share);
  }
  for (const Part& part : from)
    if (in_group(part)) now.add(part, share);
  if (!then.mean() || now.mean().value_or(0) <= 0) return std::nullopt;
  return *then.mean() / *now.mean();
}

struct Relief {
  const Tried* tried;
  double left;  // remaining share of the loss
};

std::string effect(double left) {
  return left < gone ? " would remove it" : fmt::format(" would take {:.0f} % of it away", 100 * (1 - left));
}

std::string remedies(const Explained& explained, const scenarios::Result& before,
                     const std::vector<Tried>& all, Share loss) {
  std::vector<Relief> helps;
  for (const Tried& tried : all) {
    const auto left = left_of(tried, before, explained.group.processes, loss);
    if (left && tried.all_fit && *left <= 1 - least_relief) helps.push_back({&tried, *left});
  }
  if (helps.empty()) return all.empty() ? "" : "; no change that was tried takes much of it away";
  std::ranges::stable_sort(helps, {}, &Relief::left);
  if (helps.size() > max_named) helps.resize(max_named);
  std::string text;
  for (std::size_t i = 0; i < helps.size(); ++i) {
    const std::string does = effect(helps[i].left);
    text += text.empty() ? "; " : " ";
    text += helps[i].tried->what_if.label;
    const bool last = i + 1 == helps.size();
    if (!last && effect(helps[i + 1].left) == does) {
      text += " or";
    } else {
      text += does + (last ? "" : ",");
    }
  }
  return text;
}

double group_gain(const Tried& tried, const std::vector<std::size_t>& group) {
  double before = 0, after = 0, noise = 0;
  for (const std::size_t index : group) {
    const Change& change = tried.processes[index].throughput;
    if (!change.before || !change.after) return 0;
    before += *change.before;
    after += *change.after;
    noise += change.half_width.value_or(0);
  }
  return before > 0 && after - before > noise ? after / before - 1 : 0;
}

std::string best_change(const Explained& explained, const std::vector<Tried>& all) {
  const Tried* best = nullptr;
  double gain = least_gain;
  for (const Tried& tried : all) {
    const double gained = group_gain(tried, explained.group.processes);
    if (gained <= gain || !tried.all_fit) continue;
    gain = gained;
    best = &tried;
  }
  if (best == nullptr) return {};
  return fmt::format("; {} would bring {} more images/s", best->what_if.label, percent(gain));
}

// " (arithmetic 70 %, memory 20 %)": the limits of the running kernels.
std::string bounds(const scenarios::GpuRunningBy& by, const scenarios::SystemResult& system) {
  std::string text;
  const auto add = [&](const scenarios::Metric& part, const char* words) {
    if (part.value_or(0) < 0.005) return;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", words, 100 * *part);
  };
  add(by.compute, "arithmetic");
  add(by.memory, "memory");
  add(by.fixed, "fixed costs");
  add(by.throttled, system.limited_by == "power_limit" ? "the card's power limit" : "throttled clocks");
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::string sentence_of(const Explained& explained, const scenarios::Result& before,
                        const std::vector<Tried>& tried) {
  if (!explained.share) return "no results: it does not fit into memory";
  const process::ShareRow* loss = nullptr;
  const process::ShareRow* use = &process::share_rows.front();
  double max_lost = 0, max_used = 0;
  for (const process::ShareRow& row : process::share_rows) {
    const double share = share_of(explained, row.share);
    if (row.productive && row.share != Share::idle && share > max_used) use = &row, max_used = share;
    if (!row.productive && share > max_lost) loss = &row, max_lost = share;
  }
  std::string text;
  if (const double waits = share_of(explained, Share::idle); waits >= least_loss)
    text = fmt::format("{} {}, ", percent(waits), process::share_rows[index_of(Share::idle)].words);
  if (loss != nullptr && max_lost >= least_loss) {
    return text + fmt::format("{} {}", percent(max_lost), loss->words) +
           remedies(explained, before, tried, loss->share);
  }
  text += fmt::format("{} {}", percent(max_used), use->words);
  if (use->share == Share::gpu_running) text += bounds(explained.running_by, before.system);
  return text + best_change(explained, tried);
}

}  // namespace jostle::analyses
