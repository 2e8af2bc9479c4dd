// Contracts of the models: ends of what had begun, and stores that are never negative. Each is broken here by
// hand, since no input can.
#include <gtest/gtest.h>

#include <vector>

#include "models/memory/admission.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/generator.hpp"
#include "models/process/time_account.hpp"
#include "sim/contract.hpp"
#include "tests/models/cpu_support.hpp"

namespace jostle {
namespace JOSTLE_FILE {

using sim::BrokenContract;
using sim::Duration;

struct Memory {
  sim::Engine engine;
  memory::Traffic traffic{engine, {.capacity_bytes_per_s = 100e9, .interference = 0}, {}, 10e9};
};

TEST(Contracts, kernels_that_cease_to_have_the_GPU_had_it) {
  Memory memory;
  memory.traffic.gpu_runs({.bytes_per_s = 1e9});
  memory.traffic.gpu_rests();
  EXPECT_THROW(memory.traffic.gpu_rests(), BrokenContract);
}

TEST(Contracts, copies_that_end_had_begun) {
  Memory memory;
  memory.traffic.copies_change(+1);
  memory.traffic.copies_change(-1);
  EXPECT_THROW(memory.traffic.copies_change(-1), BrokenContract);
  const sim::Engine engine;
  process::TimeAccount account(engine, 0.5);
  EXPECT_THROW(account.change_copying(-1), BrokenContract);
}

TEST(Contracts, threads_that_cease_to_use_the_memory_had_used_it) {
  Memory memory;
  EXPECT_THROW(memory.traffic.core_demands(-1e9), BrokenContract);
}

TEST(Contracts, the_quota_of_a_container_is_never_negative) {
  cpu::test::Host host(cpu::test::machine(2, cpu::cfs));
  cpu::Container container(host.cpu, {.name = "a", .cpus = 1.0}, host.cpu.machine());
  EXPECT_TRUE(container.assign(container.on(0)));
  container.pool = Duration{-1};
  EXPECT_THROW(container.assign(container.on(1)), BrokenContract);
}

TEST(Contracts, steps_of_a_language_model_that_end_had_begun) {
  const process::Generation generation;
  process::Generator generator(generation, nullptr, sim::RandomStream(1, "requests"), Duration::zero());
  EXPECT_THROW((void)generator.finish(sim::Time::zero()), BrokenContract);
}

TEST(Contracts, processes_hold_no_negative_memory) {
  memory::Spec spec;
  spec.capacity_bytes = 1e9;
  std::vector<memory::Request> requests(1);
  requests.front().network.engine = 0.5e9;
  EXPECT_EQ(memory::admit(spec, requests).used_bytes, 0.5e9);
  requests.front().network.engine = -0.5e9;
  EXPECT_THROW((void)memory::admit(spec, requests), BrokenContract);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle
