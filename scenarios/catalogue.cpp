// What ships with this build, for the loader to choose from.

#include "scenarios/load.hpp"

namespace jostle::scenarios {

Catalogue shipped_catalogue() {
  // Until the profiles and the networks are merged: the names of the design.
  return {{"nvidia-h200", "jetson-orin-nano", "jetson-nano", "jetson-tx2"},
          {"resnet50", "mobilenet_v2", "fcn_resnet50"},
          {}};
}

}  // namespace jostle::scenarios
