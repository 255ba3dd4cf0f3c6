#pragma once

#include <atomic>
#include <cstddef>

namespace tern::emulator {

/// The replacement for cuDNN: computes convolutions with the simulator's kernel, and graphs of
/// attention operation by operation, immediately, and queues recurrent layers. A call that breaks a
/// rule of cuDNN throws std::logic_error. Tests read the recorded calls here and set what the
/// library refuses.
///
/// Its engines, in the order of mode A; other modes propose only the plain one:
///
///   engine            numerical notes    workspace   time
///   down-converting   down-convert       0           1
///   greedy            none               2^40        1
///   broken            none               no plan     1
///   rounding          tensor core        0           2
///   racing            nondeterministic   128         3
///   plain             none               0           5
///   quick             none               4096        4
struct Cudnn {
  enum Engine { kDownConverting, kGreedy, kBroken, kRounding, kRacing, kPlain, kQuick, kEngines };

  std::atomic<std::size_t> version = 92600;
  std::atomic<int> searches = 0;  // of engines, with any mode
  std::atomic<int> executions = 0;
  std::atomic<int> last_engine = -1;  // of the last execution
  std::atomic<int> create_status = 0;
  std::atomic<int> graph_status = 0;
  std::atomic<int> execute_status = 0;
  std::atomic<bool> mode_a_finds_nothing = false;
  std::atomic<bool> only_racing = false;  // no other engine has a plan

  // Recurrent layers (cudnn_recurrent.cpp).
  std::atomic<int> layers = 0;           // forward passes
  std::atomic<int> layer_gradients = 0;  // calls for the gradients of input and states
  std::atomic<int> layer_weight_gradients = 0;
  std::atomic<int> last_layer_math = -1;  // the type of the last forward pass
  std::atomic<int> layer_status = 0;      // of questions for sizes
  std::atomic<int> layer_run_status = 0;  // of forward passes
  std::atomic<int> layer_gradient_status = 0;
};
Cudnn& cudnn();

}  // namespace tern::emulator
