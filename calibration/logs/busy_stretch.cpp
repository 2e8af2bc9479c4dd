#include "calibration/logs/busy_stretch.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::calibration {
namespace {

constexpr std::size_t max_blocks = 16'384;
constexpr std::int64_t longest_gap = 2;  // samples
constexpr std::size_t sustained = 3;     // samples
// A change of load is one of level if it is above this share of the highest load, and above this many
// standard deviations on either side. A part counts from five samples and a tenth of its stretch. A change of
// clock is one from half a step of an Orin's table near its top, 102 of 918 to 1300 MHz.
constexpr double level_step = 0.15, clock_step = 0.04, level_deviations = 3;
constexpr std::int64_t least_part = 5;

struct LevelPart {
  std::size_t begin = 0, end = 0;  // in the list of blocks
  Moments load;
};

// The parts of a list of loads that are at different levels: cut wherever a cut leaves less variance, then
// joined again where neighbours differ too little.
class Levels {
 public:
  // Parts differ by `step` at least.
  Levels(std::span<const Moments> loads, double step) : loads_(loads), step_(step) {
    std::int64_t total = 0;
    for (const Moments& load : loads) total += load.count;
    least_ = std::max(least_part, total / 10);
  }

  [[nodiscard]] std::vector<LevelPart> parts() const {
    std::vector<LevelPart> done, open{{0, loads_.size(), {}}};
    while (!open.empty()) {
      LevelPart part = open.back();
      open.pop_back();
      const std::size_t at = best_cut(part);
      if (at == part.begin) {
        for (std::size_t i = part.begin; i < part.end; ++i) part.load.add(loads_[i]);
        done.push_back(part);
      } else {
        open.push_back({at, part.end, {}});
        open.push_back({part.begin, at, {}});
      }
    }
    join(done);
    return done;
  }

 private:
  // Where to cut so that the least variance is left; the part's begin if it is too short.
  [[nodiscard]] std::size_t best_cut(const LevelPart& part) const {
    std::vector<Moments> after(part.end - part.begin + 1);
    for (std::size_t i = part.end; i-- > part.begin;) {
      after[i - part.begin] = after[i - part.begin + 1];
      after[i - part.begin].add(loads_[i]);
    }
    std::size_t best = part.begin;
    double least = 0;
    Moments before;
    for (std::size_t i = part.begin; i + 1 < part.end; ++i) {
      before.add(loads_[i]);
      const Moments& rest = after[i + 1 - part.begin];
      if (before.count < least_ || rest.count < least_) continue;
      const double within = before.squares + rest.squares;
      if (best == part.begin || within < least) {
        best = i + 1;
        least = within;
      }
    }
    return best;
  }

  // How many times the least step two neighbours are apart.
  [[nodiscard]] double steps(const Moments& one, const Moments& other) const {
    const double sd = std::sqrt((one.squares + other.squares) / static_cast<double>(one.count + other.count));
    return std::abs(one.mean - other.mean) / std::max(step_, level_deviations * sd);
  }

  void join(std::vector<LevelPart>& parts) const {
    while (parts.size() > 1) {
      std::size_t closest = 0;
      double least = -1;
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const double apart = steps(parts[i].load, parts[i + 1].load);
        if (least >= 0 && apart >= least) continue;
        closest = i;
        least = apart;
      }
      if (least > 1) return;
      parts[closest].end = parts[closest + 1].end;
      parts[closest].load.add(parts[closest + 1].load);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(closest) + 1);
    }
  }

  std::span<const Moments> loads_;
  double step_;
  std::int64_t least_ = least_part;
};

// Leaves of both lists the part at the highest level; returns what was left out.
Moments keep_highest(std::vector<std::size_t>& blocks, std::vector<Moments>& levels, double step) {
  const std::vector<LevelPart> parts = Levels(levels, step).parts();
  const auto chosen =
      std::ranges::max_element(parts, {}, [](const LevelPart& part) { return part.load.mean; });
  Moments others;
  for (const LevelPart& part : parts)
    if (&part != &*chosen) others.add(part.load);
  const auto cut = [&](auto& list) {
    list = {list.begin() + static_cast<std::ptrdiff_t>(chosen->begin),
            list.begin() + static_cast<std::ptrdiff_t>(chosen->end)};
  };
  cut(blocks);
  cut(levels);
  return others;
}

}  // namespace

void SampledLoad::add(int line, double load, Values values) {
  recent_[static_cast<std::size_t>(samples_) % sustained] = load;
  ++samples_;
  if (samples_ >= static_cast<std::int64_t>(sustained))
    highest_ = std::max(highest_, *std::ranges::min_element(recent_));
  if (blocks_.empty() || blocks_.back().load.count >= per_block_) {
    if (blocks_.size() == max_blocks) merge_neighbours();
    blocks_.push_back({line, line, {}, {}});
  }
  Block& block = blocks_.back();
  block.last = line;
  block.load.add(load);
  for (const auto& [quantity, value] : values) {
    if (block.values.size() <= quantity) block.values.resize(quantity + 1);
    block.values[quantity].add(value);
  }
}

void SampledLoad::merge_neighbours() {
  for (std::size_t i = 0; i < blocks_.size() / 2; ++i) {
    Block merged = std::move(blocks_[2 * i]);
    const Block& other = blocks_[2 * i + 1];
    merged.last = other.last;
    merged.load.add(other.load);
    merged.values.resize(std::max(merged.values.size(), other.values.size()));
    for (std::size_t q = 0; q < other.values.size(); ++q) merged.values[q].add(other.values[q]);
    blocks_[i] = std::move(merged);
  }
  blocks_.resize(blocks_.size() / 2);
  per_block_ *= 2;
}

std::vector<std::size_t> SampledLoad::longest() const {
  std::vector<std::size_t> best, current;
  std::int64_t most = 0, samples = 0, gap = 0;
  const auto end_stretch = [&] {
    if (samples > most) {
      most = samples;
      best.swap(current);
    }
    current.clear();
    samples = 0;
  };
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].load.mean > highest_ / 2) {
      gap = 0;
      samples += blocks_[i].load.count;
      current.push_back(i);
    } else if ((gap += blocks_[i].load.count) > longest_gap) {
      end_stretch();
    }
  }
  end_stretch();
  return best;
}

std::optional<SampledLoad::Stretch> SampledLoad::busiest(std::optional<std::size_t> clock) const {
  std::vector<std::size_t> stretch = longest();
  if (stretch.empty()) return std::nullopt;
  Stretch result;
  std::vector<Moments> loads, clocks;
  for (const std::size_t i : stretch) loads.push_back(blocks_[i].load);
  result.other_load = keep_highest(stretch, loads, level_step * highest_);
  for (const std::size_t i : stretch)
    clocks.push_back(clock && *clock < blocks_[i].values.size() ? blocks_[i].values[*clock] : Moments{});
  const double fastest = std::ranges::max_element(clocks, {}, &Moments::mean)->mean;
  if (fastest > 0) result.lower_clock = keep_highest(stretch, clocks, clock_step * fastest);
  for (const Moments& one : clocks) result.clock.add(one);
  result.first = blocks_[stretch.front()].first;
  result.last = blocks_[stretch.back()].last;
  for (const std::size_t i : stretch) {
    const Block& block = blocks_[i];
    result.samples += block.load.count;
    result.values.resize(std::max(result.values.size(), block.values.size()));
    for (std::size_t q = 0; q < block.values.size(); ++q) result.values[q].add(block.values[q]);
  }
  return result;
}

}  // namespace jostle::calibration
