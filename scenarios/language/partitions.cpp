#include "scenarios/language/partitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace jostle::scenarios {
namespace {

int size_of(std::int64_t requested, const gpu::PartitionSizes& sizes) {
  return gpu::partition_for(sizes, static_cast<int>(requested));
}

bool is_sized(const std::optional<std::int64_t>& partition) {
  return partition && *partition != rest_of_sms;
}

// SMs of all partitions with a size, rounded up.
int sized_sms(const ProcessEntry& process, const gpu::PartitionSizes& sizes) {
  if (process.gpu.sm_partition)
    return is_sized(process.gpu.sm_partition) ? size_of(*process.gpu.sm_partition, sizes) : 0;
  int sum = 0;
  for (const ProcessEntry& part : process.instances)
    if (is_sized(part.gpu.sm_partition)) sum += size_of(*part.gpu.sm_partition, sizes);
  return sum;
}

bool has_own_partition(const ProcessEntry& part) {
  return part.gpu.sm_partition.has_value();
}

}  // namespace

bool has_partitions(const ProcessEntry& process) {
  return has_own_partition(process) || std::ranges::any_of(process.instances, has_own_partition);
}

std::vector<std::optional<gpu::SmPartition>> partitions_of(const ProcessEntry& process,
                                                           const gpu::Spec& gpu) {
  const std::span<const ProcessEntry> parts = parts_of(process);
  std::vector<std::optional<gpu::SmPartition>> partitions(parts.size());
  const auto sizes = gpu::partition_sizes(gpu);
  if (!sizes) return partitions;
  const int rest = gpu.sm_count - sized_sms(process, *sizes);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const auto& wanted = process.gpu.sm_partition ? process.gpu.sm_partition : parts[part].gpu.sm_partition;
    if (!wanted) continue;
    const bool shared = process.gpu.sm_partition.has_value() || *wanted == rest_of_sms;
    partitions[part] = {.id = shared ? 0 : static_cast<std::uint32_t>(part) + 1,
                        .sms = is_sized(wanted) ? size_of(*wanted, *sizes) : rest};
  }
  return partitions;
}

std::string problem_of_partitions(const ProcessEntry& process, const gpu::Spec& gpu) {
  if (!has_partitions(process)) return {};
  const auto sizes = gpu::partition_sizes(gpu);
  if (!sizes) return fmt::format("{} has no green contexts: CUDA has them from 12.4 on", gpu.architecture);
  const bool both = has_own_partition(process) && std::ranges::any_of(process.instances, has_own_partition);
  if (both) return "the process has a partition, so its instances have none of their own";
  const int sized = sized_sms(process, *sizes);
  const bool rest = std::ranges::any_of(
      parts_of(process), [](const ProcessEntry& part) { return part.gpu.sm_partition == rest_of_sms; });
  if (sized > gpu.sm_count || (rest && sized == gpu.sm_count))
    return fmt::format("the partitions take {} SMs{}, and the GPU has {}", sized,
                       rest ? " and leave none for `rest`" : "", gpu.sm_count);
  return {};
}

std::vector<std::string> partition_warnings(const Scenario& scenario, const gpu::Spec& gpu) {
  std::vector<std::string> sentences;
  const auto sizes = gpu::partition_sizes(gpu);
  if (!sizes) return sentences;
  const auto note = [&](const ProcessEntry& part) {
    if (!is_sized(part.gpu.sm_partition)) return;
    const int given = size_of(*part.gpu.sm_partition, *sizes);
    if (given == *part.gpu.sm_partition) return;
    sentences.push_back(fmt::format(
        "sm_partition: {} SMs become {}: partitions of {} have at least {} SMs, and a multiple of {}",
        *part.gpu.sm_partition, given, gpu.architecture, sizes->least, sizes->multiple));
  };
  for (const ProcessEntry& process : scenario.processes) {
    note(process);
    for (const ProcessEntry& part : process.instances) note(part);
  }
  return sentences;
}

}  // namespace jostle::scenarios
