// Whether this is a build under a sanitizer: comparisons with measurements and long fits take seconds in a
// plain build and minutes there, where shorter tests walk the same code.
#pragma once

namespace jostle {
inline constexpr bool sanitized = JOSTLE_SANITIZED != 0;
}
