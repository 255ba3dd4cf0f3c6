#include "nn/nn_test.h"

// A member of a library module to which another tensor than the registered one was assigned.

namespace tern {
namespace {

TEST(Member, AnAssignedParameterIsNoticed) {
  const nn::Sequential net{nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1)};
  nn::LinearImpl& first = net->at<nn::LinearImpl>(0);
  const Tensor registered = first.weight;
  first.weight = ones({3, 2});
  const std::string text = error_of([&] { net(ones({1, 2})); });
  EXPECT_TRUE(text.starts_with(
      "tern::nn::LinearImpl: the member 'weight' was assigned a Float tensor of size [3, 2], "
      "but the registered parameter is another tensor, a Float tensor of size [3, 2]. The module "
      "would compute with the assigned tensor, but train and save the registered tensor. To "
      "change the elements, use copy_() under NoGradGuard; to change the tensor, use set_data() "
      "or replace_parameter(\"weight\", tensor)"))
      << text;
  const std::string rule = "the member 'weight' was assigned";
  const auto noticed = [&](const auto& call) {
    return error_of(call).find(rule) != std::string::npos;
  };
  EXPECT_TRUE(noticed([&] { net->parameters(); }));
  EXPECT_TRUE(noticed([&] { net->named_parameters(); }));
  EXPECT_TRUE(noticed([&] { net->state_dict(); }));
  EXPECT_TRUE(noticed([&] { net->load_state_dict(State()); }));
  EXPECT_TRUE(noticed([&] { net->to(kDouble); }));
  EXPECT_TRUE(noticed([&] { nn::AnyModule(net->ptr<nn::LinearImpl>(0)).forward(ones({1, 2})); }));
  first.weight = registered;
  EXPECT_EQ(net->parameters().size(), 4u);
  first.weight = Tensor();
  EXPECT_TRUE(noticed([&] { net->parameters(); }));
}

TEST(Member, BuffersAndAbsentOnesAreNoticed) {
  const nn::BatchNorm1d norm(3);
  norm->running_mean = zeros({3});
  EXPECT_NE(error_of([&] { norm->buffers(); }).find("replace_buffer(\"running_mean\", tensor)"),
            std::string::npos);
  const nn::Linear fc(nn::LinearOptions(2, 2).bias(false));
  fc->bias = zeros({2});
  EXPECT_NE(error_of([&] { fc->state_dict(); }).find("another tensor, an undefined tensor"),
            std::string::npos);
}

TEST(Member, TheCuresWork) {
  const nn::Linear encoder(2, 2), decoder(2, 2);
  {
    const NoGradGuard no_grad;
    encoder->weight.copy_(ones({2, 2}));
  }
  encoder->bias.set_data(zeros({2}));
  decoder->replace_parameter("weight", encoder->weight);  // tied
  EXPECT_TRUE(decoder->weight.is_same(encoder->weight));
  EXPECT_TRUE(decoder->parameters()[0].is_same(encoder->weight));
  EXPECT_TRUE(decoder->weight.requires_grad());
  decoder(encoder(ones({1, 2}))).sum().backward();
  EXPECT_TRUE(same_bits(encoder->weight.grad(), decoder->weight.grad()));
  EXPECT_EQ(error_of<IndexError>([&] { decoder->replace_parameter("gain", ones({1})); }),
            "Parameter 'gain' is not defined");
  const nn::BatchNorm1d norm(3);
  norm->replace_buffer("running_mean", full({3}, 2.0));
  EXPECT_EQ(norm->buffers()[0][0].item<float>(), 2);
  EXPECT_EQ(norm->running_mean[0].item<float>(), 2);
}

TEST(Member, StaysBoundThroughWhatTheLibraryDoes) {
  const nn::Sequential net{nn::Linear(2, 3), nn::BatchNorm1d(3)};
  net.to(kDouble).to("cuda:1").cpu();
  net.load_state_dict(copy_of(net.state_dict()), {.assign = true});
  EXPECT_EQ(net.clone()->parameters().size(), 4u);
  const nn::Sequential copy = net.clone();
  copy->at<nn::LinearImpl>(0).weight = ones({3, 2});
  EXPECT_NE(error_of([&] { copy->parameters(); }), "");
  EXPECT_EQ(net->parameters().size(), 4u);
  // A copy of the object shares the registered tensors; nothing is bound to its members.
  nn::LinearImpl object = net->at<nn::LinearImpl>(0);
  object.weight = ones({3, 2});
  EXPECT_EQ(object.parameters().size(), 2u);
}

}  // namespace
}  // namespace tern
