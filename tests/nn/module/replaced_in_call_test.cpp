#include "nn/nn_test.h"

// A hook replaces or drops its own module: the module lives until its call returns.

namespace tern {
namespace {

using nn::AnyValue;

/// Doubles its input, and counts the modules of its class that live.
struct CountedImpl : nn::Module {
  explicit CountedImpl(int& alive) : count(alive) { ++count; }
  CountedImpl(const CountedImpl&) = delete;
  CountedImpl& operator=(const CountedImpl&) = delete;
  ~CountedImpl() override { --count; }
  Tensor forward(const Tensor& x) {
    EXPECT_EQ(count, 1) << "the module was freed in its call";
    return x * factor;
  }
  int& count;
  Tensor factor = full({1}, 2.0);
};
TERN_MODULE(Counted);

/// Drops the module in one of its hooks; the rest of the call still sees it.
class ReplacedInCall : public ::testing::TestWithParam<bool> {
 protected:
  void drop_in_hook(nn::Module& module, const std::function<void()>& drop) {
    const auto run = [this, drop] {
      drop();
      EXPECT_EQ(alive, 1) << "the module was freed in its hook";
    };
    if (GetParam()) {
      module.register_forward_pre_hook([run](nn::Module&, std::vector<AnyValue>&) { run(); });
    } else {
      module.register_forward_hook(
          [run](nn::Module&, const std::vector<AnyValue>&, AnyValue&) { run(); });
    }
  }

  const Tensor x = ones({1});
  const Tensor doubled = full({1}, 2.0);
  int alive = 0;
};

TEST_P(ReplacedInCall, ByReplaceModule) {
  struct NetImpl : nn::Module {
    explicit NetImpl(int& alive) { inner = register_module("inner", Counted(alive)); }
    Tensor forward(const Tensor& input) { return inner(input); }
    Counted inner{nullptr};
  };
  const nn::ModuleHolder<NetImpl> net(alive);
  int others = 0;
  drop_in_hook(*net->inner, [&] { net->replace_module("inner", Counted(others)); });
  EXPECT_TRUE(same_bits(net(x), doubled));
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(others, 1);
  EXPECT_TRUE(same_bits(net(x), doubled));
}

TEST_P(ReplacedInCall, ByAnAssignmentToItsHolder) {
  Counted holder(alive);
  drop_in_hook(*holder, [&] { holder = nullptr; });
  EXPECT_TRUE(same_bits(holder(x), doubled));
  EXPECT_EQ(alive, 0);
}

TEST_P(ReplacedInCall, ByAnAssignmentToItsAnyModule) {
  nn::AnyModule any{Counted(alive)};
  drop_in_hook(*any.ptr(), [&] { any = nn::AnyModule(nn::ReLU()); });
  EXPECT_TRUE(same_bits(any.forward(x), doubled));
  EXPECT_EQ(alive, 0);
}

TEST_P(ReplacedInCall, BySetOfSequential) {
  const nn::Sequential net{Counted(alive), nn::ReLU()};
  drop_in_hook(*net[0], [&] { net->set(0, nn::Sigmoid()); });
  EXPECT_TRUE(same_bits(net(x), doubled));
  EXPECT_EQ(alive, 0);
}

TEST_P(ReplacedInCall, ByPopOfSequential) {
  const nn::Sequential net{nn::ReLU(), Counted(alive)};
  drop_in_hook(*net[1], [&] { net->pop(1); });
  EXPECT_TRUE(same_bits(net(x), doubled));
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(same_bits(net(x), x));
}

TEST_P(ReplacedInCall, BySetOfModuleList) {
  const nn::ModuleList list{Counted(alive)};
  drop_in_hook(*list[0], [&] { list->set(0, nn::ReLU()); });
  EXPECT_TRUE(same_bits(list[0](x), doubled));
  EXPECT_EQ(alive, 0);
}

TEST_P(ReplacedInCall, ByPopOfModuleDict) {
  const nn::ModuleDict dict({{"a", Counted(alive)}});
  drop_in_hook(*dict["a"], [&] { dict->pop("a"); });
  EXPECT_TRUE(same_bits(dict["a"](x), doubled));
  EXPECT_EQ(alive, 0);
}

TEST_P(ReplacedInCall, InACallThatThrows) {
  Counted holder(alive);
  drop_in_hook(*holder, [&] { holder = nullptr; });
  EXPECT_NE(error_of([&] { holder(Tensor()); }), "");
  EXPECT_EQ(alive, GetParam() ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Hooks, ReplacedInCall, ::testing::Bool(), [](const auto& hook) {
  return hook.param ? std::string("PreHook") : std::string("Hook");
});

}  // namespace
}  // namespace tern
