#include <torch/torch.h>

#include <iostream>
#include <string>

// Wrong uses of autograd: whether the error has the expected words.
template <class F>
void show(const std::string& words, F f) {
  try {
    f();
    std::cout << "no error\n";
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout << (text.find(words) != text.npos ? words : "other words: " + text) << "\n";
  }
}

int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  show("grad can be implicitly created only for scalar outputs", [&] { (x * 2).backward(); });
  show("does not require grad and does not have a grad_fn", [&] { torch::ones({1}).backward(); });
  show("Trying to backward through the graph a second time", [&] {
    torch::Tensor y = (x * x).sum();
    y.backward();
    y.backward();
  });
  show("has been modified by an inplace operation", [&] {
    torch::Tensor y = x.exp();
    y.add_(1);
    y.sum().backward();
  });
  show("a leaf Variable that requires grad is being used in an in-place operation",
       [&] { x.add_(1); });
  show("a view of a leaf Variable that requires grad is being used in an in-place operation",
       [&] { x.view({2}).add_(1); });
  show("you can only change requires_grad flags of leaf variables",
       [&] { (x * 2).requires_grad_(false); });
  show("can require gradients", [&] { torch::ones({2}, torch::kInt).requires_grad_(); });
  show("of the differentiated Tensors appears to not have been used in the graph",
       [&] { torch::autograd::grad({x.sum()}, {torch::ones({1}, torch::requires_grad())}); });
  show("element 0 of the input tensors does not require grad",
       [&] { torch::autograd::grad({x.sum()}, {torch::ones({1})}); });
}
