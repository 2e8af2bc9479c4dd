#include <fmt/format.h>

#include "input/readers.hpp"
#include "profiles/profile/read_parts.hpp"

namespace jostle::profiles {
namespace {

constexpr double max_bytes = 1e15;

memory::ContextSpec read_context(const Cursor& at, Block& outer) {
  Block block(at, "the memory of a process: process, gpu, shared", outer.parameters(), outer.from());
  memory::ContextSpec context;
  const Quantity size{input::size_dimension(), 0, max_bytes};
  block.required("process", context.process_bytes, size);
  const bool gpu = block.required("gpu", context.gpu_bytes, size);
  block.required("shared", context.shared_bytes, size);
  if (gpu && context.gpu_bytes > context.process_bytes) at.problem("gpu is larger than process");
  return context;
}

void read_contexts(const Cursor& at, Block& outer, board::DeviceSpec& device) {
  Block block(at, "the memory of processes, one for each runtime", outer.parameters(), outer.from());
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (const auto found = block.words().find(process::profile_key(row)))
      device.contexts[row.runtime] = read_context(*found, block);
  }
  auto& graph = device.contexts[process::Runtime::tensorrt_graph];
  if (!graph) graph = device.contexts[process::Runtime::tensorrt];
}

void read_clocks(Block& block, const Cursor& at, memory::Spec& memory) {
  block.required("max_clock", memory.max_clock_hz,
                 Quantity{input::frequency_dimension(), 0, max_clock_hz, true});
  block.optional("clock_table", memory.clock_table_hz, read_clock_table);
  const input::List<double, Quantity> shares{"a list of percentages",
                                             Quantity{input::share_dimension(), 0, 1, true}, 256};
  if (!block.optional("clock_efficiency", memory.clock_efficiency, shares)) return;
  if (memory.clock_efficiency.size() != memory.clock_table_hz.size())
    at.problem(fmt::format("clock_efficiency has {} entries for {} clocks", memory.clock_efficiency.size(),
                           memory.clock_table_hz.size()));
}

}  // namespace

void read_memory(const Cursor& at, std::vector<ProfileParameter>& parameters, board::DeviceSpec& device) {
  memory::Spec& memory = device.memory;
  Block block(at, "a memory", parameters);
  const Quantity size{input::size_dimension(), 0, max_bytes, true};
  const bool capacity = block.required("capacity", memory.capacity_bytes, size);
  const bool system =
      block.required("system", memory.system_bytes, Quantity{input::size_dimension(), 0, max_bytes});
  if (capacity && system && memory.system_bytes >= memory.capacity_bytes)
    at.problem("the system uses all of the memory");
  block.required("page", memory.page_bytes, Quantity{input::size_dimension(), 0, 1e9, true});
  block.required("when_full", memory.when_full,
                 input::Choice<memory::WhenFull>{
                     "a reaction to full memory",
                     {{"fail", memory::WhenFull::fail}, {"reboot", memory::WhenFull::reboot}}});
  block.required("unified", memory.unified, input::Boolean{});
  block.optional("interference", memory.interference, Quantity{input::share_dimension(), 0, 0.7});
  if (const auto cores = block.words().find("cores")) {
    const Quantity rate{input::bandwidth_dimension(), 0, 1e15, true};
    Block moved(*cores, "what the cores move: read, write, together", parameters, block.from());
    memory::CoreTraffic traffic;
    bool all = moved.required("read", traffic.read, rate);
    all = moved.required("write", traffic.write, rate) && all;
    all = moved.required("together", traffic.together, rate) && all;
    if (all) memory.cores = traffic;
  }
  if (!device.has_gpu()) block.optional("what_if", device.what_if.memory, Real{0.01, 100});
  if (const auto contexts = block.words().find("contexts")) read_contexts(*contexts, block, device);
  read_clocks(block, at, memory);
}

}  // namespace jostle::profiles
