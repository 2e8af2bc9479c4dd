// The GPU's memory: bandwidth by readers and sizes, and copies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/folder.hpp"
#include "calibration/probe/gpu/loops.hpp"

namespace jostle::calibration::probe {
namespace {

constexpr double word_bytes = 16;

struct Rate {
  double gb_s = 0, sd = 0;
  std::size_t samples = 0;
};

// The rate of one kernel that moves `amount` words a thread, by its own stamps; it runs for `seconds`.
Rate rate_of(const Gpu& gpu, const Launch& launch, std::size_t data_bytes, double seconds) {
  Queue queue(gpu, 4096, data_bytes);
  for (int i = 0; i < 3; ++i) queue.launch(launch);
  queue.forget_stamps();
  const double until = host_now() + seconds;
  while (host_now() < until) {
    for (int i = 0; i < 20; ++i) queue.launch(launch);
    queue.synchronize();
  }
  std::vector<double> rates;
  const double bytes = static_cast<double>(launch.amount) * launch.blocks * launch.threads * word_bytes;
  for (const Stamp& stamp : queue.stamps())
    rates.push_back(bytes / static_cast<double>(std::max<std::uint64_t>(1, stamp.end - stamp.start)));
  const auto estimate = middle(rates);
  return {estimate->value, estimate->sd, estimate->samples};
}

struct BandwidthRow {
  int kind = 0;  // 0 read, 1 write
  unsigned blocks = 0;
  double data_bytes = 0;
  Rate rate;
};

std::size_t large(const Gpu& gpu) {
  return static_cast<std::size_t>(std::min(2e9, gpu.identity().memory_bytes / 8));
}

// Some 30 us of work and more, whatever the number of blocks.
std::uint64_t words_for(const Gpu& gpu, unsigned blocks) {
  const double sms = gpu.identity().sms;
  return static_cast<std::uint64_t>(std::clamp(256 * sms / blocks, 16.0, 512.0));
}

std::vector<BandwidthRow> by_blocks(const Gpu& gpu, double seconds) {
  std::vector<BandwidthRow> rows;
  for (const int kind : {0, 1})
    for (const double waves : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 32.0}) {
      const auto blocks = static_cast<unsigned>(std::max(1.0, std::round(waves * gpu.identity().sms)));
      const Launch launch{kind == 0 ? KernelKind::read : KernelKind::write, blocks, 256,
                          words_for(gpu, blocks)};
      rows.push_back(
          {kind, blocks, static_cast<double>(large(gpu)), rate_of(gpu, launch, large(gpu), seconds)});
    }
  return rows;
}

// Reads of buffers of growing size, again and again: the rate falls where the L2 no longer holds them.
std::vector<BandwidthRow> by_size(const Gpu& gpu, double seconds) {
  std::vector<BandwidthRow> rows;
  const double l2 = std::max(gpu.identity().l2_bytes, 256e3);
  for (const double share : {0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0}) {
    const auto bytes = static_cast<std::size_t>(share * l2) / 4096 * 4096;
    const auto blocks = static_cast<unsigned>(8 * gpu.identity().sms);
    rows.push_back({0, blocks, static_cast<double>(bytes),
                    rate_of(gpu, {KernelKind::read, blocks, 256, 64}, bytes, seconds)});
  }
  return rows;
}

struct Copy {
  int to_device = 0;
  double bytes = 0, us = 0;
};
std::vector<Copy> copies(const Gpu& gpu, int repeats) {
  const std::size_t most = 64 << 20;
  const HostMemory host(gpu, most);
  const DeviceMemory device(gpu, most);
  Queue queue(gpu, 4);
  std::vector<Copy> all;
  for (const int to_device : {1, 0})
    for (std::size_t bytes = 4096; bytes <= most; bytes *= 4)
      for (int i = 0; i < repeats; ++i) {
        const double from = host_now();
        if (to_device == 1) {
          gpu.cuda.check("cuMemcpyHtoDAsync",
                         gpu.cuda.copy_from_host_async(device.at(), host.at(), bytes, queue.stream()));
        } else {
          gpu.cuda.check("cuMemcpyDtoHAsync",
                         gpu.cuda.copy_to_host_async(host.at(), device.at(), bytes, queue.stream()));
        }
        queue.synchronize();
        all.push_back({to_device, static_cast<double>(bytes), 1e6 * (host_now() - from)});
      }
  return all;
}

template <class Work>
auto apart(const Session& session, const Work& work) {
  return found_apart(session, experiment_limit_s, [&] { return work(Gpu()); });
}

void add_copies(const std::vector<Copy>& all, Outcome& outcome) {
  std::map<double, std::vector<double>> by_size;
  for (const Copy& copy : all)
    if (copy.to_device == 1) by_size[copy.bytes].push_back(copy.us);
  // Medians, since one copy during which the host was disturbed would turn the line.
  std::vector<Point2> points;
  for (const auto& [bytes, us] : by_size) points.push_back({bytes, median(us)});
  const auto line = line_through(points);
  if (!line || line->slope <= 0) return;
  outcome.parameters.push_back({"gpu.copy_bandwidth", 1e-3 / line->slope, "GB/s",
                                line->slope_sd / line->slope, all.size() / 2,
                                "copies of 4 KiB to 64 MiB from locked memory to the device"});
}

void add_bandwidths(const std::vector<BandwidthRow>& rows, const GpuFacts& gpu, Outcome& outcome) {
  Rate best;
  for (const BandwidthRow& row : rows)
    if (row.kind == 0 && row.rate.gb_s > best.gb_s) best = row.rate;
  outcome.parameters.push_back(
      {"seen.dram_read", best.gb_s, "GB/s", best.sd / best.gb_s, best.samples, "the best of all grids"});
  const double peak = gpu.peak_bandwidth() / 1e9;
  if (peak > 0)
    outcome.parameters.push_back(
        {"gpu.bandwidth_efficiency", 100 * best.gb_s / peak, "%", best.sd / best.gb_s, best.samples,
         fmt::format("reads of all SMs; the memory's clock and width give {:.0f} GB/s", peak)});
}

}  // namespace

Outcome gpu_memory(const Session& session) {
  Outcome outcome;
  const GpuFacts gpu = identify(session);
  const double seconds = session.pace * (session.quick ? 0.05 : 0.15);
  session.progress(0, "bandwidth by blocks");
  auto rows = apart(session, [&](const Gpu& on) { return by_blocks(on, seconds); });
  add_bandwidths(rows, gpu, outcome);
  session.progress(0.2, "bandwidth by size");
  const auto sizes = apart(session, [&](const Gpu& on) { return by_size(on, seconds); });
  rows.insert(rows.end(), sizes.begin(), sizes.end());
  std::string csv = "kind,blocks,data_bytes,gb_per_s,relative_sd_pct\n";
  for (const BandwidthRow& row : rows)
    csv += fmt::format("{},{},{:.0f},{:.2f},{:.2f}\n", row.kind == 0 ? "read" : "write", row.blocks,
                       row.data_bytes, row.rate.gb_s, 100 * row.rate.sd / row.rate.gb_s);
  write_file(session, outcome, "gpu_bandwidth.csv", csv);
  outcome.parameters.push_back({"seen.l2_read", sizes.front().rate.gb_s, "GB/s",
                                sizes.front().rate.sd / sizes.front().rate.gb_s, sizes.front().rate.samples,
                                "a tenth of the L2's size, read again and again"});
  session.progress(0.6, "copies");
  const auto copied = apart(session, [&](const Gpu& on) { return copies(on, session.quick ? 5 : 20); });
  csv = "direction,bytes,us\n";
  for (const Copy& copy : copied)
    csv +=
        fmt::format("{},{:.0f},{:.2f}\n", copy.to_device == 1 ? "to_device" : "to_host", copy.bytes, copy.us);
  write_file(session, outcome, "raw/gpu_copies.csv", csv);
  add_copies(copied, outcome);
  return outcome;
}

}  // namespace jostle::calibration::probe
