// Batches that were measured only on a sibling of a device: the same chip with other clocks or memory.
//
// A kernel takes another share of its sibling's time depending on what bounds it and on how long it is: long
// pointwise kernels follow the memory bandwidth, short ones the start of a kernel, convolutions the clocks.
// So the share is computed from all kernels that both devices have, by class and by octave of the duration
// (from sums, so long kernels count for more). Held out: resnet50 at batch 64 on the H200, from the H100's
// (tests/profiles/dnn_sibling_tables.cpp).
#pragma once

#include "models/dnn/kernel_tables.hpp"

namespace jostle::dnn {

// `own` with the batches added that only `sibling` has, for each of its networks; each kernel is scaled by
// the share for its class and duration. Batches for which too few kernels are in common are left out.
[[nodiscard]] KernelTables with_batches_of(const KernelTables& own, const KernelTables& sibling);

}  // namespace jostle::dnn
