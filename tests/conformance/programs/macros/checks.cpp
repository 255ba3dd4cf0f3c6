#include <torch/torch.h>

#include <iostream>

// TORCH_CHECK and relatives as expressions of a program.
int checked(int x) {
  TORCH_CHECK(x > 0, "x must be positive, got ", x);
  TORCH_CHECK(x < 100);
  return x;
}

enum class Kind { kA, kB };

int main() {
  std::cout << checked(5) << "\n";
  for (int x : {-1, 200}) {
    try {
      checked(x);
    } catch (const c10::Error& e) {
      const std::string text = e.what_without_backtrace();
      std::cout << text.substr(0, 40) << "\n";
    }
  }
  const Kind kind = Kind::kB;
  TORCH_CHECK(kind == Kind::kB);
  TORCH_CHECK_EQ(2, 2);
  TORCH_CHECK_LT(1, 2);
  TORCH_INTERNAL_ASSERT(true, "never");
  AT_ASSERT(true);
  AT_ASSERTM(1 == 1, "text");
  TORCH_INTERNAL_ASSERT_DEBUG_ONLY(true);
  try {
    TORCH_INTERNAL_ASSERT(false, "broken");
  } catch (const c10::Error& e) {
    std::cout << (std::string(e.what()).find("broken") != std::string::npos) << "\n";
  }
  if (C10_LIKELY(kind == Kind::kB)) std::cout << "likely\n";
  if (C10_UNLIKELY(kind == Kind::kA)) std::cout << "unlikely\n";
  std::cout << C10_STRINGIZE(abc) << TORCH_VERSION_MAJOR << (TORCH_VERSION_MINOR >= 0) << "\n";
}
