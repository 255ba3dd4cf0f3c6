#include <tern/compat/torch/torch.h>

#include <gtest/gtest.h>

// libtorch's functions of autocast, as programs written for it call them.

namespace {

TEST(CompatAutocast, SwitchesItOnAndOff) {
  const torch::Tensor a = torch::ones({2, 2});
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kHalf);
  at::autocast::increment_nesting();
  EXPECT_TRUE(at::autocast::is_autocast_enabled(torch::kCPU));
  EXPECT_EQ(torch::mm(a, a).scalar_type(), torch::kHalf);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  EXPECT_EQ(torch::mm(a, a).scalar_type(), torch::kFloat);
  const torch::amp::autocast region(torch::kCPU);
  EXPECT_EQ(torch::mm(a, a).scalar_type(), torch::kBFloat16);
}

}  // namespace
