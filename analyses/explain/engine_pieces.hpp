// The pieces that a network falls into on a DLA: layers that the DLA cannot run fall back to the GPU.
#pragma once

#include <string>

namespace jostle::scenarios {
struct ProcessEntry;
}

namespace jostle::analyses {

// "41 of 96 layers run on the GPU, in 7 pieces: resize 2, softmax 1; 8 pieces on the DLA", with the layers
// that the DLA cannot run by their number, the most frequent first. Pieces are counted as a run executes
// them, without the conversions of formats at both ends.
// `process` runs a network on one stream; throws RunError if it has none.
[[nodiscard]] std::string engine_pieces(const scenarios::ProcessEntry& process);

}  // namespace jostle::analyses
