#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <tern/core/autograd/detail/node_map.h>
#include <tern/core/autograd/node.h>

namespace tern::autograd {

/// One backward run over a graph, on the calling thread and without recursion.
class Engine {
 public:
  Engine(bool keep_graph, bool create_graph)
      : keep_graph_(keep_graph), create_graph_(create_graph) {}

  /// Starts the run at the tensor of `edge` with its gradient.
  void start(const Edge& edge, Tensor gradient);
  /// Asks for the gradient of the tensor of `edge` as result `place`. A run that was asked for
  /// anything computes just that and fills no leaf.
  void want(const Edge& edge, std::size_t place);
  void execute(std::vector<Tensor>& wanted);

 private:
  struct State {
    Node* node = nullptr;
    std::uint32_t waiting_for = 0;  // gradients that are still to come
    bool visited = false;
    bool needed = true;   // its gradient is wanted, or one below it
    bool applies = true;  // one below it is
    std::vector<std::pair<std::uint32_t, std::size_t>> wanted;  // output, place
    Tensor first;                                               // gradient of output 0
    std::vector<Tensor> more;                                   // of the other outputs
  };

  State& state_of(Node* node);
  void discover();
  void mark_needed();
  void add(State& state, std::uint32_t output_nr, Tensor gradient);
  void run_node(State& state, std::vector<Tensor>& wanted);
  void hand_down(State& state, Tensor* results);
  void make_ready(State& state);
  State& next_ready();

  bool keep_graph_, create_graph_;
  bool selective_ = false;
  std::vector<IntrusivePtr<Node>> roots_;
  NodeNumbers numbers_;
  std::deque<State> states_;   // addresses stay as the run meets more nodes
  std::vector<State*> ready_;  // a heap
};

}  // namespace tern::autograd
