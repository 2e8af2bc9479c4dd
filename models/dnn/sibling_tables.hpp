// Batches that were measured only on a sibling of a device: the same chip with other clocks or memory.
//
// A kernel takes another share of its sibling's time depending on what bounds it and on how long it is: long
// pointwise kernels follow the memory bandwidth, short ones the start of a kernel, convolutions the clocks.
// So the share is read off all kernels that both devices have, by class and by octave of the duration (sums,
// so long kernels count for more). Held out: resnet50 at batch 64 on the H200, from the H100's
// (tests/calibration/dnn_sibling_tables.cpp).
#pragma once

#include "models/dnn/kernel_tables.hpp"

namespace jostle::dnn {

// `own`, and for each of its networks the batches that only `sibling` has, each kernel with its own share of
// the time. Without enough kernels in common: `own`.
[[nodiscard]] KernelTables with_batches_of(const KernelTables& own, const KernelTables& sibling);

}  // namespace jostle::dnn
