#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/autograd/detail/node_map.h>
#include <tern/core/autograd/node.h>

namespace tern::autograd {

/// Runs one backward pass over a graph, on the calling thread and without recursion.
class Engine {
 public:
  Engine(bool keep_graph, bool create_graph)
      : keep_graph_(keep_graph), create_graph_(create_graph) {}

  /// Starts the pass at the tensor of `edge` with its gradient. Repeated starts accumulate.
  void start(const Edge& edge, Tensor gradient);
  /// Requests the gradient of the tensor of `edge` as result `index`. A pass with requests computes
  /// only the requested gradients and does not change the grad() of leaves.
  void want(const Edge& edge, std::size_t index);
  /// Runs the pass and stores the requested gradients in `wanted`.
  void execute(std::vector<Tensor>& wanted);

 private:
  struct State {
    Node* node = nullptr;
    std::uint32_t waiting_for = 0;  // gradients that are still to arrive
    bool visited = false;
    bool needed = true;   // this node or a node below it has a requested gradient
    bool applies = true;  // a node below it has one
    // The states of the first edges' nodes, set by discover(). They save a look-up.
    State* next[2] = {};
    std::vector<std::pair<std::uint32_t, std::size_t>> wanted;  // (output, index of the result)
    Tensor first;                                               // gradient of output 0
    std::vector<Tensor> more;                                   // gradients of the other outputs
  };

  State& state_of(Node* node);
  State& next_of(const State& state, std::size_t edge);
  void discover();
  void mark_needed();
  void add(State& state, std::uint32_t output_nr, Tensor gradient);
  EdgeSet wanted_edges(const State& state);
  void run_node(State& state, std::vector<Tensor>& wanted);
  void hand_down(State& state, Tensor* results);
  void make_ready(State& state);
  State& next_ready();

  bool keep_graph_, create_graph_;
  bool selective_ = false;
  std::vector<IntrusivePtr<Node>> roots_;
  NodeMap<State> state_of_node_;
  static constexpr std::size_t kBlock = 32;
  std::vector<std::vector<State>> states_;  // blocks that do not grow, so that addresses stay valid
  std::vector<State*> ready_;               // a heap: the node with the highest number comes first
};

}  // namespace tern::autograd
