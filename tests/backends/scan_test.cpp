#include <type_traits>
#include <vector>

#include <tern/core/kernels/families/scan.h>

#include "backends/kernel_test.h"

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

class Scan : public testing::KernelTest {
 protected:
  template <class T>
  void check(std::int64_t outer, std::int64_t size, std::int64_t inner, bool reverse) {
    SCOPED_TRACE(::testing::Message() << dtype_of<T>() << ' ' << outer << ' ' << size << ' '
                                      << inner << " reverse " << reverse);
    Noise noise(3);
    std::vector<T> in(static_cast<std::size_t>(outer * size * inner)), out(in), want(in);
    for (T& x : in) x = static_cast<T>(noise.bits() % 8);
    CumsumArgs args{dtype_of<T>(), reverse, outer, size, inner, in.data(), out.data()};
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    testing::run_oracle(args);
    // The sums are exact in float32, so they are rounded once, and narrow integers wrap around.
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(Number(out[i]), Number(want[i])) << "at " << i;
    }
  }
};

TEST_P(Scan, EveryDtype) {
  for (const auto& [outer, size, inner] :
       {std::array{1, 1, 1}, {3, 20, 1}, {2, 700, 1}, {5, 9, 40}, {400, 3, 2}}) {
    for (const bool reverse : {false, true}) {
      testing::for_each_dtype([&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) check<T>(outer, size, inner, reverse);
      });
    }
  }
}

TEST_P(Scan, UnsupportedDtype) {
  bool x[2] = {};
  EXPECT_EQ(run(CumsumArgs{kBool, 0, 1, 2, 1, x, x}).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Scan);

}  // namespace
}  // namespace tern
