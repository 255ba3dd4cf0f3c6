#include <torch/torch.h>

#include <iostream>

// Code for each dtype through AT_DISPATCH.
torch::Tensor doubled(const torch::Tensor& x) {
  torch::Tensor result = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "doubled", [&] {
    const scalar_t* in = x.data_ptr<scalar_t>();
    scalar_t* out = result.data_ptr<scalar_t>();
    for (int64_t i = 0; i < x.numel(); ++i) out[i] = in[i] * 2;
  });
  return result;
}

int64_t width(const torch::Tensor& x) {
  return AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBool, x.scalar_type(), "width",
                                    [] { return static_cast<int64_t>(sizeof(scalar_t)); });
}

int main() {
  std::cout << doubled(torch::arange(3, torch::kFloat)) << "\n"
            << doubled(torch::ones({2}, torch::kDouble)) << "\n";
  try {
    doubled(torch::ones({2}, torch::kInt));
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  for (auto dtype : {torch::kBool, torch::kByte, torch::kShort, torch::kHalf, torch::kInt,
                     torch::kLong, torch::kDouble}) {
    std::cout << width(torch::ones({1}, dtype)) << " ";
  }
  std::cout << "\n";
  AT_DISPATCH_INTEGRAL_TYPES(torch::kShort, "name",
                             [] { std::cout << std::is_same_v<scalar_t, int16_t> << "\n"; });
  AT_DISPATCH_SWITCH(torch::kFloat, "switch", AT_DISPATCH_CASE(at::ScalarType::Float, [] {
                       std::cout << sizeof(scalar_t) << "\n";
                     }) AT_DISPATCH_CASE(at::ScalarType::Double, [] { std::cout << "double\n"; }));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(
      torch::kHalf, "half", [&] { std::cout << std::is_same_v<scalar_t, at::Half> << "\n"; });
}
