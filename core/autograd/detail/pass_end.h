#pragma once

#include <functional>
#include <vector>

namespace tern::autograd {

/// The callbacks of at_end_of_backward(), for the scope of one backward().
class PassEnd {
 public:
  PassEnd();
  /// Calls those that complete() has not called with false.
  ~PassEnd();
  PassEnd(const PassEnd&) = delete;
  PassEnd& operator=(const PassEnd&) = delete;

  /// Calls the callbacks with true, unless another backward() runs around this one.
  void complete();

 private:
  friend void at_end_of_backward(std::function<void(bool is_complete)> callback);

  bool is_outermost_;
  std::vector<std::function<void(bool)>> callbacks_;
};

}  // namespace tern::autograd
