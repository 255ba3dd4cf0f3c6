#include <torch/torch.h>

#include <iostream>

// Classes of exceptions and their texts.
int main() {
  try {
    torch::ones({3})[5];
  } catch (const c10::IndexError& e) {
    std::cout << "IndexError: " << e.what_without_backtrace() << "\n";
  }
  try {
    TORCH_CHECK(false, "value is ", 3);
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << " " << e.msg() << "\n";
  }
  try {
    TORCH_CHECK_VALUE(false, "bad value");
  } catch (const c10::ValueError& e) {
    std::cout << "ValueError: " << e.msg() << "\n";
  }
  try {
    TORCH_CHECK_TYPE(false, "bad type");
  } catch (const c10::TypeError& e) {
    std::cout << "TypeError: " << e.msg() << "\n";
  }
  try {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "later");
  } catch (const c10::NotImplementedError& e) {
    std::cout << "NotImplementedError: " << e.msg() << "\n";
  }
  try {
    TORCH_CHECK_INDEX(1 > 2, "index");
  } catch (const std::exception& e) {
    std::cout << std::string(e.what()).substr(0, 5) << "\n";
  }
  try {
    throw c10::Error({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, "own text");
  } catch (c10::Error& e) {
    e.add_context("while testing");
    std::cout << e.what_without_backtrace() << "\n" << e.context().size() << "\n";
  }
  try {
    AT_ERROR("old ", "form");
  } catch (const at::Error& e) {
    std::cout << e.msg() << "\n";
  }
}
