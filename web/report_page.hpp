// The page that --html writes, as it was bundled: a document with the marks that cli/html_page fills in.
#pragma once

#include <string_view>

namespace jostle {

[[nodiscard]] std::string_view report_page();

}  // namespace jostle
