// The parts of a board that a process uses. They all outlive it.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "models/cpu/cpu.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/link/link.hpp"
#include "models/media/engine.hpp"
#include "models/memory/traffic.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

struct BoardParts {
  sim::Engine& engine;
  cpu::Cpu& cpu;
  gpu::Gpu* gpu;             // null: the board has none, and its processes compute on the CPU
  std::size_t gpu_instance;  // its number among the instances of the board's GPU; 0 if that is whole
  gpu::CopyEngine& copies;
  std::deque<dla::Dla>& dlas;
  std::deque<media::Engine>& engines;       // the engines that stages of processes use
  std::optional<link::Link>& link;          // absent: requests are made on the board
  std::optional<memory::Traffic>& traffic;  // absent: nothing competes for the memory
};

}  // namespace jostle::process
