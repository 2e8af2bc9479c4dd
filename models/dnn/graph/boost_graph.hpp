// A network as Boost.Graph has it, for its algorithms: the nodes have the network's numbers. It takes seconds
// to compile, so only a file that runs one of them includes it.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Layer>;

[[nodiscard]] inline BoostGraph boost_graph(const Network& network) {
  BoostGraph graph;
  for (Network::Node node = 0; node < network.size(); ++node) {
    boost::add_vertex(network.layer(node), graph);
    for (const Network::Node input : network.inputs(node)) boost::add_edge(input, node, graph);
  }
  return graph;
}

}  // namespace jostle::dnn
