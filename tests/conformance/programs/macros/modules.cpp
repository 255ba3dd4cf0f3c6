#include <torch/torch.h>

#include <iostream>

// TORCH_MODULE, TORCH_ARG and options of a module of the program.
struct ScaleOptions {
  ScaleOptions(double factor) : factor_(factor) {}
  TORCH_ARG(double, factor);
  TORCH_ARG(bool, negate) = false;
  TORCH_ARG(std::string, label) = "none";
};

class ScaleImpl : public torch::nn::Cloneable<ScaleImpl> {
 public:
  explicit ScaleImpl(double factor) : ScaleImpl(ScaleOptions(factor)) {}
  explicit ScaleImpl(ScaleOptions options_) : options(std::move(options_)) { reset(); }
  void reset() override {
    weight = register_parameter("weight", torch::full({1}, options.factor()));
  }
  void pretty_print(std::ostream& stream) const override {
    stream << "Scale(factor=" << options.factor() << ")";
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return options.negate() ? -x * weight : x * weight;
  }
  ScaleOptions options;
  torch::Tensor weight;
};
TORCH_MODULE(Scale);

int main() {
  Scale a(2.0);
  Scale b(ScaleOptions(3.0).negate(true).label("b"));
  std::cout << a << b << b->options.label() << "\n";
  torch::nn::Sequential net(a, b);
  std::cout << net->forward(torch::ones({2})) << "\n" << net << "\n";
  a->options.factor() = 5;
  std::cout << a->options.factor() << "\n";
}
