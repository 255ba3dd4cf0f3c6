#include <gtest/gtest.h>

#include <tern/tern.h>

// What tensors answer to questions of programs for libtorch.

namespace tern {
namespace {

TEST(Predicates, KindsOfTensorsThatTernLacks) {
  for (const Tensor& x : {ones({2}), ones({2}, kLong), empty({0}), zeros({2}, kMeta)}) {
    EXPECT_FALSE(x.is_complex() || is_complex(x) || x.is_conj() || x.is_neg());
    EXPECT_FALSE(x.is_sparse() || x.is_sparse_csr() || x.is_nested() || x.is_quantized());
    EXPECT_FALSE(x.is_mkldnn() || x.is_xla() || x.is_mps() || x.is_xpu());
    EXPECT_FALSE(x.is_distributed());
  }
  EXPECT_THROW(is_complex(Tensor()), Error);
}

TEST(Predicates, SameSizes) {
  EXPECT_TRUE(ones({2, 3}).is_same_size(zeros({2, 3}, kLong)));
  EXPECT_FALSE(ones({2, 3}).is_same_size(ones({3, 2})));
}

TEST(Predicates, SameElementsInMemory) {
  const Tensor x = ones({2, 2});
  EXPECT_TRUE(x.is_set_to(x.view({2, 2})));
  EXPECT_FALSE(x.is_set_to(x.t()));
  EXPECT_FALSE(x.is_set_to(x.clone()));
  EXPECT_FALSE(x[0].is_set_to(x[1]));
}

TEST(Predicates, HandlesOfATensor) {
  const Tensor x = ones({2});
  EXPECT_TRUE(x.is_uniquely_owned());
  const Tensor y = x;  // NOLINT(performance-unnecessary-copy-initialization): a handle
  EXPECT_FALSE(x.is_uniquely_owned());
  EXPECT_TRUE(y.is_contiguous_or_false());
  EXPECT_FALSE(ones({2, 3}).t().is_contiguous_or_false());
}

}  // namespace
}  // namespace tern
