// Functions of calibration/ that the command loads when they are first called.
#include "cli/on_demand/on_demand.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace jostle {
namespace {

const cli::OnDemand& loaded() {
  static const cli::OnDemand& functions = []() -> const cli::OnDemand& {
    void* const module = dlopen(JOSTLE_LOADED, RTLD_NOW | RTLD_LOCAL);
    void* const entry = module != nullptr ? dlsym(module, cli::on_demand_entry) : nullptr;
    if (entry == nullptr)
      throw std::runtime_error(std::string("jostle is not installed whole: ") + dlerror());
    return *reinterpret_cast<const cli::OnDemand* (*)()>(entry)();
  }();
  return functions;
}

}  // namespace

namespace calibration {

std::optional<OnnxNetwork> parse_onnx(std::string_view bytes, const std::string& origin,
                                      std::optional<std::int64_t> input, input::Problems& problems) {
  return loaded().parse_onnx(bytes, origin, input, problems);
}

LogFit fit(std::span<const Parameter> parameters, std::span<const Measured> rows, const Predict& predict,
           const FitOptions& options) {
  return loaded().fit(parameters, rows, predict, options);
}

}  // namespace calibration
}  // namespace jostle
