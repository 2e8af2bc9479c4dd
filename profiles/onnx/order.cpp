// The nodes of a graph that its outputs depend on, in an order in which they can run; and how nodes are named
// in messages. Includes protobuf's headers.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "input/printable.hpp"
#include "profiles/onnx/graph.hpp"
#include "profiles/onnx/messages.hpp"

namespace jostle::profiles::onnx_reader {

using input::printable;

bool own_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::string type_of(const onnx::NodeProto& node) {
  return own_domain(node.domain()) ? node.op_type() : node.domain() + "." + node.op_type();
}

std::string name_of(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  for (const std::string& output : node.output()) {
    if (!output.empty()) return output;
  }
  return node.op_type();
}

std::string shown(const onnx::NodeProto& node) {
  return fmt::format("node '{}' ({})", printable(name_of(node)), printable(type_of(node)));
}

bool holds_graph(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(), [](const onnx::AttributeProto& attribute) {
    return attribute.has_g() || attribute.graphs_size() > 0;
  });
}

void collect_captures(const onnx::NodeProto& node, std::set<std::string>& names) {
  const auto collect = [&](const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& inner : graph.node()) {
      names.insert(inner.input().begin(), inner.input().end());
      collect_captures(inner, names);
    }
    for (const onnx::ValueInfoProto& output : graph.output()) names.insert(output.name());
  };
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) collect(attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs()) collect(graph);
  }
}

namespace {

class Ordering {
 public:
  Ordering(const onnx::GraphProto& graph, const std::unordered_map<std::string, ValueId>& ids)
      : graph_(graph), ids_(ids) {}

  // The order of the file if nodes can run in that order.
  [[nodiscard]] std::vector<int> run() const {
    if (graph_.output_size() == 0) throw OnnxError("the graph has no output");
    const auto made_by = producers();
    const auto needs = dependencies(made_by);
    const std::vector<bool> alive = live(made_by, needs);
    std::vector<std::vector<int>> readers(needs.size());
    std::vector<std::size_t> missing(needs.size(), 0);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t node = 0; node < needs.size(); ++node) {
      if (!alive[node]) continue;
      missing[node] = needs[node].size();
      for (const int needed : needs[node])
        readers[static_cast<std::size_t>(needed)].push_back(static_cast<int>(node));
      if (missing[node] == 0) ready.push(static_cast<int>(node));
    }
    std::vector<int> order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (const int reader : readers[static_cast<std::size_t>(order.back())]) {
        if (--missing[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
      }
    }
    for (std::size_t node = 0; node < needs.size(); ++node) {
      if (alive[node] && missing[node] > 0) {
        throw OnnxError(fmt::format("{} waits for its own result: the graph has a cycle",
                                    shown(graph_.node(static_cast<int>(node)))));
      }
    }
    return order;
  }

 private:
  [[nodiscard]] std::unordered_map<std::string, int> producers() const {
    std::unordered_map<std::string, int> made_by;
    for (int i = 0; i < graph_.node_size(); ++i) {
      for (const std::string& output : graph_.node(i).output()) {
        if (output.empty()) continue;
        if (ids_.contains(output) || !made_by.emplace(output, i).second) {
          throw OnnxError(fmt::format("{} makes '{}', which another node makes too", shown(graph_.node(i)),
                                      printable(output)));
        }
      }
    }
    return made_by;
  }

  // For each node, the nodes whose results it reads.
  [[nodiscard]] std::vector<std::vector<int>> dependencies(
      const std::unordered_map<std::string, int>& made_by) const {
    std::vector<std::vector<int>> all(static_cast<std::size_t>(graph_.node_size()));
    for (int i = 0; i < graph_.node_size(); ++i) {
      const onnx::NodeProto& node = graph_.node(i);
      std::vector<int>& own = all[static_cast<std::size_t>(i)];
      for (const std::string& name : node.input()) {
        const auto found = made_by.find(name);
        if (found != made_by.end()) {
          own.push_back(found->second);
        } else if (!name.empty() && !ids_.contains(name)) {
          throw OnnxError(fmt::format("{} reads '{}', which no node makes", shown(node), printable(name)));
        }
      }
      std::set<std::string> captured;
      collect_captures(node, captured);
      for (const std::string& name : captured) {
        if (const auto found = made_by.find(name); found != made_by.end()) own.push_back(found->second);
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<bool> live(const std::unordered_map<std::string, int>& made_by,
                                       const std::vector<std::vector<int>>& dependencies) const {
    std::vector<bool> alive(dependencies.size(), false);
    std::vector<int> pending;
    for (const onnx::ValueInfoProto& output : graph_.output()) {
      const auto found = made_by.find(output.name());
      if (found != made_by.end()) {
        pending.push_back(found->second);
      } else if (!ids_.contains(output.name())) {
        throw OnnxError(fmt::format("no node makes the output '{}'", printable(output.name())));
      }
    }
    while (!pending.empty()) {
      const auto node = static_cast<std::size_t>(pending.back());
      pending.pop_back();
      if (alive[node]) continue;
      alive[node] = true;
      pending.insert(pending.end(), dependencies[node].begin(), dependencies[node].end());
    }
    return alive;
  }

  const onnx::GraphProto& graph_;
  const std::unordered_map<std::string, ValueId>& ids_;
};

}  // namespace

std::vector<int> order_of_live_nodes(const onnx::GraphProto& graph,
                                     const std::unordered_map<std::string, ValueId>& ids) {
  return Ordering(graph, ids).run();
}

}  // namespace jostle::profiles::onnx_reader
