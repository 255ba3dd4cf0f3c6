#include "nn/nn_test.h"

// Hooks that change the list of hooks while it runs. The orders are those of PyTorch 2.15 for the
// same calls, also that of hooks of tensors, which cannot be prepended.

namespace tern {
namespace {

using Gradients = std::vector<Tensor>;
using nn::AnyValue;

/// A module with an input, and functions that add hooks of one kind to them.
struct Hooked {
  /// Adds a hook that appends its name to `order`, then calls `action`. Returns its number.
  unsigned add(const std::string& kind, char name, bool prepend = false,
               const std::function<void()>& action = nullptr) {
    const auto run = [this, name, action] {
      order += name;
      if (action) action();
    };
    const nn::HookOptions options{.prepend = prepend};
    if (kind == "forward_pre") {
      return net->register_forward_pre_hook([run](nn::Module&, auto&) { run(); }, options);
    }
    if (kind == "forward") {
      return net->register_forward_hook([run](nn::Module&, auto&, AnyValue&) { run(); },
                                        {.prepend = prepend});
    }
    if (kind == "backward_pre") {
      return net->register_full_backward_pre_hook([run](nn::Module&, const Gradients&) { run(); },
                                                  options);
    }
    if (kind == "backward") {
      return net->register_full_backward_hook(
          [run](nn::Module&, const Gradients&, const Gradients&) { run(); }, options);
    }
    return x.register_hook([run](const Tensor&) { run(); });
  }
  void remove(const std::string& kind, unsigned number) {
    kind == "tensor" ? x.remove_hook(number) : net->remove_hook(number);
  }
  void step() {
    order += '|';
    net(x).sum().backward();
  }

  nn::Linear net{2, 2};
  Tensor x = ones({1, 2}).requires_grad_();
  std::string order;
};

TEST(HookLists, KeepTheirOrderWhileHooksChangeThem) {
  const std::pair<const char*, const char*> cases[] = {{"forward_pre", "|abc|abcrz|pacn"},
                                                       {"forward", "|abc|abcrz|pacn"},
                                                       {"backward_pre", "|abc|abcrz|pacn"},
                                                       {"backward", "|abc|abcrz|pacn"},
                                                       {"tensor", "|bca|bcarz|canp"}};
  for (const auto& [kind_name, expected] : cases) {
    SCOPED_TRACE(kind_name);
    const std::string kind = kind_name;
    Hooked hooked;
    const unsigned b = hooked.add(kind, 'b');
    hooked.add(kind, 'c');
    hooked.add(kind, 'a', true);
    hooked.step();
    unsigned r = 0, z = 0;
    r = hooked.add(kind, 'r', false, [&] {
      for (const unsigned number : {b, r, z}) hooked.remove(kind, number);
      hooked.add(kind, 'n');
      hooked.add(kind, 'p', true);
      for (char more = 0; more < 20; ++more) hooked.remove(kind, hooked.add(kind, 'x'));
    });
    z = hooked.add(kind, 'z');
    hooked.step();
    hooked.step();
    EXPECT_EQ(hooked.order, expected);
  }
}

TEST(HookLists, OfForwardAreReadAfterForward) {
  Hooked hooked;
  unsigned pre = 0;
  const unsigned f = hooked.add("forward", 'f');
  pre = hooked.add("forward_pre", 'p', false, [&] {
    hooked.net->remove_hook(f);
    hooked.add("forward", 'g');
    hooked.net->remove_hook(pre);
  });
  hooked.net(hooked.x);
  hooked.order += '|';
  hooked.net(hooked.x);
  EXPECT_EQ(hooked.order, "pg|g");

  struct ChangingImpl : nn::Module {
    Tensor forward(const Tensor& x) {
      if (change) std::exchange(change, nullptr)();
      return x;
    }
    std::function<void()> change;
  };
  const nn::ModuleHolder<ChangingImpl> net;
  std::string order;
  const auto add = [&](char name) {
    return net->register_forward_hook(
        [&order, name](nn::Module&, auto&, AnyValue&) { order += name; });
  };
  const unsigned first = add('f');
  net->change = [&] {
    net->remove_hook(first);
    add('g');
  };
  net(ones({1}));
  net(ones({1}));
  EXPECT_EQ(order, "gg");
}

TEST(HookLists, OfHooksThatAreAlwaysCalledAreReadAfterTheError) {
  struct BrokenImpl : nn::Module {
    Tensor forward(const Tensor& x) {
      TERN_CHECK(!is_broken, Error, "broken");
      return x;
    }
    bool is_broken = true;
  };
  const nn::ModuleHolder<BrokenImpl> net;
  std::string order;
  const auto add = [&](char name, bool always_call = true) {
    return net->register_forward_hook(
        [&order, name](nn::Module&, auto&, AnyValue&) {
          order += name;
          TERN_CHECK(name != '!', Error, "hook");
        },
        {.always_call = always_call});
  };
  const unsigned a = add('a');
  const unsigned b = add('b');
  unsigned pre = 0;
  pre = net->register_forward_pre_hook([&](nn::Module&, auto&) {
    net->remove_hook(a);
    add('c');
    net->remove_hook(pre);
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(error_of([&] { net(ones({1})); }), "");
    order += '|';
  }
  EXPECT_EQ(order, "bc|bc|");
  // A hook that throws: those behind it run that are always called.
  order.clear();
  net->remove_hook(b);
  net->is_broken = false;
  add('!');
  add('d');
  add('e', false);
  EXPECT_NE(error_of([&] { net(ones({1})); }), "");
  EXPECT_EQ(order, "c!d");
}

}  // namespace
}  // namespace tern
