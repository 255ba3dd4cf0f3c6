#include <tern/core/tensor/detail/allocator.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

using Names = std::vector<std::string>;

TEST(StateDict, HasPythonsKeysInOrder) {
  const SmallNet net;
  const State state = net->state_dict();
  EXPECT_EQ(state.keys(), (Names{"scale", "step", "fc1.weight", "fc1.bias", "norm.weight",
                                 "norm.bias", "norm.running_mean", "norm.running_var",
                                 "norm.num_batches_tracked", "fc2.weight", "fc2.bias"}));
  const Tensor weight = state["fc1.weight"];
  EXPECT_FALSE(weight.requires_grad());
  EXPECT_TRUE(weight.is_alias_of(net->fc1->weight));
}

TEST(StateDict, RoundTripsIntoAnotherNet) {
  const SmallNet source, target;
  source(rand({8, 3})).sum().backward();
  source->step.add_(3);
  const Tensor handle = target->fc1->weight;
  const nn::IncompatibleKeys keys = target->load_state_dict(source->state_dict());
  EXPECT_EQ(printed(keys), "<All keys matched successfully>");
  EXPECT_TRUE(identical(source->state_dict(), target->state_dict()));
  EXPECT_TRUE(handle.is_same(target->fc1->weight));
  EXPECT_TRUE(handle.requires_grad());
  EXPECT_FALSE(handle.is_alias_of(source->fc1->weight));
}

TEST(StateDict, IsConvertedToTheModelsDtypeAndDevice) {
  const nn::Linear source(2, 2), target = nn::Linear(2, 2).to("cuda:1");
  source.to(kDouble);
  target.load_state_dict(source->state_dict(), {.cast = true});
  EXPECT_EQ(target->weight.device(), Device("cuda:1"));
  EXPECT_EQ(target->weight.dtype(), kFloat);
  EXPECT_TRUE(close(target->weight, source->weight.to(kFloat)));
}

TEST(LoadStateDict, ListsAllProblemsAndChangesNothing) {
  const SmallNet net;
  const State before = copy_of(net->state_dict());
  State broken = copy_of(before);
  for (const char* key : {"scale", "fc2.weight"}) broken.erase(key);
  broken.set("fc1.weight", ones({4, 5}));
  broken.set("fc1.bias", 3);
  broken.set("norm.bias", full({4}, 9.0));  // valid, but must not be loaded
  broken.insert("fc1.extra", ones({1}));
  broken.insert("other", ones({1}));
  broken.insert("scratch", ones({2}));
  EXPECT_EQ(
      error_of([&] { net->load_state_dict(broken); }),
      "Error(s) in loading state_dict for SmallNet:\n"
      "\tMissing key(s) in state_dict: \"scale\", \"fc2.weight\". \n"
      "\tUnexpected key(s) in state_dict: \"other\", \"scratch\", \"fc1.extra\". \n"
      "\tsize mismatch for fc1.weight: copying a param with shape torch.Size([4, 5]) from "
      "checkpoint, the shape in current model is torch.Size([4, 3]).\n"
      "\tWhile copying the parameter named \"fc1.bias\", expected torch.Tensor or Tensor-like "
      "object from checkpoint but received an integer");
  EXPECT_TRUE(identical(before, net->state_dict()));
}

TEST(LoadStateDict, ForgivesKeysOnlyWhenNotStrict) {
  const nn::Linear net(2, 2);
  State partial;
  partial.insert("weight", ones({2, 2}));
  partial.insert("extra", ones({1}));
  EXPECT_THROW(net->load_state_dict(partial), Error);
  const nn::IncompatibleKeys keys = net->load_state_dict(partial, /*strict=*/false);
  EXPECT_EQ(keys.missing_keys, Names{"bias"});
  EXPECT_EQ(keys.unexpected_keys, Names{"extra"});
  EXPECT_EQ(printed(keys), "_IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['extra'])");
  EXPECT_TRUE(same_bits(net->weight, ones({2, 2})));

  partial.set("weight", ones({2, 3}));
  EXPECT_THROW(net->load_state_dict(partial, /*strict=*/false), Error);
  EXPECT_EQ(error_of([&] { net->load_state_dict(State(3)); }),
            "Expected state_dict to be dict-like, got an integer.");
}

TEST(LoadStateDict, ChangesNothingWhenMemoryRunsOut) {
  const SmallNet net;
  State other = copy_of(SmallNet().to(kDouble).state_dict());  // every tensor needs a conversion
  const State before = copy_of(net->state_dict());
  for (std::int64_t n = 1;; ++n) {
    testing::fail_allocation(n);
    bool failed = false;
    try {
      net->load_state_dict(other, {.cast = true});
    } catch (const OutOfMemoryError&) {
      failed = true;
    }
    testing::fail_allocation(0);
    if (!failed) break;
    ASSERT_TRUE(identical(before, net->state_dict())) << n;
  }
  EXPECT_TRUE(close(net->fc1->weight, other["fc1.weight"].tensor().to(kFloat)));
}

TEST(LoadStateDict, AcceptsOldForms) {
  const nn::BatchNorm1d net(2);
  State old = copy_of(net->state_dict());
  old.erase("num_batches_tracked");
  EXPECT_TRUE(net->load_state_dict(old).missing_keys.empty());
  old.insert("num_batches_tracked", tensor({5}));  // one element for a 0-d tensor
  net->load_state_dict(old);
  EXPECT_EQ(net->num_batches_tracked.item<int>(), 5);
}

TEST(LoadStateDict, RefusesTwoValuesForOneViewOfAStorage) {
  struct ViewsImpl : nn::Module {
    ViewsImpl() {
      const Tensor base = tern::zeros({6});
      register_buffer("first", base.slice(0, 0, 2));
      b = register_buffer("b", base.slice(0, 2, 4));
      register_buffer("c", base.slice(0, 2, 4));
      register_buffer("turned", base.slice(0, 2, 6).view({2, 2}).t());
      register_buffer("d", base.slice(0, 2, 6).view({2, 2}).t());
    }
    Tensor b;
  };
  for (const bool assign : {false, true}) {
    ViewsImpl net;
    State state = copy_of(net.state_dict());
    state.set("b", full({2}, 2.0));
    state.set("d", full({2, 2}, 3.0));
    const std::string text = error_of([&] { net.load_state_dict(state, {.assign = assign}); });
    for (const char* keys : {"\"b\" and \"c\"", "\"turned\" and \"d\""}) {
      EXPECT_NE(text.find(std::string("tied parameters ") + keys), text.npos) << text;
    }
    EXPECT_TRUE(same_bits(net.b, zeros({2})));
    // Tensors that only overlap are not tied: each key may have its own value, as in PyTorch.
    state.set("c", state["b"]);
    state.set("turned", state["d"]);
    net.load_state_dict(state, {.assign = assign});
    EXPECT_TRUE(same_bits(net.b, full({2}, assign ? 2.0 : 3.0)));
    EXPECT_TRUE(same_bits(net.state_dict()["c"], net.b));
  }
}

TEST(LoadStateDict, CopesWithItsOwnTensors) {
  const nn::Linear net(2, 2);
  const Tensor weight = net->weight.detach().clone();
  State twisted = net->state_dict();
  twisted.set("weight", net->weight.detach().t());  // reads the elements that it writes
  net->load_state_dict(twisted);
  EXPECT_TRUE(same_bits(net->weight, weight.t().contiguous()));
}

}  // namespace
}  // namespace tern
