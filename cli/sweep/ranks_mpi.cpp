// The build with MPI, which is initialised only if mpirun started this process.
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "cli/sweep/ranks.hpp"

namespace jostle::cli {
namespace {

bool started_by_mpirun() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr;
}

}  // namespace

Ranks::Ranks() {
  if (!started_by_mpirun()) return;
  int provided = 0, index = 0, count = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &index);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  index_ = static_cast<std::size_t>(index);
  count_ = static_cast<std::size_t>(count);
}

Ranks::~Ranks() {
  if (!started_by_mpirun()) return;
  if (std::uncaught_exceptions() > 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

void Ranks::wait_for_all() const {
  if (count_ > 1) MPI_Barrier(MPI_COMM_WORLD);
}

std::size_t Ranks::sum(std::size_t mine) const {
  std::uint64_t all = mine, own = mine;
  if (count_ > 1) MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return static_cast<std::size_t>(all);
}

}  // namespace jostle::cli
