#include "models/dnn/partition_points.hpp"

#include <algorithm>

namespace jostle::dnn {

std::vector<PartitionPoint> partition_points(std::span<const FusedLayer> layers) {
  std::vector<std::size_t> last_reader(layers.size(), 0);
  std::size_t reads_input_last = 0, first_output = layers.size();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const std::size_t from : layers[i].inputs) last_reader[from] = i;
    if (layers[i].reads_input) reads_input_last = i;
    if (layers[i].last) first_output = std::min(first_output, i);
  }
  std::vector<PartitionPoint> found;
  std::vector<std::size_t> crossing;  // tensors written before this point and read after it
  for (std::size_t at = 1; at < layers.size() && at <= first_output; ++at) {
    crossing.push_back(at - 1);
    std::erase_if(crossing, [&](std::size_t from) { return last_reader[from] < at; });
    if (reads_input_last >= at || crossing.size() != 1) continue;
    const FusedLayer& from = layers[crossing.front()];
    found.push_back({at, from.name, from.out.elements()});
  }
  return found;
}

std::vector<PartitionPoint> narrowing(std::vector<PartitionPoint> points, std::int64_t input) {
  std::int64_t least = input;
  std::erase_if(points, [&least](const PartitionPoint& point) {
    if (point.elements >= least) return true;
    least = point.elements;
    return false;
  });
  return points;
}

std::vector<FusedLayer> part_of(std::span<const FusedLayer> layers, std::size_t first, std::size_t count) {
  const auto part = layers.subspan(first, count);
  std::vector<FusedLayer> own(part.begin(), part.end());
  for (FusedLayer& layer : own) {
    const auto others = std::erase_if(layer.inputs, [first](std::size_t from) { return from < first; });
    layer.reads_input = layer.reads_input || others > 0;
    for (std::size_t& from : layer.inputs) from -= first;
  }
  return own;
}

PartShares shares_of(std::span<const FusedLayer> layers, std::size_t first, std::size_t count) {
  const std::size_t end = first + count;
  const auto inside = [&](std::size_t i) { return i >= first && i < end; };
  std::vector<bool> counted(layers.size());
  std::int64_t outputs = 0, own_outputs = 0, parameters = 0, own_parameters = 0;
  PartShares shares;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const FusedLayer& layer = layers[i];
    for (const std::size_t from : layer.inputs) {
      if (inside(i) == inside(from) || counted[from]) continue;
      counted[from] = true;
      (inside(i) ? shares.read : shares.written) += layers[from].out.elements();
    }
    const std::int64_t given = layer.last ? layer.out.elements() : 0;
    outputs += given;
    parameters += layer.parameters;
    if (!inside(i)) continue;
    own_outputs += given;
    own_parameters += layer.parameters;
    shares.reads_input = shares.reads_input || layer.reads_input;
  }
  if (outputs > 0) shares.outputs = static_cast<double>(own_outputs) / static_cast<double>(outputs);
  shares.parameters =
      parameters > 0 ? static_cast<double>(own_parameters) / static_cast<double>(parameters) : 1;
  return shares;
}

}  // namespace jostle::dnn
