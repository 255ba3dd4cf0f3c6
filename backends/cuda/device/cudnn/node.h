#pragma once

#include <utility>

#include <tern/backends/cuda/device/cudnn/library.h>

namespace tern::cuda::device::cudnn {

/// A descriptor of cuDNN: a node of a graph, an engine, a plan. A node is usable once it is
/// finalized; if a call failed, it never is.
class Node {
 public:
  Node() = default;
  explicit Node(Kind kind) {
    ready_ = library()->cudnnBackendCreateDescriptor(kind, &descriptor_) == kSuccess;
  }
  Node(Node&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)),
        ready_(std::exchange(other.ready_, false)) {}
  Node& operator=(Node&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(ready_, other.ready_);
    return *this;
  }
  ~Node() {
    if (descriptor_ != nullptr) library()->cudnnBackendDestroyDescriptor(descriptor_);
  }

  Node& set(Attribute attribute, Type type, std::int64_t count, const void* values) {
    if (ready_) {
      ready_ = library()->cudnnBackendSetAttribute(descriptor_, attribute, type, count, values) ==
               kSuccess;
    }
    return *this;
  }
  template <class T>
  Node& set(Attribute attribute, Type type, const T& value) {
    return set(attribute, type, 1, &value);
  }
  Node& set(Attribute attribute, const Node& node) {
    return set(attribute, kDescriptorType, 1, &node.descriptor_);
  }

  /// Ends the list of attributes. Returns false if cuDNN refused one of them, or all together.
  bool finalize() {
    ready_ = ready_ && library()->cudnnBackendFinalize(descriptor_) == kSuccess;
    return ready_;
  }

  /// Reads an attribute. Returns how many values there are, at most `most`; 0 after a failure.
  std::int64_t get(Attribute attribute, Type type, std::int64_t most, void* values) const {
    std::int64_t count = 0;
    const bool read = ready_ && library()->cudnnBackendGetAttribute(
                                    descriptor_, attribute, type, most, &count, values) == kSuccess;
    return read ? count : 0;
  }

  bool is_ready() const { return ready_; }
  Descriptor descriptor() const { return descriptor_; }

 private:
  Descriptor descriptor_ = nullptr;
  bool ready_ = false;
};

}  // namespace tern::cuda::device::cudnn
