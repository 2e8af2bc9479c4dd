#include "calibration/fit/space_sharing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "calibration/fit/looped_streams.hpp"

namespace jostle::calibration {
namespace {

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
