#include <functional>
#include <map>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

/// A dropout layer in both forms, and the input of golden/modules/dropouts.py.
struct DropoutLayer {
  std::shared_ptr<nn::Module> plain, inplace;
  std::function<Tensor(const Tensor&)> forward, forward_inplace;
  Tensor input;
};

template <class Holder>
DropoutLayer make_dropout(IntArrayRef sizes) {
  const Holder plain(0.3), inplace(nn::DropoutOptions(0.3).inplace(true));
  const Tensor input = (arange(ones(sizes).numel(), kDouble) / 8 - 1).view(sizes);
  return {plain.ptr(), inplace.ptr(), [plain](const Tensor& x) { return plain(x); },
          [inplace](const Tensor& x) { return inplace(x); }, input};
}

std::map<std::string, DropoutLayer> dropout_layers() {
  return {{"Dropout", make_dropout<nn::Dropout>({4, 6})},
          {"Dropout1d", make_dropout<nn::Dropout1d>({3, 4, 2})},
          {"Dropout2d", make_dropout<nn::Dropout2d>({2, 5, 2, 2})},
          {"Dropout3d", make_dropout<nn::Dropout3d>({4, 2, 1, 2})},
          {"AlphaDropout", make_dropout<nn::AlphaDropout>({4, 6})},
          {"FeatureAlphaDropout", make_dropout<nn::FeatureAlphaDropout>({3, 4, 2})}};
}

TEST(Dropouts, DrawPyTorchsNumbers) {
  const auto& golden = testing::golden("modules/dropouts");
  for (const auto& [name, layer] : dropout_layers()) {
    SCOPED_TRACE(name);
    const Tensor expected = testing::golden_tensor(golden.at(name));
    const Tensor x = parameter_of(layer.input);
    manual_seed(5);
    const Tensor y = layer.forward(x);
    EXPECT_TRUE(y.allclose(expected, 1e-12, 1e-14));
    (y * layer.input).sum().backward();
    EXPECT_TRUE(
        x.grad().allclose(testing::golden_tensor(golden.at(name + " gradient")), 1e-12, 1e-14));

    manual_seed(5);
    Tensor changed = layer.input.clone();
    EXPECT_TRUE(layer.forward_inplace(changed).is_same(changed));
    EXPECT_TRUE(changed.equal(y));
    manual_seed(5);
    EXPECT_TRUE(layer.forward(layer.input.transpose(0, 1).contiguous().transpose(0, 1))
                    .allclose(expected, 1e-12, 1e-14) ||
                layer.input.dim() == 2);  // elements are drawn in the order of memory
  }
}

TEST(Dropouts, DoNothingInEvaluationAndWithoutElements) {
  for (const auto& [name, layer] : dropout_layers()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(layer.forward(layer.input.narrow(1, 0, 0)).size(1), 0);
    layer.plain->eval();
    EXPECT_TRUE(layer.forward(layer.input).equal(layer.input));
    EXPECT_EQ(printed(*layer.plain), "tern::nn::" + name + "(p=0.3, inplace=false)");
    EXPECT_EQ(printed(*layer.inplace), "tern::nn::" + name + "(p=0.3, inplace=true)");
    EXPECT_TRUE(layer.plain->state_dict().keys().empty());
    EXPECT_EQ(printed(*layer.inplace->clone()), printed(*layer.inplace));
  }
}

TEST(Dropouts, PassGradcheckOfBothOrders) {
  for (const auto& [name, layer] : dropout_layers()) {
    SCOPED_TRACE(name);
    const auto call = [&forward = layer.forward](const std::vector<Tensor>& in) {
      manual_seed(8);
      return std::vector<Tensor>{forward(in[0])};
    };
    EXPECT_TRUE(autograd::gradcheck(call, {parameter_of(layer.input)}));
    EXPECT_TRUE(autograd::gradgradcheck(call, {parameter_of(layer.input)}));
  }
}

TEST(Dropouts, RefuseOtherProbabilitiesAndShapes) {
  const std::string text = "dropout probability has to be between 0 and 1, but got ";
  EXPECT_EQ(error_of([] { nn::Dropout(1.5); }), "nn::Dropout: " + text + "1.5");
  EXPECT_EQ(error_of([] { nn::Dropout2d(-1); }), "nn::Dropout2d: " + text + "-1");
  EXPECT_EQ(error_of([] { nn::FeatureAlphaDropout(NAN); }),
            "nn::FeatureAlphaDropout: " + text + "nan");
  nn::AlphaDropout changed;
  changed->options.p(2);
  EXPECT_EQ(error_of([&] { changed(ones({2})); }),
            "alpha_dropout: " + text + "2\n  in module AlphaDropout");
  EXPECT_NE(error_of<ShapeError>([] {
              nn::Dropout1d()(ones({2}));
            }).find("dropout1d: Expected 2D or 3D input, but received a 1D input"),
            std::string::npos);
  EXPECT_NE(error_of<ShapeError>([] {
              nn::FeatureAlphaDropout()(ones({2}));
            }).find("Feature dropout requires at least 2 dimensions in the input"),
            std::string::npos);
  EXPECT_TRUE(nn::Dropout(1)(ones({3})).equal(zeros({3})));
  EXPECT_TRUE(nn::Dropout(0)(ones({3})).equal(ones({3})));
  EXPECT_FALSE((std::is_constructible_v<nn::DropoutOptions, bool>));
  EXPECT_FALSE((std::is_constructible_v<nn::DropoutImpl, bool>));
}

}  // namespace
}  // namespace tern
