#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/Optional.h>
#include <c10/util/irange.h>
#include <c10/util/string_view.h>

#include <iostream>

// The headers of c10 without tensors.
int main() {
  for (auto i : c10::irange(3)) std::cout << i;
  std::cout << c10::Device("cpu") << c10::ScalarType::Float << c10::Half(2.0f)
            << c10::BFloat16(1.0f) << "\n";
  try {
    TORCH_CHECK(1 == 2, "one is not two");
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  c10::ArrayRef<double> values({0.5, 1.5});
  std::optional<int> maybe = c10::nullopt;
  std::cout << values.size() << maybe.has_value() << "\n";
}
