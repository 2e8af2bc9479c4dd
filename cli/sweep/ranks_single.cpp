// The build without MPI: one process.
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "cli/sweep/ranks.hpp"

namespace jostle::cli {

Ranks::Ranks() {
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const size = std::getenv(variable);
    if (size != nullptr && std::string_view(size) != "1")
      throw std::runtime_error("started by mpirun, but built without MPI: configure with -DJOSTLE_MPI=ON");
  }
}

Ranks::~Ranks() = default;

void Ranks::wait_for_all() const {}

std::size_t Ranks::sum(std::size_t mine) const {
  return mine;
}

}  // namespace jostle::cli
