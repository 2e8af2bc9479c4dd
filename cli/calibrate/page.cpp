#include "cli/calibrate/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/page/html_page.hpp"
#include "input/quantity.hpp"

namespace jostle::cli {

using Page = nlohmann::ordered_json;

double ratio_to_base(const validation::ProbedFigure& figure) {
  const auto before = input::quantity(figure.before), after = input::quantity(figure.value);
  if (!before || !after || !(before->number > 0)) return 0;
  const double unit = before->unit == after->unit                     ? 1
                      : before->unit == "ms" && after->unit == "us"   ? 1e-3
                      : before->unit == "us" && after->unit == "ms"   ? 1e3
                      : before->unit == "GHz" && after->unit == "MHz" ? 1e-3
                      : before->unit == "MHz" && after->unit == "GHz" ? 1e3
                                                                      : 0;
  return unit * after->number / before->number;
}

std::string probed_page(const validation::ProbeCalibration& found,
                        const calibration::probe::ProbeFolder& folder) {
  Page data{
      {"base", {{"device", found.base.device}, {"exact", found.base.exact}, {"reason", found.base.reason}}},
      {"figures", Page::array()},
      {"identity", found.identity},
      {"loads", Page::array()},
      {"kernels", Page::array()},
      {"left_out", found.left_out},
      {"set_aside", folder.notes},
      {"next", found.next}};
  for (const validation::ProbedFigure& figure : found.figures)
    data["figures"].push_back({{"path", figure.path},
                               {"value", figure.value},
                               {"grade", figure.grade},
                               {"relative_sd", rounded(figure.relative_sd)},
                               {"base", figure.before},
                               {"base_grade", figure.before_grade},
                               {"ratio", rounded(ratio_to_base(figure))},
                               {"source", figure.source}});
  for (const validation::LoadWatts& load : found.power.loads)
    data["loads"].push_back({{"load", load.load},
                             {"measured_w", rounded(load.measured)},
                             {"base_w", rounded(load.base)},
                             {"fitted_w", rounded(load.fitted)},
                             {"left_out", load.left_out}});
  for (const validation::KernelTime& kernel : found.kernels.kernels)
    data["kernels"].push_back({{"kind", kernel.kind},
                               {"size", kernel.size},
                               {"measured_us", rounded(kernel.measured_us)},
                               {"base_us", rounded(kernel.base_us)},
                               {"fitted_us", rounded(kernel.fitted_us)}});
  return html_page("calibrate", fmt::format("{}: a profile by a probe", found.name), data);
}

}  // namespace jostle::cli
