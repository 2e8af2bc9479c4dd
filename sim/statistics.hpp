// All steady-state statistics in one include.
#pragma once

#include "sim/batch_means.hpp"
#include "sim/quantiles.hpp"
#include "sim/series.hpp"
