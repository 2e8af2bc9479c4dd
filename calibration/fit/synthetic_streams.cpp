// Estimates from streams of equal kernels (space_sharing.hpp).
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calibration/fit/space_sharing.hpp"
#include "models/gpu/occupancy.hpp"
#include "models/gpu/slowdown.hpp"

namespace jostle::calibration {
namespace {

constexpr int threads_of_warp = 32;
constexpr double bytes_of_word = 16;    // a thread of a reader reads so many at a time
constexpr double most_of_memory = 0.5;  // share of the bandwidth up to which warps hardly meet
constexpr std::int64_t largest_in_column = 1'000'000'000;

// A loop of one kernel that runs alone.
struct LoneKernel {
  std::string kind, mode;
  std::int64_t blocks = 1, threads = 1, shared_bytes = 0, work = 0, kernels = 1;
  double duration_us = 0, per_s = 0;

  // The properties of a block: equal blocks take equally long.
  [[nodiscard]] auto block() const { return std::tuple(kind, threads, shared_bytes, work); }
};

std::int64_t count_of_row(const input::CsvTable& table, std::size_t row, const char* column,
                          std::int64_t least) {
  const input::CsvTable::Row at = table.row(row);
  const std::int64_t count = at.integer(table.column(column));
  if (count < least || count > largest_in_column)
    at.fail(std::string(column) + ": " + std::to_string(least) + " to " + std::to_string(largest_in_column));
  return count;
}

std::vector<LoneKernel> lone_kernels(const input::CsvTable& table) {
  std::vector<LoneKernel> found;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const input::CsvTable::Row row = table.row(i);
    if (row.integer("streams") != 1) continue;
    const LoneKernel one{.kind = row.text("kind"),
                         .mode = row.text("mode"),
                         .blocks = count_of_row(table, i, "blocks", 1),
                         .threads = count_of_row(table, i, "threads", 1),
                         .shared_bytes = count_of_row(table, i, "smem_bytes", 0),
                         .work = count_of_row(table, i, "work", 0),
                         .kernels = count_of_row(table, i, "batch_kernels", 1),
                         .duration_us = row.number("duration_p50_us"),
                         .per_s = row.number("kernels_per_s")};
    if (one.duration_us <= 0 || one.per_s <= 0) row.fail("duration and rate must be above 0");
    found.push_back(one);
  }
  return found;
}

int waves_of_lone(const gpu::Spec& gpu, const LoneKernel& one) {
  gpu::Kernel kernel;
  kernel.blocks = static_cast<std::uint32_t>(one.blocks);
  kernel.threads_per_block = static_cast<std::uint32_t>(std::min<std::int64_t>(one.threads, 1024));
  kernel.registers_per_thread = threads_of_warp;  // few: they do not limit what is resident
  kernel.shared_bytes = static_cast<std::uint32_t>(one.shared_bytes);
  return gpu::waves(gpu, kernel);
}

}  // namespace

std::optional<Estimate> block_turnover(const input::CsvTable& table, const gpu::Spec& gpu) {
  std::vector<LoneKernel> spinning = lone_kernels(table);
  std::erase_if(spinning, [](const LoneKernel& one) { return one.kind != "spin" || one.mode != "graph"; });
  // A wave, from the kernel of one wave with most blocks: more on an SM start later.
  std::map<decltype(spinning.front().block()), const LoneKernel*> wave;
  for (const LoneKernel& one : spinning) {
    if (waves_of_lone(gpu, one) > 1) continue;
    const LoneKernel*& known = wave[one.block()];
    if (known == nullptr || one.blocks > known->blocks) known = &one;
  }
  std::vector<double> longer_us;
  for (const LoneKernel& one : spinning) {
    const int count = waves_of_lone(gpu, one);
    const auto known = wave.find(one.block());
    if (count < 2 || known == wave.end()) continue;
    longer_us.push_back((one.duration_us - count * known->second->duration_us) / (count - 1));
  }
  return middle(longer_us);
}

std::optional<Estimate> warp_bandwidth(const input::CsvTable& table, const gpu::Spec& gpu) {
  const double all = gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency;
  if (all <= 0) return {};
  std::vector<double> of_warp;
  for (const LoneKernel& one : lone_kernels(table)) {
    if (one.kind != "mem") continue;
    const double bytes =
        static_cast<double>(one.blocks * one.threads) * static_cast<double>(one.work) * bytes_of_word;
    const double share = bytes / (one.duration_us * 1e-6) / all;
    if (share >= most_of_memory) continue;
    const double requested = share / gpu::space::cube_root(1 - share * share * share);
    of_warp.push_back(requested * all / (static_cast<double>(one.blocks * one.threads) / threads_of_warp) /
                      1e9);
  }
  return middle(of_warp);
}

std::optional<Estimate> mps_kernel(const input::CsvTable& clients, const input::CsvTable& streams) {
  const auto key = [](const LoneKernel& one) { return std::tuple(one.block(), one.blocks, one.kernels); };
  std::map<decltype(key(LoneKernel{})), std::vector<double>> as_streams;
  for (const LoneKernel& one : lone_kernels(streams))
    if (one.mode == "graph") as_streams[key(one)].push_back(1e6 / one.per_s);
  std::vector<double> longer_us;
  for (const LoneKernel& one : lone_kernels(clients)) {
    const auto known = as_streams.find(key(one));
    if (one.mode != "graph" || known == as_streams.end()) continue;
    longer_us.push_back(1e6 / one.per_s - median(known->second));
  }
  return middle(longer_us);
}

}  // namespace jostle::calibration
