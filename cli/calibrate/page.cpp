#include "cli/calibrate/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/page/html_page.hpp"
#include "cli/page/words.hpp"
#include "input/quantity.hpp"

namespace jostle::cli {

using Page = nlohmann::ordered_json;

double ratio_to_base(const calibration::ProbedFigure& figure) {
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

namespace {

// The head of the page: how many parameters the probe gives and how sure, and what differs most from the
// base.
PageWords probe_words(const calibration::ProbeCalibration& found) {
  PageWords words;
  words.question =
      "Which profile describes the machine that the probe ran on, and how does it differ from the nearest "
      "shipped one";
  words.scenario = fmt::format("{}, on the profile {}", found.name, found.base.device);
  Table table({shrinking("parameter"), right("probed"), right("± %"), right("base", 60), right("times", 70),
               left("grade", 50)});
  std::vector<const calibration::ProbedFigure*> order;
  for (const calibration::ProbedFigure& figure : found.figures)
    if (ratio_to_base(figure) > 0) order.push_back(&figure);
  std::ranges::stable_sort(order, std::greater{}, [](const calibration::ProbedFigure* figure) {
    return std::abs(std::log(ratio_to_base(*figure)));
  });
  constexpr std::size_t shown = 6;
  for (std::size_t i = 0; i < std::min(order.size(), shown); ++i)
    table.add({order[i]->path, order[i]->value, fmt::format("{:.2g}", 100 * order[i]->relative_sd),
               order[i]->before, fmt::format("{:.3g}", ratio_to_base(*order[i])), order[i]->grade});
  const auto sure = std::ranges::count_if(
      found.figures, [](const calibration::ProbedFigure& figure) { return figure.relative_sd <= 0.02; });
  words.answer.push_back(
      {"what differs most from the base",
       {table},
       {fmt::format("{} parameters measured or fitted, {} of them within 2 %; {} not taken",
                    found.figures.size(), sure, found.left_out.size())}});
  words.why.push_back(fmt::format("the base is {}: {}",
                                  found.base.exact ? "this board or card" : "its nearest relative",
                                  found.base.reason));
  if (!found.next.empty()) words.best = "record next: " + found.next.front();
  words.trust.emplace_back(
      "± is the standard error of what the probe measured; grades are those of docs/profiles.md");
  return words;
}

}  // namespace

std::string probed_page(const calibration::ProbeCalibration& found,
                        const calibration::probe::ProbeFolder& folder) {
  Page data{
      {"words", words_json(probe_words(found))},
      {"base", {{"device", found.base.device}, {"exact", found.base.exact}, {"reason", found.base.reason}}},
      {"figures", Page::array()},
      {"identity", found.identity},
      {"loads", Page::array()},
      {"kernels", Page::array()},
      {"left_out", found.left_out},
      {"set_aside", folder.notes},
      {"next", found.next}};
  for (const calibration::ProbedFigure& figure : found.figures)
    data["figures"].push_back({{"path", figure.path},
                               {"value", figure.value},
                               {"grade", figure.grade},
                               {"relative_sd", rounded(figure.relative_sd)},
                               {"base", figure.before},
                               {"base_grade", figure.before_grade},
                               {"ratio", rounded(ratio_to_base(figure))},
                               {"source", figure.source}});
  for (const calibration::LoadWatts& load : found.power.loads)
    data["loads"].push_back({{"load", load.load},
                             {"measured_w", rounded(load.measured)},
                             {"base_w", rounded(load.base)},
                             {"fitted_w", rounded(load.fitted)},
                             {"left_out", load.left_out}});
  for (const calibration::KernelTime& kernel : found.kernels.kernels)
    data["kernels"].push_back({{"kind", kernel.kind},
                               {"size", kernel.size},
                               {"measured_us", rounded(kernel.measured_us)},
                               {"base_us", rounded(kernel.base_us)},
                               {"fitted_us", rounded(kernel.fitted_us)}});
  return html_page("calibrate", fmt::format("{}: a profile by a probe", found.name), data);
}

}  // namespace jostle::cli
