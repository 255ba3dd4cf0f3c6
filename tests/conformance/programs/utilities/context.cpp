#include <torch/torch.h>

#include <iostream>

// Global settings.
int main() {
  std::cout << at::globalContext().hasCUDA() << torch::cuda::is_available()
            << int{torch::cuda::device_count()} << torch::cuda::cudnn_is_available() << "\n";
  at::globalContext().setDeterministicAlgorithms(true, false);
  std::cout << at::globalContext().deterministicAlgorithms() << "\n";
  at::globalContext().setDeterministicAlgorithms(false, false);
  std::cout << torch::get_default_dtype() << "\n";
  torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
  std::cout << torch::ones({1}).dtype() << torch::tensor(1.5).dtype() << torch::tensor(1).dtype()
            << "\n";
  torch::set_default_dtype(torch::scalarTypeToTypeMeta(torch::kFloat));
  std::cout << torch::ones({1}).dtype() << torch::typeMetaToScalarType(torch::ones({1}).dtype())
            << "\n";
  std::cout << torch::get_default_dtype_as_scalartype() << "\n";
}
