#include "nn/models/language.h"

namespace tern {
namespace {

using testing::bert;
using testing::check_recorded;
using testing::first_line;
using testing::language_ids;
using testing::language_numbers;

struct Input {
  Tensor ids, mask, types;
};

/// The padded samples of language.py.
Input padded_input() {
  Input input{language_ids(9), ones({2, 9}, kLong), zeros({2, 9}, kLong)};
  input.ids.select(0, 1).narrow(0, 6, 3).fill_(0);
  input.mask.select(0, 1).narrow(0, 6, 3).fill_(0);
  input.types.narrow(1, 4, 5).fill_(1);
  return input;
}

void check_outputs(models::Bert net, double tolerance) {
  const NoGradGuard no_grad;
  const auto [plain, plain_pooled] = net(language_ids(9));
  check_recorded(language_numbers("bert plain"), plain.slice(1, 0, 9, 4), tolerance);
  EXPECT_EQ(plain_pooled.sizes(), IntArrayRef({2, 12}));
  std::vector<Tensor> states;
  for (const auto& layer : net->encoder->at<nn::ModuleList>("layer")) {
    layer->register_forward_hook(
        [&](nn::Module&, const std::vector<nn::AnyValue>&, nn::AnyValue& output) {
          states.push_back(output.get<Tensor>());
        });
  }
  const Input input = padded_input();
  const auto [hidden, pooled] = net(input.ids, input.mask, input.types);
  ASSERT_EQ(states.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    check_recorded(language_numbers("bert hidden").at(i + 1),
                   states[i].narrow(0, 0, 1).slice(1, 0, 9, 4), tolerance);
  }
  check_recorded(language_numbers("bert padded"), hidden.select(0, 1).slice(0, 0, 6, 2), tolerance);
  check_recorded(language_numbers("bert pooled"), pooled, tolerance);
}

TEST(BertTest, ComputesWhatTransformersDoes) {
  check_outputs(bert(), 1e-6);
  check_outputs(bert(kFloat), 1e-5);
}

TEST(BertTest, HasTheGradientsOfTransformers) {
  auto net = bert();
  net->train();
  const Input input = padded_input();
  const auto [hidden, pooled] = net(input.ids, input.mask, input.types);
  const Tensor loss = hidden.select(0, 0).square().sum() +
                      hidden.select(0, 1).narrow(0, 0, 6).sin().sum() + pooled.sum();
  EXPECT_NEAR(loss.item<double>(), language_numbers("bert loss").get<double>(), 1e-6);
  loss.backward();
  testing::check_gradients("bert gradients", *net);
}

TEST(BertTest, DoesNotSeePadding) {
  auto net = bert();
  const NoGradGuard no_grad;
  const Input input = padded_input();
  const Tensor hidden = std::get<0>(net(input.ids, input.mask.to(kBool)));
  const Tensor alone = std::get<0>(net(input.ids.narrow(0, 1, 1).narrow(1, 0, 6)));
  EXPECT_TRUE(close(hidden.narrow(0, 1, 1).narrow(1, 0, 6), alone, 1e-12));
}

TEST(BertTest, LoadsFilesOfTasksAndOldFiles) {
  const NoGradGuard no_grad;
  const State state = load_state(testing::language_folder("bert"));
  State task;
  for (const auto& [key, value] : state) {
    std::string old = "bert." + key;
    const auto norm = old.find("LayerNorm.");
    if (norm != old.npos)
      old.replace(norm + 10, old.npos, key.ends_with("weight") ? "gamma" : "beta");
    task.insert(old, value);
  }
  task.insert("bert.embeddings.position_ids", arange(32).unsqueeze(0));
  task.insert("cls.predictions.bias", zeros({61}));
  auto net = bert(kFloat);
  models::Bert other(net->options);
  other->eval();
  other->load_state_dict(task);
  EXPECT_TRUE(same_bits(std::get<0>(other(language_ids(9))), std::get<0>(net(language_ids(9)))));
  task.insert("bert.encoder.other", zeros({1}));
  EXPECT_NE(error_of([&] { other->load_state_dict(task); }).find("\"encoder.other\""),
            std::string::npos);
}

TEST(BertTest, CanLackThePooler) {
  models::Bert net(
      models::BertOptions::from_config(testing::config_of("bert")).add_pooling_layer(false));
  State state = load_state(testing::language_folder("bert"));
  state.erase("pooler.dense.weight");
  state.erase("pooler.dense.bias");
  net->load_state_dict(state);
  EXPECT_FALSE(std::get<1>(net(language_ids(9))).defined());
}

TEST(BertTest, NamesWrongInput) {
  auto net = bert();
  const Tensor ids = language_ids(9);
  EXPECT_EQ(first_line(error_of<ShapeError>([&] {
              net(ones({1, 33}, kLong));
            })),
            "models::Bert: 33 rows exceed max_position_embeddings=32");
  EXPECT_EQ(first_line(error_of<ShapeError>([&] {
              net(ids, ones({2, 8}, kBool));
            })),
            "models::Bert: expected an attention_mask of sizes [2, 9], a column for each row in "
            "the cache and of input_ids, got [2, 8]");
  EXPECT_EQ(first_line(error_of<ShapeError>([&] { net(ids, Tensor(), ids.narrow(0, 0, 1)); })),
            "models::Bert: expected token_type_ids of the sizes of input_ids, [2, 9], got [1, 9]");
  EXPECT_NE(error_of<IndexError>([&] { net(ids, Tensor(), ids); }).find("range"),
            std::string::npos);
}

TEST(BertTest, CanBeClonedAndMoved) {
  auto net = bert();
  const NoGradGuard no_grad;
  const Input input = padded_input();
  const Tensor hidden = std::get<0>(net(input.ids, input.mask, input.types));
  models::Bert copy(std::dynamic_pointer_cast<models::BertImpl>(net->clone()));
  for (const Tensor& parameter : net->parameters()) parameter.fill_(0);
  EXPECT_TRUE(same_bits(std::get<0>(copy(input.ids, input.mask, input.types)), hidden));
  const Device device("cuda:1");
  copy->to(device);
  const auto [moved, pooled] =
      copy(input.ids.to(device), input.mask.to(device), input.types.to(device));
  EXPECT_TRUE(close(moved, hidden, 1e-9));
  EXPECT_EQ(pooled.device(), device);
}

}  // namespace
}  // namespace tern
