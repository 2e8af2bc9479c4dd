// A scenario, its run, and the result: parse_scenario() or load_scenario(), run(), to_json(). Link
// jostle::scenarios.
#pragma once

#include "profiles/embedded.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/timeline/chrome_trace.hpp"
