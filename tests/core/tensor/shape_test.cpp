#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/shape.h>
#include <tern/tern.h>

#include "error_of.h"

// Strides and bounds of views, as in PyTorch 2.15.

namespace tern {
namespace {

using Dims = std::vector<std::int64_t>;

Tensor strided(const Dims& sizes, const Dims& strides) {
  return arange(1000).as_strided(sizes, strides);
}

struct View {
  Dims sizes, strides, new_sizes, new_strides;
};

TEST(ViewStrides, DimensionsOfSizeOne) {
  const View views[] = {
      {{2, 1, 3}, {6, 7, 2}, {6}, {2}},
      {{2, 1, 3}, {6, 7, 2}, {2, 3}, {6, 2}},
      {{2, 1, 3}, {6, 7, 2}, {1, 6, 1}, {12, 2, 2}},
      {{2, 1, 3}, {6, 7, 2}, {2, 1, 1, 3}, {6, 6, 6, 2}},
      {{2, 1, 2}, {2, 9, 1}, {4}, {1}},
      {{2, 1, 2}, {2, 9, 1}, {2, 2, 1}, {2, 1, 1}},
      {{3, 1, 4}, {20, 7, 1}, {3, 4}, {20, 1}},
      {{3, 4}, {1, 3}, {3, 1, 4}, {1, 12, 3}},
      {{3, 4}, {1, 3}, {1, 3, 4, 1}, {3, 1, 3, 3}},
      {{4, 1}, {3, 77}, {2, 2}, {6, 3}},
      {{4, 1}, {1, 77}, {4, 1}, {1, 77}},
      {{1, 4, 1}, {7, 3, 77}, {2, 1, 2, 1}, {6, 6, 3, 77}},
      {{1, 4}, {99, 1}, {1, 4}, {4, 1}},
      {{1}, {50}, {1, 1}, {50, 50}},
      {{1}, {50}, {}, {}},
  };
  for (const View& view : views) {
    const Tensor x = strided(view.sizes, view.strides), y = x.view(view.new_sizes);
    EXPECT_EQ(y.strides(), IntArrayRef(view.new_strides)) << x.sizes() << " as " << y.sizes();
    EXPECT_TRUE(y.flatten().equal(x.contiguous().flatten())) << x.sizes() << " as " << y.sizes();
    EXPECT_EQ(y.data_ptr(), x.data_ptr());
  }
}

TEST(ViewStrides, WithoutElements) {
  const Tensor x = strided({2, 0, 3}, {7, 9, 2});
  EXPECT_EQ(x.view({0}).strides(), IntArrayRef({1}));
  EXPECT_EQ(x.view({2, 0, 3}).strides(), IntArrayRef({7, 9, 2}));
  EXPECT_EQ(x.view({3, 0, 2}).strides(), IntArrayRef({2, 2, 1}));
}

TEST(ViewStrides, GapsCannotBeJoined) {
  EXPECT_THROW(strided({3, 1, 4}, {20, 7, 1}).view({12}), Error);
  EXPECT_THROW(strided({2, 2, 1}, {5, 1, 9}).view({4}), Error);
}

// The last element may be the last element of the storage, but not lie beyond it.
TEST(AsStrided, ReachesToTheEndOfTheStorage) {
  const Tensor x = arange(6);
  EXPECT_TRUE(x.as_strided({2}, {1}, 4).equal(tensor({4, 5})));
  EXPECT_TRUE(x.as_strided({2, 2}, {3, 2}).equal(tensor({0, 2, 3, 5}).view({2, 2})));
  EXPECT_TRUE(x.as_strided({}, {}, 5).equal(tensor(5)));
  EXPECT_EQ(x.as_strided({0}, {1}, 100).numel(), 0);
  for (const auto& beyond : {
           +[](const Tensor& t) { return t.as_strided({2}, {1}, 5); },
           +[](const Tensor& t) {
             return t.as_strided({2, 2}, {3, 3});
           },
           +[](const Tensor& t) {
             return t.as_strided({2, 2}, {3, 2}, 1);
           },
           +[](const Tensor& t) { return t.as_strided({7}, {1}); },
           +[](const Tensor& t) { return t.as_strided({}, {}, 6); },
           +[](const Tensor& t) {
             return t.as_strided({1, 1}, {9, 9}, 6);
           },
       }) {
    EXPECT_THROW(beyond(x), ShapeError);
  }
  // A view may reach as far as its storage.
  EXPECT_TRUE(x.slice(0, 2, 4).as_strided({2}, {1}, 4).equal(tensor({4, 5})));
  EXPECT_THROW(x.slice(0, 2, 4).as_strided({3}, {1}, 4), ShapeError);
}

TEST(AsStrided, SaysWhatIsWrong) {
  const Tensor x = ones({5});
  EXPECT_EQ(error_of<ShapeError>([&] { x.as_strided({2}, {1}, 4); }),
            "as_strided: setStorage: sizes [2], strides [1], storage offset 4, and itemsize 4 "
            "requiring a storage size of 24 are out of bounds for storage of size 20");
  EXPECT_EQ(error_of<ShapeError>([&] { x.as_strided({3}, {INT64_MAX}); }),
            "as_strided: Storage size calculation overflowed with sizes=[3] and "
            "strides=[9223372036854775807]");
  EXPECT_THROW(x.as_strided({3}, {std::int64_t{1} << 62}), ShapeError);
  EXPECT_THROW(x.as_strided({2}, {1}, INT64_MAX), ShapeError);
  EXPECT_EQ(error_of<ShapeError>([&] { x.as_strided({2}, {1}, -1); }),
            "as_strided: Tensor: invalid storage offset -1");
}

TEST(DenseStrides, KeepTheOrderOfTheDimensionsInMemory) {
  EXPECT_EQ(dense_strides({3, 4, 2}, {1, 9, 3}), DimVector({1, 6, 3}));
  EXPECT_EQ(dense_strides({4, 1, 3}, {20, 7, 5}), DimVector({3, 3, 1}));
  // A draw therefore fills such a tensor in the order of its memory; the numbers are PyTorch's.
  manual_seed(1);
  Tensor x = zeros({4, 3, 3}).permute({2, 0, 1}).slice(2, 0, 2);
  x.uniform_();
  EXPECT_TRUE(x[0].allclose(tensor({{0.75763160, 0.73468447},
                                    {0.39713734, 0.43877792},
                                    {0.68261409, 0.45498633},
                                    {0.93708336, 0.19801933}},
                                   kFloat)))
      << x[0];
}

}  // namespace
}  // namespace tern
