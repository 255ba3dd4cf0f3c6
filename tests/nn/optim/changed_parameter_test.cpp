#include "nn/nn_test.h"
#include "nn/optim/every_optimizer.h"

// Parameters and states that are not what they were at the last step.

namespace tern {
namespace {

using testing::AnyOptimizer;
using testing::every_optimizer;

TEST(ChangedParameter, OfAnotherSizeIsAnError) {
  for (const AnyOptimizer& each : every_optimizer()) {
    SCOPED_TRACE(each.name);
    for (const std::int64_t rows : {2, 300}) {
      const Tensor parameter = rand({20, 8}).requires_grad_();
      const auto optimizer = each.make({parameter});
      const auto step = [&] {
        optimizer->step([&] {
          parameter.mutable_grad() = ones_like(parameter);
          return parameter.sum();
        });
      };
      step();
      parameter.set_data(rand({rows, 8}));
      const Tensor before = parameter.detach().clone();
      const std::string text = error_of(step);
      EXPECT_TRUE(same_bits(parameter.detach(), before));
      if (!each.has_rule()) {
        EXPECT_NE(text, "");
      } else {
        EXPECT_NE(
            text.find(each.name + ": the state of size [20, 8] does not fit its parameter, which "
                                  "now has size ["),
            std::string::npos)
            << text;
      }
    }
  }
}

TEST(ChangedParameter, MayHaveItsStateInColumns) {
  const Tensor parameter = ones({2, 3}).requires_grad_(), other = ones({2, 3}).requires_grad_();
  optim::SGD optimizer({parameter}, optim::SGDOptions(0.1).momentum(0.9));
  optim::SGD expected({other}, optim::SGDOptions(0.1).momentum(0.9));
  for (int i = 0; i < 2; ++i) {
    parameter.mutable_grad() = other.mutable_grad() = arange(6).view({2, 3}).to(kFloat);
    optimizer.step();
    expected.step();
    auto& state =
        static_cast<optim::SGDParamState&>(*optimizer.state().at(parameter.unsafeGetTensorImpl()));
    state.momentum_buffer(state.momentum_buffer().t().contiguous().t());
  }
  EXPECT_TRUE(same_bits(parameter.detach(), other.detach()));
}

// The state is found by the address of the parameter, which must not become that of another one.
TEST(ChangedParameter, ThatIsAnotherTensorStartsAnew) {
  for (int i = 0; i < 20; ++i) {
    optim::Adam adam({ones({4}).requires_grad_()}, 0.1);
    Tensor& slot = adam.param_groups()[0].params()[0];
    slot.mutable_grad() = ones({4}) * 100;
    adam.step();
    if (i % 2 == 1) adam.load_state_dict(adam.state_dict());
    slot = Tensor();
    slot = ones({4}).requires_grad_();
    slot.mutable_grad() = ones({4});
    adam.step();
    EXPECT_NEAR(slot[0].item<float>(), 0.9, 1e-6);
  }
}

}  // namespace
}  // namespace tern
