#include <torch/torch.h>

#include <c10/util/intrusive_ptr.h>

#include <iostream>

// intrusive_ptr, tensor identity, sets and maps of tensors.
struct Node : c10::intrusive_ptr_target {
  explicit Node(int v) : value(v) {}
  int value;
};

int main() {
  auto a = c10::make_intrusive<Node>(5);
  auto b = a;
  std::cout << a->value << a.use_count() << (a == b) << "\n";
  b.reset();
  std::cout << a.use_count() << b.defined() << a.unique() << "\n";
  torch::Tensor t = torch::ones({2});
  std::unordered_map<c10::TensorImpl*, int> seen;
  seen[t.unsafeGetTensorImpl()] = 4;
  std::cout << seen.at(t.unsafeGetTensorImpl()) << seen.count(t.clone().unsafeGetTensorImpl())
            << "\n";
  auto pointer = std::make_unique<int>(3);
  std::cout << *pointer << "\n";
  torch::Tensor moved = std::move(t);
  std::cout << t.defined() << moved.defined() << "\n";
  moved.reset();
  std::cout << moved.defined() << "\n";
}
