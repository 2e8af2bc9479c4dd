// Writes the sentence on a group of processes: its largest time share that is lost, and the changes that
// would reduce this loss.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"

namespace jostle::analyses {
namespace {

using process::Share;

constexpr double least_loss = 0.05;   // share of the time below which a loss gets no sentence
constexpr double least_relief = 0.2;  // share of a loss that a change must remove to be named
constexpr double gone = 0.1;          // remaining share of a loss below which it counts as removed
constexpr std::size_t max_named = 2;

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

double share_of(const Explained& explained, Share share) {
  return (*explained.share)[index_of(share)] / 1000.0;
}

// The mean over parts of the time per image, or token, that belongs to a share, in seconds; none if no part
// has time shares. The share alone would be misleading: it may stay the same while everything gets faster.
class PerImage {
 public:
  void add(const Part& part, Share share) {
    const scenarios::Metric rate = part.tokens() ? part.tokens()->per_s : part.throughput().mean;
    if (!part.process->time_share || rate.value_or(0) <= 0) return;
    sum_ += (*part.process->time_share)[index_of(share)] / *rate;
    ++count_;
  }
  [[nodiscard]] std::optional<double> mean() const {
    return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt;
  }

 private:
  double sum_ = 0, count_ = 0;
};

// The loss per image after a change, relative to the loss before.
std::optional<double> remaining_loss(const Tried& tried, const scenarios::Result& before,
                                     const std::vector<std::size_t>& group, Share share) {
  PerImage loss_before, loss_after;
  const std::vector<Part> parts_before = parts_in(before);
  const auto in_group = [&](const Part& part) {
    return std::ranges::find(group, static_cast<std::size_t>(part.process->index)) != group.end();
  };
  for (std::size_t board = 0; board < tried.results.size(); ++board) {
    const std::vector<Part> parts = parts_in(tried.results[board]);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (in_group(parts_before[tried.what_if.boards[board].parts[i]])) loss_after.add(parts[i], share);
  }
  for (const Part& part : parts_before)
    if (in_group(part)) loss_before.add(part, share);
  if (!loss_after.mean() || loss_before.mean().value_or(0) <= 0) return std::nullopt;
  return *loss_after.mean() / *loss_before.mean();
}

struct Relief {
  const Tried* tried;
  double remaining;  // share of the loss
};

std::string effect(double remaining) {
  return remaining < gone ? " would remove it"
                          : fmt::format(" would reduce it by {:.0f} %", 100 * (1 - remaining));
}

std::string remedies(const Explained& explained, const scenarios::Result& before,
                     const std::vector<Tried>& all, Share loss) {
  std::vector<Relief> reliefs;
  for (const Tried& tried : all) {
    const auto remaining = remaining_loss(tried, before, explained.group.processes, loss);
    if (remaining && tried.helps() && *remaining <= 1 - least_relief) reliefs.push_back({&tried, *remaining});
  }
  if (reliefs.empty())
    return all.empty() ? ""
                       : fmt::format("; no change that was tried reduces it by {:.0f} % and brings a gain",
                                     100 * least_relief);
  std::ranges::stable_sort(reliefs, {}, &Relief::remaining);
  if (reliefs.size() > max_named) reliefs.resize(max_named);
  std::vector<std::string> named;
  for (const auto& [tried, remaining] : reliefs)
    named.push_back((tried->what_if.label.starts_with("as ") ? "running " : "") + tried->named() +
                    effect(remaining));
  return fmt::format("; {}", fmt::join(named, ", "));
}

// The first of the leading changes, where the group is all there is.
std::string best_change(const Explained& explained, const scenarios::Result& before,
                        const std::vector<Tried>& all) {
  const std::vector<std::size_t> best = leading(all);
  if (best.empty() || explained.group.processes.size() < before.processes.size()) return {};
  return fmt::format("; {} would bring most", all[best.front()].named());
}

// The resources that limit the running kernels: " (arithmetic 70 %, memory 20 %)".
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

std::string why_none(const scenarios::Result& result) {
  const auto lost =
      std::ranges::find_if(result.processes, [](const auto& one) { return one.status != "ok"; });
  return lost == result.processes.end() ? "" : lost->problem.substr(0, lost->problem.find(':'));
}

std::string sentence_of(const Explained& explained, const scenarios::Result& before,
                        const std::vector<Tried>& tried) {
  if (!explained.share) return "no results: " + why_none(before);
  const process::ShareRow* loss = nullptr;
  const process::ShareRow* use = &process::share_rows.front();
  double max_lost = 0, max_used = 0;
  for (const process::ShareRow& row : process::share_rows) {
    const double share = share_of(explained, row.share);
    if (row.productive && row.share != Share::idle && share > max_used) use = &row, max_used = share;
    if (!row.productive && share > max_lost) loss = &row, max_lost = share;
  }
  std::string text;
  const scenarios::ProcessResult& one = before.processes[explained.group.processes.front()];
  const double waits = share_of(explained, Share::idle);
  if (one.offered && one.stable == true && one.instances.empty() && waits < least_loss)
    text = fmt::format("only {} to spare before it overloads, ", percent(waits));
  if (waits >= least_loss)
    text = fmt::format("{} {}, ", percent(waits), process::share_rows[index_of(Share::idle)].words);
  if (loss != nullptr && max_lost >= least_loss) {
    return text + fmt::format("{} {}", percent(max_lost), loss->words) +
           remedies(explained, before, tried, loss->share);
  }
  text += fmt::format("{} {}", percent(max_used), use->words);
  if (use->share == Share::gpu_running) text += bounds(explained.running_by, before.system);
  return text + best_change(explained, before, tried);
}

}  // namespace jostle::analyses
