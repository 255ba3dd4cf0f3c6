#include <limits>
#include <tuple>

#include <gtest/gtest.h>

#include <tern/tern.h>

// sort, topk, kthvalue and median of rows that are longer than those of the records.

namespace tern::testing {
namespace {

// Long rows take other paths: radix sort and selection, items that lack bits of the key.
TEST(LongRows, AreSortedStably) {
  manual_seed(2);
  for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kByte}) {
    for (const std::int64_t size : {41, 300, 9000, 140000}) {
      for (const double spread : {3.0, 1e5, 1e12}) {
        const Tensor x = (randn({size}, kDouble) * spread).to(dtype);
        for (const bool descending : {false, true}) {
          const auto [values, indices] = x.sort(true, 0, descending);
          EXPECT_TRUE(equal(x.gather(0, indices), values));
          const Tensor before = values.slice(0, 0, size - 1), after = values.slice(0, 1, size);
          const Tensor ordered = descending ? before > after : before < after;
          const Tensor steps = indices.slice(0, 1, size) > indices.slice(0, 0, size - 1);
          EXPECT_TRUE(logical_or(ordered, logical_and(before == after, steps)).all().item<bool>());
          const auto [top, at] = x.topk(7, 0, descending);
          EXPECT_TRUE(equal(top, values.slice(0, 0, 7)));
          EXPECT_TRUE(equal(at, indices.slice(0, 0, 7)));
        }
        const Tensor values = std::get<0>(x.sort());
        for (const std::int64_t k : {1L, size / 3, size}) {
          EXPECT_TRUE(equal(std::get<0>(x.kthvalue(k)), values.select(0, k - 1)));
        }
        EXPECT_TRUE(equal(x.median(), values.select(0, (size - 1) / 2)));
      }
    }
  }
}

// A few distant elements leave no bits for the differences between the others.
TEST(LongRows, WithOutliers) {
  manual_seed(3);
  Tensor x = randint(0, 50, {70000}) + 7;
  x.select(0, 5).fill_(std::numeric_limits<std::int64_t>::min());
  x.select(0, 9).fill_(std::numeric_limits<std::int64_t>::max());
  const auto [values, indices] = x.sort();
  EXPECT_TRUE(equal(x.gather(0, indices), values));
  const Tensor before = values.slice(0, 0, 69999), after = values.slice(0, 1, 70000);
  const Tensor steps = indices.slice(0, 1, 70000) > indices.slice(0, 0, 69999);
  EXPECT_TRUE(logical_or(before < after, logical_and(before == after, steps)).all().item<bool>());
  EXPECT_TRUE(equal(std::get<0>(x.kthvalue(30000)), values.select(0, 29999)));
  EXPECT_TRUE(equal(std::get<0>(x.topk(1000, 0, false)), values.slice(0, 0, 1000)));
}

}  // namespace
}  // namespace tern::testing
