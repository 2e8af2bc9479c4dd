#include "cli/validate/page.hpp"

#include <fmt/format.h>

#include "cli/svg/scatter_svg.hpp"
#include "cli/svg/svg.hpp"
#include "cli/terminal/markup.hpp"
#include "cli/validate/error_table.hpp"

namespace jostle::cli {
namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:.2rem .6rem;border-bottom:1px solid #8884;text-align:left}
td.right,th.right{text-align:right}
.wide{overflow-x:auto}
svg{max-width:100%;height:auto;background:white}
)";

}  // namespace

std::string validation_page(const std::string& subject,
                            const std::vector<analyses::ComparisonGroup>& groups) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<h1>{0}</h1>\n"
      "<p>The error is predicted / measured - 1; bias is the mean error, |error| the mean absolute error. "
      "<em>Coverage</em>: the share of runs whose 90 % interval contains the measured value.</p>\n"
      "<div class=\"wide\">\n{2}</div>\n"
      "<h2>Predicted against measured</h2>\n"
      "<p>The line marks exact predictions, the band ±10 %. A ring marks a run outside its 90 % "
      "interval.</p>\n{3}"
      "<h2>All measured values</h2>\n<details><summary>Show</summary>\n<div "
      "class=\"wide\">\n{4}</div>\n</details>\n"
      "</body>\n</html>\n",
      markup_escaped(subject), style, error_table(groups).html(), scatter_svg(groups),
      details_table(groups, false).html());
}

}  // namespace jostle::cli
