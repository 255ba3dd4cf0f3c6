#include <gtest/gtest.h>

#include <tern/backends/cuda/device/support/strided_index.h>

namespace tern {
namespace {

using cuda::device::StridedIndex;

// Element counts above and below the limit of the 32-bit arithmetic.
TEST(StridedIndex, AnyCount) {
  for (const std::int64_t outer : {3, 3'000'000}) {
    StridedIndex<2> index;
    index.add_dim(outer, {7'000, 1});
    index.add_dim(1, {5, 5});
    index.add_dim(1'000, {7, 4'000'000});
    EXPECT_EQ(index.count, outer * 1'000);
    EXPECT_EQ(index.step(), 7);
    EXPECT_EQ(index.row_size(), 1'000);
    for (const std::int64_t i : {std::int64_t{0}, outer / 2, outer - 1}) {
      for (const std::int64_t j : {0, 1, 501, 999}) {
        std::int64_t offsets[2];
        index.offsets(i * 1'000 + j, offsets);
        EXPECT_EQ(offsets[0], i * 7'000 + j * 7);
        EXPECT_EQ(offsets[1], i + j * 4'000'000);
      }
    }
  }
}

TEST(StridedIndex, OneLongRow) {
  StridedIndex<1> row;
  row.add_dim(5'000'000'000, {2});
  std::int64_t offset[1];
  row.offsets(4'999'999'999, offset);
  EXPECT_TRUE(row.is_row());
  EXPECT_EQ(offset[0], 9'999'999'998);
}

TEST(StridedIndex, AsManyAs32BitsCount) {
  StridedIndex<1> row;
  row.add_dim(std::int64_t{1} << 32, {1});
  std::int64_t offset[1];
  row.offsets((std::int64_t{1} << 32) - 1, offset);
  EXPECT_EQ(offset[0], (std::int64_t{1} << 32) - 1);
}

TEST(StridedIndex, NoDimension) {
  StridedIndex<1> one;
  std::int64_t offset[1] = {5};
  one.offsets(0, offset);
  EXPECT_EQ(offset[0], 0);
  EXPECT_EQ(one.step(), INT64_MAX);
}

}  // namespace
}  // namespace tern
