#include <torch/torch.h>

#include <iostream>

// Module holders: construction, nullptr, comparison, access.
struct CounterImpl : torch::nn::Module {
  CounterImpl() = default;
  explicit CounterImpl(int start) : value(start) {}
  int forward(int by) { return value += by; }
  int value = 0;
};
TORCH_MODULE(Counter);

struct OtherImpl : CounterImpl {
  using CounterImpl::CounterImpl;
};
TORCH_MODULE_IMPL(Another, OtherImpl);

int main() {
  Counter c;
  std::cout << c->value << " " << c(3) << "\n";
  Counter with(10);
  std::cout << with.get()->value << " " << (*with).value << "\n";
  Counter empty = nullptr;
  std::cout << empty.is_empty() << static_cast<bool>(empty) << static_cast<bool>(c) << "\n";
  empty = with;
  std::cout << empty->forward(1) << with->value << "\n";
  Counter from(std::make_shared<CounterImpl>(7));
  std::cout << from.ptr()->value << (from.ptr().use_count() > 0) << "\n";
  Another another(4);
  std::cout << another->value << " " << another->name() << "\n";
  torch::nn::Linear none{nullptr};
  try {
    none->weight;
  } catch (const c10::Error& e) {
    std::cout << (std::string(e.what_without_backtrace()).find("Accessing empty ModuleHolder") == 0)
              << "\n";
  }
  torch::nn::Linear l(torch::nn::LinearOptions(3, 4).bias(false));
  std::cout << l->options.in_features() << l->options.out_features() << l->options.bias()
            << l->bias.defined() << "\n";
  std::shared_ptr<torch::nn::LinearImpl> pointer = l.ptr();
  std::cout << pointer->weight.sizes() << "\n";
}
