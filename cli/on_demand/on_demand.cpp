#include "cli/on_demand/on_demand.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace jostle {
namespace {

const cli::OnDemand& loaded() {
  static const cli::OnDemand& functions =
      *reinterpret_cast<const cli::OnDemand* (*)()>(cli::entry_of(JOSTLE_LOADED, cli::on_demand_entry))();
  return functions;
}

}  // namespace

namespace cli {

void* entry_of(const char* file, const char* entry) {
  void* const module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* const found = module != nullptr ? dlsym(module, entry) : nullptr;
  if (found == nullptr) throw std::runtime_error(std::string("jostle is not installed whole: ") + dlerror());
  return found;
}

}  // namespace cli

namespace profiles {

std::optional<OnnxNetwork> parse_onnx(std::string_view bytes, const std::string& origin,
                                      std::optional<std::int64_t> input, input::Problems& problems) {
  return loaded().parse_onnx(bytes, origin, input, problems);
}

}  // namespace profiles
}  // namespace jostle
