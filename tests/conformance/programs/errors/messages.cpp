#include <torch/torch.h>

#include <iostream>
#include <string>

// Wrong calls: whether the error has the expected words.
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
  torch::Tensor a = torch::ones({2, 3});
  show("The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
       [&] { a + torch::ones({4}); });
  show("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", [&] { a.mm(a); });
  show("shape '[4]' is invalid for input of size 6", [&] { a.view({4}); });
  show("Dimension out of range (expected to be in range of [-2, 1], but got 5)", [&] { a.sum(5); });
  show("index 9 out of range for tensor of size [2, 3] at dimension 0", [&] { a.select(0, 9); });
  show("a Tensor with 6 elements cannot be converted to Scalar", [&] { a.item<float>(); });
  show("Tensors must have same number of dimensions: got 2 and 1", [&] {
    torch::cat({a, torch::ones({2})});
  });
  show("stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3] at entry 1",
       [&] {
         torch::stack({a, torch::ones({3})});
       });
  show("expected scalar type Long but found Float", [&] { a.data_ptr<int64_t>(); });
  show("could not infer output dtype", [&] { torch::ones({2}, torch::kInt).mean(); });
  show("index out of range in self", [&] { a.index_select(0, torch::tensor({5})); });
  show("upper bound and lower bound inconsistent with step sign", [&] { torch::arange(1, 0, 1); });
  show("mat1 and mat2 shapes cannot be multiplied (2x4 and 3x2)", [&] {
    torch::nn::Linear(3, 2)(torch::ones({2, 4}));
  });
  show(
      "The expanded size of the tensor (5) must match the existing size (2) at non-singleton "
      "dimension 0",
      [&] {
        a.expand({5, 3});
      });
  show("zeros: Dimension size must be non-negative.", [&] { torch::zeros({-1}); });
  show("Invalid device string: 'nonsense:x'", [&] { torch::Device("nonsense:x"); });
}
