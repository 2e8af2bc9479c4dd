#include "scenarios/process_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "calibration/readers/onnx.hpp"
#include "models/dla/partition.hpp"
#include "models/dnn/clocks.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/roofline.hpp"
#include "models/gpu/occupancy.hpp"
#include "scenarios/run.hpp"

namespace jostle::scenarios {
namespace {

using dnn::Lowering;

// The network of a file; null if the model is none.
const dnn::Network* network_of_file(const Model& model) {
  const auto* const onnx = std::get_if<OnnxModel>(&model);
  return onnx != nullptr && onnx->file ? &onnx->file->network : nullptr;
}

dnn::KernelSequence synthetic_kernels(const SyntheticModel& model, const gpu::Spec& gpu) {
  dnn::KernelSequence sequence;
  dnn::Kernel kernel;
  kernel.duration = model.duration;
  kernel.blocks = model.blocks;
  kernel.threads_per_block = model.threads;
  gpu::fill_residency(gpu, kernel);
  sequence.kernels.assign(static_cast<std::size_t>(model.kernels), kernel);
  sequence.rebuild_finish();
  sequence.grade = dnn::Grade::measured;  // by definition
  sequence.provenance = "synthetic";
  return sequence;
}

std::vector<dnn::FusedLayer> layers_of(const ProcessEntry& entry, Lowering lowering) {
  const std::optional<dnn::Network> network = network_of(entry);
  if (!network) throw RunError(fmt::format("{} is not a network", model_name(entry.model)));
  return dnn::fuse(*network, lowering);
}

// An estimate rests on the figure of the profile that scales it.
dnn::Grade grade_of(const calibration::Profile& profile, std::string_view path) {
  for (const calibration::Figure& figure : profile.figures) {
    if (figure.path != path) continue;
    const bool fitted = figure.from.grade == calibration::FigureGrade::fitted ||
                        figure.from.grade == calibration::FigureGrade::measured;
    return fitted ? dnn::Grade::fitted : dnn::Grade::datasheet;
  }
  return dnn::Grade::datasheet;
}

// Kernels on this board, as it is set.
dnn::KernelSequence placed(dnn::KernelSequence kernels, const gpu::Spec& gpu, const SetClocks& clocks) {
  return dnn::at_clocks(std::move(kernels), clocks.gpu_hz / gpu.max_clock_hz, clocks.memory);
}

// What the runtime makes of a kernel's arithmetic and of its bytes, as if other clocks did.
struct Pace {
  double compute = 1, memory = 1;
};
Pace pace_of(const process::RuntimeSpec& runtime, const process::Spec& spec, bool half_as_single) {
  Pace pace;
  if (half_as_single) pace = {*runtime.fp16_of_fp32, 2};  // half the bytes
  if (spec.static_graph && runtime.static_graph) pace.compute /= runtime.static_graph->compute;
  return pace;
}

void set_kernels(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  gpu::Spec gpu = context.device.gpu;
  if (entry.placement == Placement::cuda_only) gpu.tensor_cores = {};
  // Tables were measured with the tensor cores that a precision has.
  const bool measured = entry.placement != Placement::cuda_only || entry.precision == Precision::fp32;
  const process::RuntimeSpec& runtime = context.device.runtime(spec.runtime).value();
  const bool half_as_single = entry.precision == Precision::fp16 && runtime.fp16_of_fp32;
  dnn::KernelSequence kernels = dnn::kernels_for(
      {.model = model_name(entry.model),
       .precision = half_as_single ? Precision::fp32 : *entry.precision,
       .batch = entry.batch,
       .lowering = spec.runtime == process::Runtime::tensorrt ? Lowering::optimised : Lowering::framework,
       .input = static_cast<int>(entry.input.value_or(0)),
       .device = context.device.name,
       .network = network_of_file(entry.model)},
      measured ? context.tables : dnn::KernelTables{}, gpu, context.profile.factors);
  const Pace pace = pace_of(runtime, spec, half_as_single);
  SetClocks clocks = context.clocks;
  clocks.gpu_hz *= pace.compute;
  clocks.memory *= pace.memory;
  spec.kernels = placed(std::move(kernels), gpu, clocks);
}

// A piece as a network of its own: what it reads of other pieces is its input, what they read its output.
std::vector<dnn::FusedLayer> by_itself(std::span<const dnn::FusedLayer> layers, const dla::Piece& piece) {
  const auto part = layers.subspan(piece.first, piece.count);
  std::vector<dnn::FusedLayer> own(part.begin(), part.end());
  for (dnn::FusedLayer& layer : own) {
    std::erase_if(layer.inputs, [&](std::size_t from) { return from < piece.first; });
    for (std::size_t& from : layer.inputs) from -= piece.first;
  }
  own.back().last = true;
  return own;
}

void set_segments(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const gpu::Spec& gpu = context.device.gpu;
  const std::vector<dnn::FusedLayer> layers = layers_of(entry, Lowering::optimised);
  spec.dla = entry.placement == Placement::dla1 ? 1 : 0;
  std::size_t on_dla = 0;
  for (const dla::Piece& piece : dla::partition(layers)) {
    const std::vector<dnn::FusedLayer> part = by_itself(layers, piece);
    process::Segment& segment = spec.segments.emplace_back();
    segment.on_dla = piece.on_dla;
    if (piece.on_dla) {
      segment.task = dla::task_of(part, entry.batch, *entry.precision, context.device.dla,
                                  {context.clocks.dla_hz, context.clocks.emc});
      on_dla += piece.count;
    } else {
      segment.kernels = placed(dnn::roofline(part, entry.batch, *entry.precision, Lowering::optimised, gpu),
                               gpu, context.clocks);
    }
  }
  spec.kernels.grade =
      grade_of(context.profile, fmt::format("dla.efficiency.{}", to_string(*entry.precision)));
  spec.kernels.provenance = fmt::format("{} of {} layers on {}, in {} pieces", on_dla, layers.size(),
                                        to_string(entry.placement), spec.segments.size());
}

void set_host_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  const board::DeviceSpec& device = context.device;
  spec.host.threads = static_cast<int>(threads_of(entry, context.cpus));
  spec.host.layers =
      dnn::host_layers(layers_of(entry, Lowering::optimised), entry.batch, *entry.precision, device.host,
                       {.threads = spec.host.threads,
                        .reference_clock_hz = device.cpu.reference_clock_hz,
                        .clock_hz = *std::ranges::max_element(context.clocks.clusters_hz)});
  spec.kernels.grade = grade_of(context.profile, "runtimes.cpu.efficiency");
  spec.kernels.provenance = fmt::format("{} threads, computed in {}", spec.host.threads,
                                        dnn::to_string(dnn::host_precision(device.host, *entry.precision)));
}

}  // namespace

std::optional<dnn::Network> network_of(const ProcessEntry& entry) {
  if (const dnn::Network* const network = network_of_file(entry.model)) return *network;
  const auto* built_in = std::get_if<BuiltInModel>(&entry.model);
  const dnn::Model* model = built_in == nullptr ? nullptr : dnn::find_model(built_in->name);
  if (model == nullptr) return std::nullopt;
  return model->build(static_cast<int>(entry.input.value_or(model->default_input)));
}

std::size_t threads_of(const ProcessEntry& entry, std::size_t cpus) {
  if (entry.placement != Placement::cpu) return 0;
  if (entry.threads) return static_cast<std::size_t>(*entry.threads);
  return entry.cpus.empty() ? cpus : entry.cpus.size();
}

void set_work(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  if (const auto* synthetic = std::get_if<SyntheticModel>(&entry.model)) {
    spec.kernels = synthetic_kernels(*synthetic, context.device.gpu);
    spec.pace = synthetic->pace;
    return;
  }
  try {
    switch (entry.placement) {
      case Placement::gpu:
      case Placement::cuda_only:
        set_kernels(spec, entry, context);
        break;
      case Placement::dla0:
      case Placement::dla1:
        set_segments(spec, entry, context);
        break;
      case Placement::cpu:
        set_host_work(spec, entry, context);
        break;
    }
  } catch (const std::invalid_argument& error) {
    throw RunError(error.what());
  }
}

}  // namespace jostle::scenarios
