#include "calibration/fit/space_sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace jostle::calibration {
namespace {

using sim::Duration;
using sim::Time;

// Streams do not start at the same instant: a host enqueues them one after the other.
constexpr Duration between_starts = sim::Duration{10'000'000};

struct Place {
  std::size_t kernel = 0;  // index in the loop: the kernel on the GPU, or the next one
  int loops = 0;           // number of complete loops
  Time ready;              // arrival of the next kernel; never: the kernel is on the GPU
  Time counted_from = {}, counted_to = {};
};

class Loops {
 public:
  Loops(const gpu::Spec& gpu, std::span<const LoopedStream> streams, int skipped, int counted)
      : dispatcher_(gpu), streams_(streams), skipped_(skipped), counted_(counted) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      dispatcher_.add_stream({.connection = static_cast<int>(i), .sms = gpu.sm_count});
      places_.push_back({.ready = Time{} + between_starts * static_cast<std::int64_t>(i)});
    }
  }
  std::vector<double> run() {
    for (Time now; counting_ < places_.size();) now = step(now);
    std::vector<double> rates;
    for (const Place& place : places_)
      rates.push_back(counted_ / sim::to_seconds(place.counted_to - place.counted_from));
    return rates;
  }

 private:
  // Processes the events at `now`; returns the time of the next event.
  Time step(Time now) {
    done_.clear();
    dispatcher_.run_until(now);
    dispatcher_.end(done_);
    for (const int stream : done_) kernel_over(static_cast<std::size_t>(stream), now);
    join(now);
    dispatcher_.dispatch();
    Time next = dispatcher_.next();
    for (const Place& place : places_) next = std::min(next, place.ready);
    if (next == Time::never()) throw std::invalid_argument("a GPU without SMs runs no kernel");
    return next;
  }
  void kernel_over(std::size_t index, Time now) {
    Place& place = places_[index];
    const LoopedStream& stream = streams_[index];
    if (++place.kernel == stream.kernels.size()) {
      place.kernel = 0;
      ++place.loops;
      if (place.loops == skipped_) place.counted_from = now;
      if (place.loops == skipped_ + counted_) {
        place.counted_to = now;
        ++counting_;
      }
    }
    place.ready = now + stream.gaps[place.kernel];
  }
  // Ready kernels join the queue, in the order in which they became ready.
  void join(Time now) {
    for (;;) {
      const auto first = std::ranges::min_element(places_, {}, &Place::ready);
      if (first->ready > now) return;
      first->ready = Time::never();
      const auto index = static_cast<std::size_t>(first - places_.begin());
      dispatcher_.ready(static_cast<int>(index), streams_[index].kernels[first->kernel]);
    }
  }

  gpu::space::Dispatcher dispatcher_;
  std::span<const LoopedStream> streams_;
  int skipped_, counted_;
  std::size_t counting_ = 0;  // number of streams with a complete count
  std::vector<Place> places_;
  std::vector<int> done_;  // streams whose kernel ended in this step; a member only to keep its storage
};

// Numbers of loops of each stream, chosen so that the rate is known within a percent.
constexpr int skipped = 1, counted = 4;
constexpr std::int64_t most_streams = 128;  // largest number of streams that run at one time on a GPU

NetworkOfRow network_of(const input::CsvTable& table, std::size_t row) {
  const input::CsvTable::Row at = table.row(row);
  const auto precision = dnn::parse_precision(at.text(table.column("precision")));
  if (!precision) at.fail("unknown precision '" + at.text(table.column("precision")) + "'");
  const std::int64_t batch = at.integer(table.column("batch"));
  if (batch < 1) at.fail("batch below 1: " + std::to_string(batch));
  return {at.text(table.column("model")), *precision, batch};
}

std::int64_t streams_of(const input::CsvTable::Row& row, std::size_t column) {
  const std::int64_t streams = row.integer(column);
  if (streams < 1 || streams > most_streams) row.fail("streams: 1 to " + std::to_string(most_streams));
  return streams;
}

double positive(const input::CsvTable::Row& row, std::size_t column) {
  const double value = row.number(column);
  if (value <= 0) row.fail("must be above 0");
  return value;
}

// The duration of a batch of a lone process, in seconds.
double alone_s(const gpu::KernelSequence& kernels) {
  return sim::to_seconds(kernels.total() + kernels.lone_gap);
}

}  // namespace

LoopedStream looped(const gpu::Spec& gpu, const gpu::KernelSequence& kernels) {
  LoopedStream stream;
  for (std::size_t i = 0; i < kernels.kernels.size(); ++i) {
    stream.kernels.push_back(gpu::space::work_of(gpu, kernels.kernels[i], gpu.sm_count));
    stream.gaps.push_back(gpu::space::launch_gap(kernels, i));
  }
  return stream;
}

std::vector<double> loops_per_s(const gpu::Spec& gpu, std::span<const LoopedStream> streams, int skipped,
                                int counted) {
  return Loops(gpu, streams, std::max(skipped, 1), counted).run();
}

std::vector<StreamsRun> streams_runs(const input::CsvTable& table, const MeasuredKernels& kernels) {
  using Key = std::tuple<std::string, dnn::Precision, std::int64_t, std::int64_t>;
  struct OneRun {
    std::set<std::string> networks;  // names with priorities
    Key key;
    std::vector<double> relative;
  };
  const auto run = table.column("run"), streams = table.column("streams"),
             rate = table.column("images_per_s"), alone = table.column("solo_images_per_s"),
             priority = table.column("priority");
  std::map<std::string, OneRun> runs;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    const NetworkOfRow network = network_of(table, i);
    OneRun& one = runs[row.text(run)];
    one.networks.insert(network.model + to_string(network.precision) + std::to_string(network.batch) + " " +
                        row.text(priority) + " " + row.text(streams));
    one.key = {network.model, network.precision, network.batch, streams_of(row, streams)};
    one.relative.push_back(positive(row, rate) / positive(row, alone));
  }
  std::map<Key, std::vector<double>> equal;
  for (const auto& [name, one] : runs) {
    if (one.networks.size() != 1 || std::get<3>(one.key) < 2) continue;
    std::vector<double>& all = equal[one.key];
    all.insert(all.end(), one.relative.begin(), one.relative.end());
  }
  std::vector<StreamsRun> found;
  for (const auto& [key, relative] : equal) {
    const auto& [model, precision, batch, count] = key;
    auto sequence = kernels({model, precision, batch});
    if (sequence) found.push_back({std::move(*sequence), static_cast<int>(count), median(relative)});
  }
  return found;
}

double predicted_relative(const gpu::Spec& gpu, const StreamsRun& run) {
  const std::vector<LoopedStream> streams(static_cast<std::size_t>(run.streams), looped(gpu, run.kernels));
  double sum = 0;
  for (const double rate : loops_per_s(gpu, streams, skipped, counted)) sum += rate;
  return sum / run.streams * alone_s(run.kernels);
}

std::optional<Estimate> mps_kernel(const input::CsvTable& table, const MeasuredKernels& kernels) {
  const auto sharing = table.column("sharing"), processes = table.column("processes"),
             rate = table.column("images_per_s"), mode = table.column("mode");
  std::vector<double> longer_us;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    if (row.text(sharing) != "mps" || row.integer(processes) != 1 || row.text(mode) != "graph") continue;
    const NetworkOfRow network = network_of(table, i);
    const auto sequence = kernels(network);
    if (!sequence) continue;
    const double batch_s = static_cast<double>(network.batch) / positive(row, rate);
    longer_us.push_back((batch_s - alone_s(*sequence)) * 1e6 / static_cast<double>(sequence->kernels.size()));
  }
  return middle(longer_us);
}

}  // namespace jostle::calibration
