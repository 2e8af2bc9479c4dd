#include "cli/validate/page.hpp"

#include <fmt/format.h>

#include "cli/svg/scatter_svg.hpp"
#include "cli/svg/svg.hpp"
#include "cli/terminal/markup.hpp"
#include "cli/validate/error_table.hpp"

namespace jostle::cli {
namespace {

// As the pages of --html (web/src/style.css), which this one has no script of.
constexpr const char* style = R"(
:root{color-scheme:light dark;--page:#fff;--ink:#1c2126;--soft:#59636e;--line:#d5dbe1;--grid:#e6eaee}
@media (prefers-color-scheme:dark){:root{--page:#14181c;--ink:#e6eaee;--soft:#9aa6b2;--line:#37404a;--grid:#2a3138}}
body{font:15px/1.45 system-ui,"Segoe UI","DejaVu Sans",sans-serif;max-width:1180px;margin:0 auto;padding:20px 16px 48px;background:var(--page);color:var(--ink)}
h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:19px;margin:28px 0 8px}p{max-width:75ch}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px}
th,td{padding:3px 10px 3px 0;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}
td.right,th.right{text-align:right}
summary{cursor:pointer;color:var(--soft)}
.wide{overflow:auto;max-height:640px}
svg{max-width:100%;height:auto;background:white;border:1px solid var(--line);border-radius:8px}
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
