// One table of the runtimes: the name that scenarios and profiles use, and how each works. Other code queries
// traits, so a new runtime needs one enumerator and one row here, and its parameters in the profiles.
#pragma once

#include <array>
#include <cstddef>

#include "models/dnn/host_library.hpp"
#include "models/dnn/lowering.hpp"
#include "models/llm/offload.hpp"

namespace jostle::process {

enum class Runtime {
  tensorrt,
  eager,
  libtorch,
  cuda_graph,
  onnxruntime,
  onnxruntime_tensorrt,
  cpu,
  tflite,
  ncnn,
  llama_cpp,
  tensorrt_llm,
  mlc,
  vllm,
  ollama,
  tensorrt_graph,
  executorch,
  onnxruntime_cpu,
  torch
};

// The way in which a runtime works. It determines which costs a profile has for it.
enum class RuntimeKind {
  // Compiled ahead of time, launched kernel by kernel; copies a batch to the device and back, and can run
  // parts of a network, also on a DLA.
  engine,
  graph,      // one launch per batch
  framework,  // launched kernel by kernel, from a dynamic or a static graph
  session,    // launched kernel by kernel in a call that copies a batch to the device and back and waits for
              // it: nothing is enqueued ahead
  cores       // computes on the CPU and needs no GPU
};

// The threads that a library computes with on the cores unless it is told a number.
enum class Pool {
  visible,  // one for each core that the process may use
  machine,  // one for each core of the machine, whatever the process may use
  one
};

struct RuntimeTraits {
  Runtime runtime;
  const char* name;  // used in scenarios, and in profiles as key of its costs and of its contexts
  RuntimeKind kind;
  dnn::Lowering lowering;  // applies to memory and to kernels
  bool trains = false;
  bool blocks = false;            // default wait of the host: true: blocking; false: automatic
  dnn::HostLibrary library = {};  // used by runtimes that compute on the cores
  bool serves_text = false;       // runs language models only
  const char* key = nullptr;      // used in profiles, where a name has no dots; null: the name
  llm::Serving serving = {};      // used by runtimes that run language models
  const char* computed_as =
      nullptr;               // the runtime whose costs it has, for want of its own; null: it has its own
  bool interpreted = false;  // the host launches from Python, one thread of a process at a time
  bool copies = false;       // copies a batch to the device and back unless `transfers: none`
  // A thread of its pool on the cores spins at a barrier for so long before it sleeps; 0: for ever.
  double spins_ms = 0;
  Pool pool = Pool::visible;
  Runtime on_cores = runtime;  // the row that has its costs with `placement: cpu`
};
// True if cores may compute some or all layers of a language model.
[[nodiscard]] constexpr bool computes_on_cores(const RuntimeTraits& row) {
  return row.serves_text && row.lowering == dnn::Lowering::framework;
}
[[nodiscard]] constexpr bool copies_batches(const RuntimeTraits& row) {
  return row.copies || row.kind == RuntimeKind::engine || row.kind == RuntimeKind::session;
}

// ncnn's parameters are fitted together with its efficiencies (profiles/devices): Tencent/ncnn,
// benchmark/README.md, networks of several boards. TensorFlow Lite's convolutions are products of ruy,
// without Winograd. Its packing is fitted together with its efficiency, on resnet50 alone, so the efficiency
// includes all of it.
//
// Barriers: threads of OpenMP look 300,000 times at the word that they wait for, then wait in the kernel
// (libgomp, env.c, GOMP_SPINCOUNT; 1000 times if they outnumber the cores), those of XNNPACK a million times
// (pthreadpool, PTHREADPOOL_SPIN_WAIT_ITERATIONS), at some nanosecond a look; those of llama.cpp for ever
// (ggml_barrier()). The first is assumed of runtime cpu.
//
// Pools: OpenMP and PyTorch see the affinity; llama.cpp counts the cores that sysfs lists (common.cpp,
// cpu_get_num_physical_cores()), ncnn those of the machine too (cpu.cpp), TensorFlow Lite has one thread.
// ExecuTorch takes those that cpuinfo lists, ONNX Runtime those of the machine. Its threads look 2^20 times
// for work in their own queue, and at each hundredth in another's (EigenNonBlockingThreadPool.h): on Arm,
// where nothing pauses between two looks (spin_pause.cc), assumed at 4 ns each. Behind each look a core of
// x86 pauses: `spins_paused_ms` is measured on an H200's host; an EPYC takes 34.

// A library by the rate of its depthwise convolutions. Its clocks of elements are those of all libraries
// together, fitted on a Raspberry Pi 5 (published/arm.csv and ultralytics.csv).
constexpr dnn::HostLibrary library_with(double depthwise) {
  return {.depthwise = depthwise, .exponential = 16.5, .softmax = 8, .norm = 7.7};
}

// XNNPACK's operators with portable ones of one thread around them, which convert, copy and concatenate;
// their clocks are fitted with the others. Those of pools and batch norms, which XNNPACK leaves to portable
// loops, are assumed: an index and a sum for each element.
inline constexpr dnn::HostLibrary executorch = [] {
  dnn::HostLibrary library = library_with(0.39);
  library.conversion = 9.7;
  library.copy = 2.7;
  library.concatenation = 0.8;
  library.pooling = library.batch_norm = 8;
  return library;
}();

inline constexpr llm::Serving llama_cpp{.positions = 4096, .tables = 2, .step = 512, .scored = 512};

inline constexpr std::array runtimes{
    RuntimeTraits{.runtime = Runtime::tensorrt,
                  .name = "tensorrt",
                  .kind = RuntimeKind::engine,
                  .lowering = dnn::Lowering::optimised,
                  .blocks = true},
    RuntimeTraits{.runtime = Runtime::eager,
                  .name = "eager",
                  .kind = RuntimeKind::framework,
                  .lowering = dnn::Lowering::framework,
                  .trains = true,
                  .interpreted = true,
                  .on_cores = Runtime::torch},
    RuntimeTraits{.runtime = Runtime::libtorch,
                  .name = "libtorch",
                  .kind = RuntimeKind::framework,
                  .lowering = dnn::Lowering::framework,
                  .trains = true},
    RuntimeTraits{.runtime = Runtime::cuda_graph,
                  .name = "cuda-graph",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::framework,
                  .trains = true},
    // CUDA provider: it fuses the graph in its own way and uses kernels of cuDNN.
    RuntimeTraits{.runtime = Runtime::onnxruntime,
                  .name = "onnxruntime",
                  .kind = RuntimeKind::session,
                  .lowering = dnn::Lowering::graph,
                  .pool = Pool::machine,
                  .on_cores = Runtime::onnxruntime_cpu},
    // TensorRT's engine inside a session.
    RuntimeTraits{.runtime = Runtime::onnxruntime_tensorrt,
                  .name = "onnxruntime-tensorrt",
                  .kind = RuntimeKind::session,
                  .lowering = dnn::Lowering::optimised,
                  .pool = Pool::machine},
    // Any library: it fuses as a compiler does.
    RuntimeTraits{.runtime = Runtime::cpu,
                  .name = "cpu",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = {.lowering = dnn::Lowering::optimised},
                  .spins_ms = 0.3},
    RuntimeTraits{.runtime = Runtime::tflite,
                  .name = "tflite",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = library_with(1.0 / 3),
                  .spins_ms = 1,
                  .pool = Pool::one},
    RuntimeTraits{.runtime = Runtime::ncnn,
                  .name = "ncnn",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = {.product_passes = 4,
                              .depthwise = 1.0 / 3,
                              .winograd_passes = 8,
                              .int8_between_floats = true},
                  .spins_ms = 0.3,
                  .pool = Pool::machine},
    // Runtimes of language models replay a step as a CUDA graph. Their memory: llama.cpp's follows its
    // options and logs (n_ctx 4096 and n_ubatch 512 by default; the compute buffer of qwen2.5_1.5b is 300
    // MiB, that of llama3.1_8b 259 MiB; embeddings and last layer are separate). For TensorRT Edge-LLM,
    // `positions` and `tables` are fitted to its own tables of peak memory
    // (calibration/evidence/language/memory.csv).
    RuntimeTraits{.runtime = Runtime::llama_cpp,
                  .name = "llama.cpp",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::framework,
                  .serves_text = true,
                  .key = "llama_cpp",
                  .serving = llama_cpp,
                  .pool = Pool::machine},
    RuntimeTraits{.runtime = Runtime::tensorrt_llm,
                  .name = "tensorrt-llm",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::optimised,
                  .serves_text = true,
                  .serving = {.positions = 3072, .each = true, .tables = 3}},
    RuntimeTraits{.runtime = Runtime::mlc,
                  .name = "mlc",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::optimised,
                  .serves_text = true},
    RuntimeTraits{.runtime = Runtime::vllm,
                  .name = "vllm",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::optimised,
                  .serves_text = true},
    // llama.cpp behind a server, whose own costs nobody has published apart from other builds and options.
    RuntimeTraits{.runtime = Runtime::ollama,
                  .name = "ollama",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::framework,
                  .serves_text = true,
                  .serving = llama_cpp,
                  .computed_as = "llama.cpp",
                  .pool = Pool::machine},
    // An engine of TensorRT captured in a CUDA graph (trtexec --useCudaGraph). Profiles need not tell its
    // costs (profiles/profile/read_host.cpp).
    RuntimeTraits{.runtime = Runtime::tensorrt_graph,
                  .name = "tensorrt-graph",
                  .kind = RuntimeKind::graph,
                  .lowering = dnn::Lowering::optimised,
                  .blocks = true,
                  .copies = true},
    RuntimeTraits{.runtime = Runtime::executorch,
                  .name = "executorch",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = executorch,
                  .spins_ms = 1,
                  .pool = Pool::machine},
    // CPU provider.
    RuntimeTraits{.runtime = Runtime::onnxruntime_cpu,
                  .name = "onnxruntime-cpu",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = library_with(0.39),
                  .key = "onnxruntime_cpu",
                  .spins_ms = 4,
                  .pool = Pool::machine},
    RuntimeTraits{.runtime = Runtime::torch,
                  .name = "torch",
                  .kind = RuntimeKind::cores,
                  .lowering = dnn::Lowering::framework,
                  .library = library_with(0.39),
                  .spins_ms = 0.3},
};
static_assert(
    [] {
      for (std::size_t i = 0; i < runtimes.size(); ++i) {
        if (runtimes[i].runtime != static_cast<Runtime>(i)) return false;
      }
      return true;
    }(),
    "a row for each runtime, in the order of the enumerators");

[[nodiscard]] constexpr const RuntimeTraits& traits_of(Runtime runtime) {
  return runtimes[static_cast<std::size_t>(runtime)];
}
[[nodiscard]] constexpr const char* to_string(Runtime runtime) {
  return traits_of(runtime).name;
}

// For so long a thread of ONNX Runtime's pools spins on a core of x86.
inline constexpr double spins_paused_ms = 60;

[[nodiscard]] constexpr const char* profile_key(const RuntimeTraits& row) {
  return row.key != nullptr ? row.key : row.name;
}

// A value for each runtime.
template <class T>
class PerRuntime {
 public:
  [[nodiscard]] T& operator[](Runtime runtime) { return values_[static_cast<std::size_t>(runtime)]; }
  [[nodiscard]] const T& operator[](Runtime runtime) const {
    return values_[static_cast<std::size_t>(runtime)];
  }

 private:
  std::array<T, runtimes.size()> values_{};
};

}  // namespace jostle::process
