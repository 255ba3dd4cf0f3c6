#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::autograd {

class Node;

/// Maps the nodes of one backward pass to pointers. An open hash table, because a graph may have a
/// million nodes and the cost per node must be small.
template <class T>
class NodeMap {
 public:
  /// Returns the pointer of `node`: null for a new node. A later call may move it.
  T*& operator[](const Node* node) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(node);
    if (slot.node == nullptr) {
      slot.node = node;
      ++count_;
    }
    return slot.value;
  }

 private:
  struct Slot {
    const Node* node = nullptr;
    T* value = nullptr;
  };

  Slot& find(const Node* node) {
    const std::size_t mask = slots_.size() - 1;
    // Nodes are at least 64 bytes apart, so the low bits of their addresses carry no information.
    auto key = reinterpret_cast<std::uintptr_t>(node) >> 6;
    std::size_t at = (key * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (slots_[at].node != nullptr && slots_[at].node != node) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 128 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.node != nullptr) find(slot.node) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace tern::autograd
