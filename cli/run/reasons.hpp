// The reasons of a result in the words of `jostle explain`, for the head of a page.
#pragma once

#include "analyses/explain/explain.hpp"
#include "cli/page/words.hpp"

namespace jostle::cli {

// Adds why it comes out so in at most two sentences, and the best change; all other reasons go to what is
// folded.
void add_reasons(PageWords& words, const analyses::Explanation& explanation);

}  // namespace jostle::cli
