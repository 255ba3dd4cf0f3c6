#pragma once

#include <atomic>
#include <memory>

namespace tern::nn::parallel {

/// While it lives, backward() keeps the gradients of this rank; see the no_sync() that returns it.
class NoSync {
 public:
  /// Counts the scope in `open`, a part of `owner`.
  template <class Owner>
  NoSync(const std::shared_ptr<Owner>& owner, std::atomic<int>& open) : open_(owner, &open) {
    ++*open_;
  }
  /// Ends the scope.
  ~NoSync() { --*open_; }
  NoSync(const NoSync&) = delete;
  NoSync& operator=(const NoSync&) = delete;

 private:
  std::shared_ptr<std::atomic<int>> open_;
};

}  // namespace tern::nn::parallel
