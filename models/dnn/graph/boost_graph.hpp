// The graph of a network as Boost.Graph has it, for its algorithms. It takes seconds to compile, so only a
// file that runs one of them includes it.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "models/dnn/graph/layer.hpp"

namespace jostle::dnn {

struct BoostGraph {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Layer> layers;
};

}  // namespace jostle::dnn
