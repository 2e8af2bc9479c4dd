// What ships with this build, for the loader to choose from.

#include "models/dnn/model_names.hpp"
#include "scenarios/load.hpp"

namespace jostle::scenarios {

Catalogue shipped_catalogue() {
  // Until the profiles are merged: the names of the design.
  return {{"nvidia-h200", "jetson-orin-nano", "jetson-nano", "jetson-tx2"}, dnn::model_names(), {}};
}

}  // namespace jostle::scenarios
