#include <torch/torch.h>

#include <iostream>

// Small types of c10.
int main() {
  c10::ArrayRef<int> ref({1, 2, 3});
  std::cout << ref.size() << ref[1] << ref.front() << ref.back() << ref.empty() << ref.slice(1)
            << ref.equals({1, 2, 3}) << "\n";
  std::vector<int64_t> v = {4, 5};
  at::IntArrayRef ints = v;
  std::cout << ints << ints.vec().size() << (ints == at::IntArrayRef({4, 5})) << "\n";
  c10::optional<int> maybe;
  std::cout << maybe.has_value() << maybe.value_or(7) << "\n";
  maybe = c10::make_optional(3);
  std::cout << *maybe << (maybe == c10::nullopt) << "\n";
  c10::Half h = 0.1f;
  std::cout << static_cast<float>(h) << " " << h + c10::Half(1.0f) << " " << sizeof(h) << "\n";
  c10::BFloat16 b(3.14159f);
  std::cout << static_cast<float>(b) << "\n";
  for (auto i : c10::irange(3)) std::cout << i << " ";
  for (const auto i : c10::irange(2, 5)) std::cout << i << " ";
  std::cout << "\n"
            << c10::str("a", 1, 2.5) << "\n"
            << c10::Join(", ", std::vector<int>{1, 2}) << "\n";
  at::Scalar s = 5;
  std::cout << s.toInt() << s.toDouble() << s.isIntegral(false) << s.isFloatingPoint()
            << s.isBoolean() << s.type() << (-s).toLong() << s.to<float>() << "\n";
  std::cout << c10::string_view("view").size() << " " << c10::isSignedType(at::kByte)
            << c10::isFloatingType(at::kHalf) << c10::isIntegralType(at::kBool, true) << "\n";
  std::cout << c10::maybe_wrap_dim(-1, 3) << " " << at::elementSize(at::kLong) << " "
            << c10::multiply_integers(v) << "\n";
}
