// The module that the command loads on demand.
#include "cli/on_demand/on_demand.hpp"

extern "C" [[gnu::visibility("default")]] const jostle::cli::OnDemand* jostle_on_demand() {
  static constexpr jostle::cli::OnDemand functions{.parse_onnx = jostle::profiles::parse_onnx};
  return &functions;
}
