// The questions of `jostle explain`, `compare`, `plan`, `offload` and `sweep` about scenarios. Link
// jostle::analyses.
#pragma once

#include "analyses/compare/compare.hpp"
#include "analyses/explain/explain.hpp"
#include "analyses/fleet/fleet.hpp"
#include "analyses/offload/offload.hpp"
#include "analyses/plan/plan.hpp"
#include "analyses/study/sweep.hpp"
