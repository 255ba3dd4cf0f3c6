#include <torch/torch.h>

#include <iostream>

// Pointwise mathematics as functions, methods and in-place methods.
int main() {
  torch::Tensor x = torch::tensor({-1.5, -0.25, 0.25, 1.75});
  torch::Tensor u = torch::tensor({0.1, 0.35, 0.6, 0.9});
  std::cout << x.abs() << "\n" << x.exp() << "\n" << u.log() << "\n" << u.sqrt() << "\n";
  std::cout << torch::sin(x) << "\n" << torch::cos(x) << "\n" << torch::tan(u) << "\n";
  std::cout << torch::asin(u) << "\n" << torch::acos(u) << "\n" << torch::atan(x) << "\n";
  std::cout << torch::sinh(x) << "\n" << torch::cosh(x) << "\n" << torch::tanh(x) << "\n";
  std::cout << torch::sigmoid(x) << "\n" << torch::logit(u) << "\n" << torch::rsqrt(u) << "\n";
  std::cout << x.floor() << "\n"
            << x.ceil() << "\n"
            << x.round() << "\n"
            << x.trunc() << "\n"
            << x.frac() << "\n";
  std::cout << torch::sign(x) << "\n" << torch::expm1(x) << "\n" << torch::log1p(u) << "\n";
  std::cout << torch::log2(u) << "\n" << torch::log10(u) << "\n" << torch::exp2(x) << "\n";
  std::cout << torch::erf(x) << "\n" << torch::erfc(x) << "\n" << torch::erfinv(u) << "\n";
  std::cout << torch::lgamma(u) << "\n"
            << torch::digamma(u) << "\n"
            << torch::reciprocal(x) << "\n";
  std::cout << torch::atan2(x, u) << "\n" << torch::hypot(x, u) << "\n" << torch::square(x) << "\n";
  std::cout << torch::deg2rad(x * 90) << "\n" << torch::heaviside(x, u) << "\n";
  x.abs_().sqrt_().neg_();
  std::cout << x << "\n";
  std::cout << torch::nan_to_num(torch::tensor({NAN, INFINITY, 1.0f}), 0.0, 9.0) << "\n";
}
