#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "calibration/input/hash.hpp"
#include "calibration/input/spelling.hpp"
#include "calibration/readers/onnx.hpp"
#include "models/dnn/model_names.hpp"
#include "scenarios/arrival_trace.hpp"
#include "scenarios/load_parts.hpp"
#include "scenarios/names.hpp"

namespace jostle::scenarios {
namespace {

using input::Choice;
using input::Cursor;
using input::Integer;
using input::Kind;
using input::Mapping;
using input::Quantity;
using input::Span;
using input::Text;

// Beyond any use, and small enough that nothing computed from them overflows.
constexpr std::int64_t most_batch = 4096;
constexpr std::int64_t most_kernels = 100'000;
constexpr std::int64_t most_input = 8192;
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t most_queue = 1'000'000'000;
constexpr double most_rate = 1e6;  // per second

std::optional<SyntheticModel> read_synthetic(const Cursor& at) {
  Mapping mapping(at, "a mapping: kernels, duration, blocks, threads, pace");
  SyntheticModel model;
  std::int64_t blocks = 1, threads = 128;
  bool good = mapping.required("kernels", model.kernels, Integer{1, most_kernels});
  good &= mapping.required("duration", model.duration, Span{sim::Duration::zero(), sim::seconds(10), true});
  good &= mapping.required("blocks", blocks, Integer{1, 2'147'483'647});
  good &= mapping.required("threads", threads, Integer{1, 1024});
  mapping.optional("pace", model.pace, Span{sim::Duration::zero(), sim::seconds(10), true});
  if (!good) return std::nullopt;
  model.blocks = static_cast<std::uint32_t>(blocks);
  model.threads = static_cast<std::uint32_t>(threads);
  return model;
}

std::optional<Model> read_model(const Cursor& at, const LoadContext& context) {
  if (at.is(Kind::mapping)) {
    const auto synthetic = read_synthetic(at);
    return synthetic ? std::optional<Model>(*synthetic) : std::nullopt;
  }
  const std::string* text =
      at.scalar("the name of a network, a path to an .onnx file, or a mapping of equal kernels");
  if (text == nullptr) return std::nullopt;
  if (text->ends_with(".onnx")) {
    const std::string path = resolved(context, *text);
    std::error_code error;
    if (path.find('\0') != std::string::npos || !std::filesystem::exists(path, error)) {
      at.problem(fmt::format("no such file '{}'", input::printable(*text)));
      return std::nullopt;
    }
    return OnnxModel{.path = *text, .resolved = path};
  }
  const auto& names = context.catalogue.models;
  if (std::find(names.begin(), names.end(), *text) != names.end()) return BuiltInModel{*text};
  at.problem(fmt::format("unknown model '{}'", input::printable(*text)), input::spelling_hint(*text, names));
  return std::nullopt;
}

// The network in the file, for this input.
void read_file(const Cursor& at, ProcessEntry& process, const std::vector<ProcessEntry>& earlier) {
  auto* const model = std::get_if<OnnxModel>(&process.model);
  if (model == nullptr) return;
  for (const ProcessEntry& other : earlier) {
    const auto* const same = std::get_if<OnnxModel>(&other.model);
    if (same == nullptr || same->resolved != model->resolved || other.input != process.input) continue;
    model->file = same->file;
    return;
  }
  auto network = calibration::read_onnx(model->resolved, process.input, at.problems());
  if (network) model->file = std::make_shared<const calibration::OnnxNetwork>(*std::move(network));
}

// `runtime` and `placement` go together: the one says cpu exactly when the other does.
void read_runtime(Mapping& mapping, ProcessEntry& process) {
  mapping.optional("placement", process.placement, Choice<Placement>{"a placement", placement_names()});
  const bool on_cpu = process.placement == Placement::cpu;
  process.runtime = on_cpu ? Runtime::cpu : Runtime::tensorrt;
  if (const auto at = mapping.find("runtime")) {
    const auto runtime = Choice<Runtime>{"a runtime", runtime_names()}(*at);
    if (runtime) process.runtime = *runtime;
    if (runtime == Runtime::cpu && !on_cpu) at->problem("runtime cpu needs placement: cpu");
    if (runtime && runtime != Runtime::cpu && on_cpu) {
      at->problem(fmt::format("runtime {} cannot run with placement: cpu", to_string(*runtime)),
                  "runtime: cpu");
    }
  }
  if (const auto at = mapping.find("threads")) {
    process.threads = Integer{1, most_threads}(*at);
    if (!on_cpu) at->problem("only a process with placement: cpu has threads");
  }
  if (const auto at = mapping.find("graph")) {
    const auto graph = Choice<bool>{"a kind of graph", {{"dynamic", false}, {"static", true}}}(*at);
    if (process.runtime != Runtime::eager && process.runtime != Runtime::libtorch)
      at->problem(fmt::format("runtime {} does not choose between graphs", to_string(process.runtime)),
                  "only eager and libtorch do");
    process.static_graph = graph.value_or(false);
  }
  process.sync = process.runtime == Runtime::tensorrt ? Sync::blocking : Sync::automatic;
  mapping.optional("sync", process.sync, Choice<Sync>{"a way to synchronise", sync_names()});
}

// Which inputs a network takes, only its builder knows.
void check_input(const Cursor& at, const Model& model, std::int64_t input) {
  const auto* const built_in = std::get_if<BuiltInModel>(&model);
  const dnn::Model* const network = built_in != nullptr ? dnn::find_model(built_in->name) : nullptr;
  if (network == nullptr) return;
  try {
    (void)network->build(static_cast<int>(input));
  } catch (const std::invalid_argument& error) {
    at.problem(error.what());
  }
}

}  // namespace

ProcessEntry read_process(const Cursor& at, const LoadContext& context,
                          const std::vector<ProcessEntry>& earlier) {
  ProcessEntry process;
  Mapping mapping(at, "a process: a mapping with model and precision");
  mapping.optional("name", process.name, Text{200});
  bool network = true;
  if (const auto model_at = mapping.require("model")) {
    if (auto model = read_model(*model_at, context)) process.model = std::move(*model);
    network = !model_at->is(Kind::mapping);
  }
  const Choice<Precision> precision{"a precision", precision_names()};
  if (network)
    mapping.required("precision", process.precision, precision);
  else
    mapping.optional("precision", process.precision, precision);
  mapping.optional("batch", process.batch, Integer{1, most_batch});
  mapping.optional("count", process.count, Integer{1, most_processes});
  read_runtime(mapping, process);
  if (const auto input_at = mapping.find("input")) {
    std::int64_t input = 0;
    if (const auto value = Integer{1, most_input}(*input_at)) {
      input = *value;
      process.input = input;
      check_input(*input_at, process.model, input);
    }
    if (!network) input_at->problem("equal kernels have no input", "leave it out");
  }
  read_file(at, process, earlier);
  const auto queue_at = mapping.find("queue");
  if (const auto arrivals_at = mapping.find("arrivals")) {
    read_arrivals(*arrivals_at, context, process);
    if (queue_at) {
      if (process.arrivals.queue_limit)
        queue_at->problem("given here and in arrivals", "keep one of the two");
      process.arrivals.queue_limit = Integer{0, most_queue}(*queue_at);
    }
  } else if (queue_at) {
    queue_at->problem("a queue needs arrivals", "for example arrivals: {poisson: 30 /s, queue: 8}");
  }
  if (const auto cpus_at = mapping.find("cpus")) {
    if (const auto cpus = read_cpus(*cpus_at)) process.cpus = *cpus;
  }
  std::int64_t nice = 0;
  if (mapping.optional("nice", nice, Integer{-20, 19})) process.nice = static_cast<int>(nice);
  return process;
}

void read_arrivals(const Cursor& at, const LoadContext& context, ProcessEntry& process) {
  process::Arrivals& arrivals = process.arrivals;
  Mapping mapping(at, "arrivals: {periodic: 30 /s}, {poisson: 30 /s} or {trace: FILE}");
  const Quantity rate{input::rate_dimension(), 0, most_rate, true};
  const auto periodic = mapping.find("periodic");
  const auto poisson = mapping.find("poisson");
  const auto trace = mapping.find("trace");
  if (mapping.good() && (periodic ? 1 : 0) + (poisson ? 1 : 0) + (trace ? 1 : 0) != 1) {
    at.problem("exactly one of periodic, poisson and trace is needed");
  }
  if (periodic) {
    arrivals.kind = process::ArrivalKind::periodic;
    if (const auto value = rate(*periodic)) arrivals.rate_per_s = *value;
  } else if (poisson) {
    arrivals.kind = process::ArrivalKind::poisson;
    if (const auto value = rate(*poisson)) arrivals.rate_per_s = *value;
  } else if (trace) {
    arrivals.kind = process::ArrivalKind::trace;
    if (const auto file = Text{}(*trace)) {
      process.trace_file = *file;
      if (auto times = read_arrival_trace(resolved(context, *file), at.problems()))
        arrivals.times = std::move(*times);
      for (const sim::Time time : arrivals.times) {
        process.trace_hash = process.trace_hash * 0x100000001b3ULL + static_cast<std::uint64_t>(time.ps());
      }
    }
  }
  if (const auto phase_at = mapping.find("phase")) {
    if (!periodic) phase_at->problem("only periodic arrivals have a phase");
    arrivals.phase = Span{sim::Duration::zero(), sim::seconds(most_run_seconds)}(*phase_at);
  }
  if (const auto queue_at = mapping.find("queue")) arrivals.queue_limit = Integer{0, most_queue}(*queue_at);
}

}  // namespace jostle::scenarios
