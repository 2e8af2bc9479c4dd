#include "scenarios/run/language_work.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/board/spec.hpp"
#include "models/dnn/activity.hpp"
#include "models/dnn/framework_kernels.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/llm/step.hpp"
#include "models/process/weight_formats.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/evidence_list.hpp"
#include "profiles/tables/kernel_tables.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {
namespace {

const llm::Architecture& architecture_of(const ProcessEntry& entry) {
  return *language_model(entry.work.model);
}

// Ascending values from `least` to `most`, each at most `ratio` times the one before (or one larger).
std::vector<std::int64_t> ladder(std::int64_t least, std::int64_t most, double ratio) {
  std::vector<std::int64_t> values{least};
  while (values.back() < most) {
    const auto next = static_cast<std::int64_t>(std::floor(static_cast<double>(values.back()) * ratio));
    values.push_back(std::min(most, std::max(next, values.back() + 1)));
  }
  return values;
}

// Ratios between the step sizes for which kernels are computed. A step between two sizes runs as the larger
// one.
constexpr double finer = 1.15, coarser = 1.5;
constexpr std::int64_t first_kept = 32;  // the smallest context of a step in a conversation that goes on

class Steps {
 public:
  Steps(const llm::Architecture& of, const ProcessEntry& entry, const process::RuntimeSpec& runtime,
        const WorkContext& context)
      : of_(of),
        entry_(entry),
        work_(*entry.language),
        serves_text_(process::traits_of(entry.host.runtime).serves_text),
        by_{.lowering = process::traits_of(entry.host.runtime).lowering,
            .weights = work_.weights,
            .cycles = runtime.cycles},
        context_(context),
        gpu_(context.device.gpu),
        tables_(profiles::embedded_kernel_tables(profiles::shipped_evidence(context.device.evidence) + "-llm",
                                                 std::string(of_.name) + " ")) {
    // Computed at the present clocks, since the overlap of compute and memory depends on both.
    gpu_.max_clock_hz = context.clocks.gpu_hz * context.device.what_if.arithmetic;
    gpu_.bandwidth_bytes_per_s *= memory::relative_bandwidth(context.device.memory, context.clocks.emc_hz) *
                                  context.device.what_if.memory;
    gpu_.kernels.tensor_efficiency *= runtime.products;
    gpu_.kernels.tensor_efficiency_of.fp16 *= runtime.products;
    gpu_.kernels.tensor_efficiency_of.int8 *= runtime.products;
    gpu_.kernel_fixed = runtime.kernel_start.value_or(gpu_.kernel_fixed);
    gpu_.kernels.gemm_gain = 1;  // `products` was measured on plain products already
    // Attention of llama.cpp reads all that it keeps for a window, also what is masked.
    of_.sliding.window += process::traits_of(entry.host.runtime).serving.step;
  }

  // The kernels of a decode step, or of a step of a prompt, by `role`.
  [[nodiscard]] gpu::KernelSequence sequence(const llm::Step& step, std::int64_t batch,
                                             std::string_view role) const {
    gpu::KernelSequence kernels = measured(step, batch, role);
    if (kernels.kernels.empty()) return unmeasured(step, batch);
    return placed(on_own_part(std::move(kernels), context_), context_);
  }
  // The same step if the cores compute the layers that the GPU does not have. Their kernels deviate from the
  // roofline by the same factor as all kernels of the step do.
  [[nodiscard]] DividedStep divide(const llm::Step& step, std::int64_t batch, std::string_view role) const {
    const gpu::KernelSequence whole = sequence(step, batch, role);
    WholeStep modelled{.layers = layers(step, batch), .batch = batch, .kernels = {}};
    modelled.kernels = computed(modelled.layers, batch);
    const double factor = sim::to_seconds(whole.total()) / sim::to_seconds(modelled.kernels.sequence.total());
    if (factor != 1) dnn::scale_durations(modelled.kernels.sequence, factor);
    return divided(modelled, entry_, context_);
  }
  // The same step if the cores compute all of it.
  [[nodiscard]] process::HostPart alone(const llm::Step& step, std::int64_t batch) const {
    return on_cores(layers(step, batch), batch, entry_, context_);
  }
  // The kernels for all images of a request.
  [[nodiscard]] gpu::KernelSequence vision() const {
    const auto layers = llm::vision_layers(of_, by_.lowering);
    return dnn::roofline(layers, work_.images, dnn::Precision::fp16, by_.lowering, gpu_);
  }

 private:
  // True if the kernels are those of PyTorch's operators, with weights as it computes with them.
  [[nodiscard]] bool runs_operators() const {
    return by_.lowering == dnn::Lowering::framework && !serves_text_ &&
           work_.weights == llm::WeightFormat::fp16 && of_.experts.count == 0 &&
           dnn::has_framework_laws(gpu_, dnn::Precision::fp16);
  }
  [[nodiscard]] gpu::KernelSequence unmeasured(const llm::Step& step, std::int64_t batch) const {
    if (!runs_operators()) return computed(layers(step, batch), batch).sequence;
    return dnn::framework_kernels(llm::network_of(of_, step, llm::Operators::operators), batch,
                                  dnn::Precision::fp16, gpu_, {.weights_stream = true})
        .sequence;
  }
  [[nodiscard]] std::vector<dnn::FusedLayer> layers(llm::Step step, std::int64_t batch) const {
    step.sequences = batch;
    return llm::layers_of(of_, step, by_);
  }
  [[nodiscard]] dnn::KernelsOfLayers computed(std::span<const dnn::FusedLayer> layers,
                                              std::int64_t batch) const {
    dnn::KernelsOfLayers found =
        dnn::roofline_by_layer(layers, batch, dnn::Precision::fp16, by_.lowering, gpu_);
    found.sequence.provenance += fmt::format(", weights in {}", llm::traits_of(work_.weights).name);
    return found;
  }

  // The kernels as profiled with PyTorch, scaled by the cost model to the context and the number of tokens.
  // Empty if there is no profile.
  [[nodiscard]] gpu::KernelSequence measured(const llm::Step& step, std::int64_t batch,
                                             std::string_view role) const {
    if (role == "verify" || by_.lowering != dnn::Lowering::framework || batch != 1 ||
        work_.weights != llm::WeightFormat::fp16)
      return {};
    const std::string name = fmt::format("{} {}", of_.name, role);
    for (const dnn::MeasuredNetwork& network : tables_.networks) {
      if (network.model != name || network.precision != dnn::Precision::fp16) continue;
      const int tokens = network.input;
      const llm::Step as = role == "decode" ? llm::Step{1, tokens} : llm::Step{tokens, 0};
      gpu::KernelSequence sequence = dnn::sequence_at(network, 1, dnn::BatchLaw(gpu_));
      // Matrix products of one token are bound by the memory traffic of their weights, whatever their names
      // say.
      if (role == "decode")
        for (gpu::Kernel& kernel : sequence.kernels) dnn::split_shares(kernel, dnn::KernelClass::memory);
      dnn::spread_activity(computed(layers(step, batch), batch), gpu_, sequence);
      sequence.provenance = tables_.source + " " + sequence.provenance;
      if (as.tokens == step.tokens && as.context == step.context) return sequence;
      dnn::scale_durations(sequence, sim::to_seconds(unmeasured(step, batch).total()) /
                                         sim::to_seconds(unmeasured(as, 1).total()));
      sequence.grade = gpu::Grade::interpolated;
      return sequence;
    }
    return {};
  }

  llm::Architecture of_;
  const ProcessEntry& entry_;
  const LanguageWork& work_;
  bool serves_text_;
  llm::Computation by_;
  const WorkContext& context_;
  gpu::Spec gpu_;
  const dnn::KernelTables& tables_;
};

// The steps of a scenario entry's model, and of the model that drafts for it.
struct Models {
  Steps own;
  std::optional<Steps> draft;
  bool divided = false;  // the cores compute a part of each step
  bool alone = false;    // they compute all of it
};

// Appends a step of the model itself to the grid: all of it, or the GPU's part and the cores'.
gpu::KernelSequence& add_step(process::StepGrid& grid, const Models& models, const llm::Step& step,
                              std::int64_t batch, std::string_view role) {
  if (models.alone) {
    grid.host.push_back(models.own.alone(step, batch));
    return grid.kernels.emplace_back();
  }
  if (!models.divided) return grid.kernels.emplace_back(models.own.sequence(step, batch, role));
  DividedStep parts = models.own.divide(step, batch, role);
  grid.host.push_back(std::move(parts.host));
  return grid.kernels.emplace_back(std::move(parts.kernels));
}

// Adds the kernels of a decode step: the steps of the draft, one after another, and that of the model over
// all that they propose.
void add_decode_step(process::StepGrid& grid, const Models& models, const process::GenerationSpec& spec,
                     std::int64_t batch, int context) {
  const int tokens = static_cast<int>(spec.drafted) + 1;
  gpu::KernelSequence& step = add_step(grid, models, {.tokens = tokens, .context = context, .scored = tokens},
                                       batch, tokens == 1 ? "decode" : "verify");
  if (!models.draft) return;
  const gpu::KernelSequence one = models.draft->sequence({1, context}, batch, "decode");
  for (int i = 1; i < tokens; ++i)
    step.kernels.insert(step.kernels.begin(), one.kernels.begin(), one.kernels.end());
  step.rebuild_finish();
}

process::StepGrid decode_grid(const Models& models, const process::GenerationSpec& spec) {
  const std::int64_t first = spec.depth + (spec.prefills ? spec.prompt.least : 0);
  process::StepGrid grid{
      .sizes = ladder(1, spec.max_batch, finer),
      .contexts = ladder(std::max<std::int64_t>(first, 0), std::max(first, spec.longest()), finer),
      .kernels = {}};
  if (!spec.prefills && spec.decodes) grid.contexts = ladder(spec.depth, spec.longest(), finer);
  for (const std::int64_t batch : grid.sizes)
    for (const std::int64_t context : grid.contexts)
      add_decode_step(grid, models, spec, batch, static_cast<int>(context));
  return grid;
}

process::StepGrid prefill_grid(const Models& models, const process::GenerationSpec& spec,
                               std::int64_t images) {
  const auto computed = [&](std::int64_t prompt) {
    return std::max<std::int64_t>(
        prompt - static_cast<std::int64_t>(spec.reuse * static_cast<double>(prompt)), 1);
  };
  const std::int64_t longest = spec.longest_prompt();
  std::int64_t least = computed(spec.prompt.least), most = computed(longest);
  const std::int64_t behind = spec.depth + longest - most;
  process::StepGrid grid{.sizes = {}, .contexts = {behind}, .kernels = {}};
  if (spec.sessions.turns > 1) {
    // A prompt follows nothing, or as much of its conversation as there is.
    grid.contexts = ladder(spec.depth + std::min(first_kept, longest), spec.depth + longest, coarser);
    grid.contexts.insert(grid.contexts.begin(), spec.depth);
  }
  if (spec.chunk > 0 && spec.chunk < most) {
    if (spec.sessions.turns == 1) grid.contexts = ladder(behind, behind + most, coarser);
    least = 1;
    most = spec.chunk;
  }
  grid.sizes = ladder(least, most, spec.chunk > 0 ? coarser : finer);
  const gpu::KernelSequence vision = images > 0 ? models.own.vision() : gpu::KernelSequence{};
  for (const std::int64_t tokens : grid.sizes) {
    for (const std::int64_t context : grid.contexts) {
      const llm::Step stretch{static_cast<int>(tokens), static_cast<int>(context)};
      gpu::KernelSequence& step = add_step(grid, models, stretch, spec.prompts, "prefill");
      if (models.draft) {
        const gpu::KernelSequence drafted = models.draft->sequence(stretch, spec.prompts, "prefill");
        step.kernels.insert(step.kernels.end(), drafted.kernels.begin(), drafted.kernels.end());
        step.rebuild_finish();
      }
      if (context == behind && images > 0) {
        step.kernels.insert(step.kernels.begin(), vision.kernels.begin(), vision.kernels.end());
        step.rebuild_finish();
      }
    }
  }
  return grid;
}

// On the cores the file is mapped, of the buffers the scores of the last token are touched, and llama-bench
// has a context as long as its test.
llm::Serving serving_of(const ProcessEntry& entry) {
  llm::Serving serving = process::traits_of(entry.host.runtime).serving;
  if (entry.host.placement != Placement::cpu) return serving;
  const process::GenerationSpec& of = entry.language->spec;
  if (!of.prefills || !of.decodes) serving.positions = 0;
  serving.mapped = true;
  serving.scored = 0;
  return serving;
}

llm::Load load_of(const LanguageWork& work) {
  const process::GenerationSpec& spec = work.spec;
  const std::int64_t longest = spec.longest_prompt();
  const std::int64_t prompt = spec.chunk > 0 ? std::min(spec.chunk, longest) : longest;
  return {.sequences = spec.max_batch,
          .longest = spec.longest(),
          .prompt = spec.prefills ? prompt : 1,
          .context = work.context};
}

// ", 8 of 29 layers; the others by 6 threads".
std::string divided_phrase(const ProcessEntry& entry, int threads) {
  if (entry.host.placement == Placement::cpu)
    return fmt::format("{} threads, weights in {}", threads, llm::traits_of(entry.language->weights).name);
  const llm::Offload by = offload_of(entry);
  const std::int64_t most = llm::most_layers(architecture_of(entry));
  std::string text;
  if (by.gpu_layers < most)
    text += fmt::format(", {} of {} layers; the others by {} threads", by.gpu_layers, most, threads);
  if (by.cpu_moe_layers > 0)
    text += fmt::format(", the experts of {} blocks by {} threads", by.cpu_moe_layers, threads);
  return text;
}

// The bytes that an entry would hold on a card of its own if its model were divided in another way.
double held_if(const ProcessEntry& entry, const llm::Offload& divided) {
  ProcessEntry other = entry;
  other.language->gpu_layers = divided.gpu_layers;
  other.language->cpu_moe = divided.cpu_moe_layers;
  const memory::Footprint of = language_footprint(other, false);
  return of.engine + of.io;
}

// The part of a model that the cores of a card's host may have so that the card would hold so many bytes
// less: the largest number of layers on the GPU; or the smallest number of blocks with experts on the cores.
std::string division_that_fits(const ProcessEntry& entry, double missing_bytes) {
  const process::RuntimeTraits& runtime = process::traits_of(entry.host.runtime);
  if (!process::computes_on_cores(runtime)) return "";
  const llm::Architecture& of = architecture_of(entry);
  const llm::Offload as_it_is = offload_of(entry);
  const double most = held_if(entry, as_it_is) - missing_bytes;
  std::string text;
  llm::Offload other = as_it_is;
  for (other.gpu_layers = of.layers; other.gpu_layers >= 0; --other.gpu_layers) {
    if (held_if(entry, other) > most) continue;
    text += fmt::format("; gpu_layers: {} would fit", other.gpu_layers);
    break;
  }
  if (of.experts.count == 0) return text;
  other = as_it_is;
  for (other.cpu_moe_layers = 1; other.cpu_moe_layers <= of.layers; ++other.cpu_moe_layers) {
    if (held_if(entry, other) > most) continue;
    return text + fmt::format("; cpu_moe: {} would fit", other.cpu_moe_layers);
  }
  return text;
}

}  // namespace

void set_generation(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context) {
  try {
    const LanguageWork& work = *entry.language;
    const process::RuntimeSpec& runtime = context.device.runtimes[spec.runtime].value();
    spec.host.threads = offload_threads(entry, context.cpus);
    Models models{.own = Steps(architecture_of(entry), entry, runtime, context),
                  .draft = {},
                  .divided = spec.host.threads > 0,
                  .alone = entry.host.placement == Placement::cpu};
    spec.host.alone = models.alone;
    spec.host.cached_bytes = std::numeric_limits<double>::infinity();  // its weights stream
    spec.host.crowded = models.divided && crowded(entry, context);
    if (work.draft != nullptr) models.draft.emplace(*work.draft, entry, runtime, context);
    auto generation = std::make_shared<process::Generation>();
    generation->spec = work.spec;
    // The keys and values that conversations leave are in the memory that is held in any case.
    if (work.spec.sessions.kept && work.spec.room == 0)
      generation->spec.room = llm::positions_held(serving_of(entry), load_of(work));
    if (work.spec.decodes) generation->decode = decode_grid(models, work.spec);
    if (work.spec.prefills) generation->prefill = prefill_grid(models, work.spec, work.images);
    spec.kernels =
        work.spec.decodes ? generation->decode.kernels.front() : generation->prefill.kernels.front();
    if (models.divided) spec.kernels.edit().provenance += divided_phrase(entry, spec.host.threads);
    if (models.alone)
      spec.kernels.edit().grade = grade_of(context.profile, "runtimes.cpu.language.ops_per_clock.q4_k_m");
    spec.weights_bytes = language_footprint(entry, true).engine;
    spec.generation = std::move(generation);
  } catch (const std::invalid_argument& error) {
    throw RunError(error.what());
  }
}

memory::Footprint language_footprint(const ProcessEntry& entry, bool unified) {
  const llm::Architecture& of = architecture_of(entry);
  const LanguageWork& work = *entry.language;
  const llm::Serving by = serving_of(entry);
  const auto positions = static_cast<double>(llm::positions_held(by, load_of(work)));
  const double drafts = work.draft != nullptr ? llm::weights_held(*work.draft, work.weights, by) : 0;
  const std::int64_t each =
      llm::positions_held(by, load_of(work)) / std::max<std::int64_t>(work.spec.max_batch, 1);
  const double cache =
      work.cache_bytes.value_or(positions * llm::kv_bytes_per_token(of, work.draft, each, by.step) +
                                static_cast<double>(work.spec.max_batch) * llm::state_bytes(of));
  // On a board with one memory all of it counts, wherever a layer is computed.
  const llm::Offload offload = unified ? llm::Offload{.gpu_layers = llm::most_layers(of)} : offload_of(entry);
  const double own = llm::kv_bytes_per_token(of) / llm::kv_bytes_per_token(of, work.draft);
  return {.engine = llm::weights_on_card(of, work.weights, by, offload) + drafts,
          .arena = llm::buffers_held(of, by, load_of(work)),
          .io = cache - cache * own * (1 - llm::cache_on_card(of, offload.gpu_layers))};
}

std::string what_would_fit(const ProcessEntry& entry, const board::DeviceSpec& device, double missing_bytes) {
  const llm::Architecture& of = architecture_of(entry);
  const LanguageWork& work = *entry.language;
  const llm::Serving by = serving_of(entry);
  const double held = llm::weights_held(of, work.weights, by);
  std::vector<std::string> formats;
  for (const llm::WeightTraits& row : llm::weight_formats)
    if (process::reads(entry.host.runtime, row.format, device.gpu) &&
        llm::weights_held(of, row.format, by) + missing_bytes <= held)
      formats.emplace_back(row.name);
  std::string text;
  if (!formats.empty()) text += fmt::format("; weights in {} would fit", fmt::join(formats, ", "));
  // Shorter sequences, with the same number of them.
  const double room = language_footprint(entry, true).io - missing_bytes;
  const auto sequences = static_cast<double>(work.spec.max_batch);
  // A window makes further positions cheaper: so many steps from below end within one of them.
  constexpr int steps = 64;
  std::int64_t positions = 0;
  for (int i = 0; i < steps; ++i)
    positions = static_cast<std::int64_t>(
        room /
        (sequences * llm::kv_bytes_per_token(of, work.draft, std::max<std::int64_t>(positions, 0), by.step)));
  if (positions >= work.spec.longest())
    text += fmt::format("; context: {} would fit", positions);
  else if (positions > 0)
    text += fmt::format("; sequences of {} positions would fit", positions);
  const bool offloads = !device.memory.unified && device.runtimes[Runtime::cpu];
  if (offloads) text += division_that_fits(entry, missing_bytes);
  return text.empty() ? "; no precision of it fits" : text;
}

}  // namespace jostle::scenarios
