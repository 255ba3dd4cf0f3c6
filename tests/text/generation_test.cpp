#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include <tern/text/text.h>

#include "error_of.h"
#include "small_models.h"

namespace tern::text {
namespace {

using Tokens = std::vector<std::int64_t>;

Tokens tokens_of(const Tensor& sequences, std::int64_t row = 0) {
  const Tensor one = sequences[row].contiguous();
  const auto* token = one.data_ptr<std::int64_t>();
  return {token, token + one.numel()};
}

TinyModel tiny(std::int64_t vocab = 11) {
  manual_seed(3);
  return TinyModel(vocab);
}

/// Continues without a cache: reads all tokens anew for each one.
Tokens best_tokens(TinyModel& model, Tokens tokens, int count, std::size_t window = 1000) {
  const NoGradGuard no_grad;
  model->eval();
  std::size_t begin = 0;
  for (int i = 0; i < count; ++i) {
    if (tokens.size() - begin > window) begin = tokens.size() - window / 2;
    const Tokens read(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.end());
    const Tensor logits = model->forward(tensor(read).unsqueeze(0));
    tokens.push_back(logits[0][-1].argmax().item<std::int64_t>());
  }
  return tokens;
}

TEST(Generation, ReadsEachTokenOnce) {
  TinyModel model = tiny();
  const Tensor prompt = tensor(Tokens{1, 2, 3}).unsqueeze(0);
  const Generation written = generate(*model, prompt, {.max_new_tokens = 10});
  const Tokens wanted = best_tokens(model, {1, 2, 3}, 10);
  EXPECT_EQ(tokens_of(written.sequences), wanted);
  EXPECT_GT(std::ranges::count_if(wanted, [&](auto t) { return t != wanted.back(); }), 3);
  EXPECT_EQ(written.lengths, (Tokens{10}));
  EXPECT_EQ(written.end_reasons.front(), EndReason::kMaxNewTokens);
  EXPECT_GT(written.seconds_to_first_token, 0);
  EXPECT_GT(written.tokens_per_second, 0);
  EXPECT_TRUE(written.scores.empty());
}

TEST(Generation, PaddingAtTheLeftChangesNothing) {
  TinyModel model = tiny();
  const Tensor prompts = tensor(Tokens{0, 0, 4, 1, 2, 3, 0, 9, 5}).view({3, 3});
  GenerationOptions options;
  options.max_new_tokens = 8;
  options.attention_mask = tensor(Tokens{0, 0, 1, 1, 1, 1, 0, 1, 1}).view({3, 3}).to(kBool);
  const Generation written = generate(*model, prompts, options);
  const std::vector<Tokens> alone = {{4}, {1, 2, 3}, {9, 5}};
  for (std::int64_t b = 0; b < 3; ++b) {
    const Tokens& prompt = alone[static_cast<std::size_t>(b)];
    const Tokens row = tokens_of(written.sequences, b);
    EXPECT_EQ(Tokens(row.end() - 8 - std::ssize(prompt), row.end()), best_tokens(model, prompt, 8));
  }
  // A mask without padding is as none.
  ScriptedModel scripted(zeros({1, 1, 4}));
  generate(scripted, tensor(Tokens{1, 2}).unsqueeze(0),
           {.max_new_tokens = 1, .attention_mask = ones({1, 2}).to(kBool)});
  EXPECT_FALSE(scripted.masks.front().defined());
}

TEST(Generation, WindowReadsTheNewerHalfAgain) {
  for (const std::int64_t window : {2, 3, 6, 9}) {
    TinyModel model = tiny();
    GenerationOptions options;
    options.max_new_tokens = 50;  // more than the context of 32
    options.sliding_window = window;
    const Generation written = generate(*model, tensor(Tokens{1, 2}).unsqueeze(0), options);
    EXPECT_EQ(tokens_of(written.sequences),
              best_tokens(model, {1, 2}, 50, static_cast<std::size_t>(window)));
  }
  // Of a prompt that is longer than the window, the end is read.
  ScriptedModel scripted(zeros({2, 2, 8}));
  GenerationOptions options;
  options.max_new_tokens = 2;
  options.sliding_window = 4;
  options.attention_mask =
      tensor(Tokens{1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1}).view({2, 6}).to(kBool);
  generate(scripted, tensor(Tokens{1, 2, 3, 4, 5, 6, 7, 7, 7, 4, 5, 6}).view({2, 6}), options);
  EXPECT_EQ(tokens_of(scripted.inputs[0], 1), (Tokens{7, 4, 5, 6}));
  EXPECT_EQ(tokens_of(scripted.masks[0].to(kLong), 1), (Tokens{0, 1, 1, 1}));
  EXPECT_EQ(tokens_of(scripted.inputs[1], 1), (Tokens{6, 0}));
  EXPECT_FALSE(scripted.masks[1].defined());
}

TEST(Generation, BeamsFindTheBestSequenceOfAll) {
  // As many beams as there are sequences of the second step: the search is complete.
  constexpr std::int64_t kVocab = 4;
  TinyModel model = tiny(kVocab);
  const Tokens prompt = {1, 2};
  double best = -1e9;
  Tokens wanted;
  model->eval();
  for (std::int64_t code = 0; code < kVocab * kVocab * kVocab; ++code) {
    const NoGradGuard no_grad;
    Tokens tokens = prompt;
    for (std::int64_t rest = code; tokens.size() < 5; rest /= kVocab) {
      tokens.push_back(rest % kVocab);
    }
    const Tensor logs = model->forward(tensor(tokens).unsqueeze(0))[0].log_softmax(-1);
    double score = 0;
    for (std::int64_t i = 2; i < 5; ++i) {
      score += logs[i - 1][tokens[static_cast<std::size_t>(i)]].item<double>();
    }
    if (score > best) {
      best = score;
      wanted = tokens;
    }
  }
  const Generation written =
      generate(*model, tensor(prompt).unsqueeze(0), {.max_new_tokens = 3, .num_beams = kVocab});
  EXPECT_EQ(tokens_of(written.sequences), wanted);
  EXPECT_NEAR(written.scores.front(), best / 3, 1e-5);
}

TEST(Generation, BeamsOfABatchAreThoseOfEachSample) {
  TinyModel model = tiny();
  GenerationOptions options;
  options.max_new_tokens = 9;
  options.num_beams = 3;
  options.eos_token_ids = {7, 2};
  options.pad_token_id = 0;
  const auto alone = [&](const Tokens& prompt) {
    const Generation written = generate(*model, tensor(prompt).unsqueeze(0), options);
    return std::pair(written.scores.front(), written.lengths.front());
  };
  const auto first = alone({4}), second = alone({1, 5, 3});
  options.attention_mask = tensor(Tokens{0, 0, 1, 1, 1, 1}).view({2, 3}).to(kBool);
  const Generation both = generate(*model, tensor(Tokens{0, 0, 4, 1, 5, 3}).view({2, 3}), options);
  EXPECT_NEAR(both.scores[0], first.first, 1e-5);
  EXPECT_NEAR(both.scores[1], second.first, 1e-5);
  EXPECT_EQ(both.lengths, (Tokens{first.second, second.second}));
}

TEST(Generation, EndsForManyReasons) {
  // The best tokens: 1 2, then 3 4, then 5 6.
  Tensor logits = zeros({3, 2, 8});
  for (std::int64_t i = 0; i < 6; ++i) logits[i / 2][i % 2][i + 1].fill_(1);
  const Tensor prompt = zeros({2, 1}, TensorOptions(kLong));
  ScriptedModel eos(logits);
  const Generation ended =
      generate(eos, prompt, {.max_new_tokens = 3, .eos_token_ids = {2, 5}, .pad_token_id = 7});
  EXPECT_EQ(tokens_of(ended.sequences, 0), (Tokens{0, 1, 3, 5}));
  EXPECT_EQ(tokens_of(ended.sequences, 1), (Tokens{0, 2, 7, 7}));
  EXPECT_EQ(ended.lengths, (Tokens{3, 1}));
  EXPECT_EQ(ended.end_reasons,
            (std::vector<EndReason>{EndReason::kEndToken, EndReason::kEndToken}));

  ScriptedModel all_ended(logits);
  const Generation first =
      generate(all_ended, prompt, {.max_new_tokens = 3, .eos_token_ids = {1, 2}});
  EXPECT_EQ(first.sequences.size(1), 2);
  EXPECT_EQ(all_ended.inputs.size(), 1u);
  EXPECT_EQ(first.tokens_per_second, 0);

  ScriptedModel stopped(logits);
  std::vector<Tokens> seen;
  GenerationOptions options;
  options.max_new_tokens = 3;
  options.eos_token_ids = {2};
  options.pad_token_id = 6;
  options.on_tokens = [&](ArrayRef<std::int64_t> tokens) {
    seen.emplace_back(tokens.begin(), tokens.end());
    return seen.size() < 2;
  };
  const Generation cut = generate(stopped, prompt, options);
  EXPECT_EQ(seen, (std::vector<Tokens>{{1, 2}, {3, 6}}));
  EXPECT_EQ(cut.end_reasons, (std::vector<EndReason>{EndReason::kCallback, EndReason::kEndToken}));
  EXPECT_EQ(cut.lengths, (Tokens{2, 1}));
}

TEST(Generation, PutsTheModesBack) {
  TinyModel model = tiny();
  model->head->eval();
  const Tensor prompt = tensor(Tokens{1}).unsqueeze(0);
  const auto expect_modes = [&] {
    EXPECT_TRUE(model->is_training());
    EXPECT_TRUE(model->dropout->is_training());
    EXPECT_FALSE(model->head->is_training());
    EXPECT_TRUE(GradMode::is_enabled());
  };
  const Generation one = generate(*model, prompt), two = generate(*model, prompt);
  EXPECT_TRUE(equal(one.sequences, two.sequences));  // without dropout
  expect_modes();
  GenerationOptions options;
  options.on_tokens = [](ArrayRef<std::int64_t>) -> bool { throw std::runtime_error("enough"); };
  EXPECT_THROW(generate(*model, prompt, options), std::runtime_error);
  expect_modes();
  ScriptedModel scripted(zeros({1, 1, 4}));
  generate(scripted, prompt, {.max_new_tokens = 1});
  EXPECT_FALSE(scripted.is_training_seen);
  EXPECT_FALSE(scripted.records_gradients);
  EXPECT_TRUE(scripted.is_training());
}

TEST(Generation, DrawsAreThoseOfTheSeed) {
  manual_seed(1);
  const Tensor logits = randn({8, 1, 30});
  const Tensor prompt = tensor(Tokens{1}).unsqueeze(0);
  GenerationOptions options;
  options.max_new_tokens = 8;
  options.do_sample = true;
  const auto draw = [&] {
    ScriptedModel model(logits);
    return tokens_of(generate(model, prompt, options).sequences);
  };
  options.seed = 5;
  const Tokens first = draw();
  EXPECT_EQ(draw(), first);
  options.seed = 6;
  EXPECT_NE(draw(), first);
  options.seed = std::nullopt;
  manual_seed(5);
  EXPECT_EQ(draw(), first);
  EXPECT_NE(draw(), first);
  options.generator = Generator();
  options.generator->manual_seed(5);
  EXPECT_EQ(draw(), first);
  EXPECT_NE(draw(), first);
  // The draws are multinomial()'s.
  manual_seed(5);
  Tokens wanted = {1};
  for (std::int64_t i = 0; i < 8; ++i) {
    wanted.push_back(multinomial(logits[i].softmax(-1), 1).item<std::int64_t>());
  }
  EXPECT_EQ(first, wanted);
}

TEST(Generation, RefusesOptions) {
  TinyModel model = tiny();
  const Tensor prompt = tensor(Tokens{1, 2, 3}).unsqueeze(0);
  const auto text = [&](auto&& change, auto kind) {
    GenerationOptions options;
    change(options);
    return error_of<decltype(kind)>([&] { generate(*model, prompt, options); });
  };
  const Error any("");
  EXPECT_EQ(text([](auto& o) { o.temperature = 0; }, any),
            "text::generate: temperature must be a finite number above 0, got 0");
  EXPECT_EQ(text([](auto& o) { o.top_k = -1; }, any),
            "text::generate: top_k must be at least 1, or 0 for all tokens, got -1");
  EXPECT_EQ(text([](auto& o) { o.top_p = 1.5; }, any),
            "text::generate: top_p must be from 0 to 1, got 1.5");
  EXPECT_EQ(text([](auto& o) { o.min_p = -0.5; }, any),
            "text::generate: min_p must be from 0 to 1, got -0.5");
  EXPECT_EQ(text([](auto& o) { o.repetition_penalty = 0; }, any),
            "text::generate: repetition_penalty must be a finite number above 0, got 0");
  EXPECT_EQ(text([](auto& o) { o.max_new_tokens = 0; }, any),
            "text::generate: max_new_tokens must be at least 1, got 0");
  EXPECT_EQ(text([](auto& o) { o.num_beams = 0; }, any),
            "text::generate: num_beams must be at least 1, got 0");
  EXPECT_EQ(text([](auto& o) { o.num_beams = 12; }, any),
            "text::generate: num_beams must not exceed the 11 tokens of the model, got 12");
  EXPECT_EQ(text([](auto& o) { o.sliding_window = 33; }, any),
            "text::generate: sliding_window must be from 2 to the model's context of 32 tokens, "
            "got 33");
  EXPECT_EQ(text([](auto& o) { o.stop_strings = {"x"}; }, any),
            "text::generate: stop_strings need a tokenizer: call generate_text()");
  EXPECT_EQ(text([](auto& o) { o.eos_token_ids = {11}; }, IndexError("")),
            "text::generate: token of eos_token_ids 11 is out of range for a model with 11 tokens");
  EXPECT_EQ(text([](auto& o) { o.pad_token_id = -1; }, IndexError("")),
            "text::generate: pad_token_id -1 is out of range for a model with 11 tokens");
  EXPECT_EQ(text(
                [](auto& o) {
                  o.num_beams = 2;
                  o.do_sample = true;
                },
                NotImplementedError("")),
            "text::generate: beam search (num_beams 2) cannot be combined with do_sample");
  EXPECT_EQ(text(
                [](auto& o) {
                  o.seed = 4;
                  o.generator = Generator();
                },
                any),
            "text::generate: seed 4 and a generator exclude each other");
}

TEST(Generation, RefusesPrompts) {
  TinyModel model = tiny();
  const auto text = [&](const Tensor& prompt, auto kind, const GenerationOptions& options = {}) {
    return error_of<decltype(kind)>([&] { generate(*model, prompt, options); });
  };
  const Tensor prompt = tensor(Tokens{1, 2, 3}).unsqueeze(0);
  EXPECT_EQ(text(Tensor(), Error("")), "text::generate: input_ids is undefined");
  EXPECT_EQ(text(prompt.to(kInt), DTypeError("")),
            "text::generate: input_ids must be Long, got Int");
  EXPECT_EQ(text(prompt[0], ShapeError("")),
            "text::generate: input_ids must be [samples, tokens] with at least one token, got "
            "sizes [3]");
  EXPECT_EQ(text(prompt.narrow(1, 0, 0), ShapeError("")),
            "text::generate: input_ids must be [samples, tokens] with at least one token, got "
            "sizes [1, 0]");
  EXPECT_EQ(text(tensor(Tokens{1, 11}).unsqueeze(0), IndexError("")),
            "text::generate: token of input_ids 11 is out of range for a model with 11 tokens");
  EXPECT_EQ(text(ones({1, 33}).to(kLong), ShapeError("")),
            "text::generate: the prompt has 33 tokens, but the model's context has 32");
  EXPECT_EQ(text(prompt, ShapeError(""), {.max_new_tokens = 30}),
            "text::generate: a prompt of 3 tokens and max_new_tokens 30 exceed the model's "
            "context of 32 tokens; sliding_window goes on");
  EXPECT_EQ(text(prompt, DTypeError(""), {.attention_mask = prompt}),
            "text::generate: attention_mask must be Bool, false for padding, got Long");
  EXPECT_EQ(text(prompt, ShapeError(""), {.attention_mask = ones({1, 2}).to(kBool)}),
            "text::generate: attention_mask must have the sizes of input_ids, got [1, 2] and "
            "[1, 3]");
  for (const Tokens& mask : {Tokens{1, 0, 1}, Tokens{1, 1, 0}, Tokens{0, 0, 0}}) {
    const std::string said =
        text(prompt, Error(""), {.attention_mask = tensor(mask).unsqueeze(0).to(kBool)});
    EXPECT_NE(said.find("padding must be at the left"), std::string::npos) << said;
  }
}

TEST(Generation, RefusesLogitsThatAreNoNumbers) {
  const Tensor prompt = tensor(Tokens{1}).unsqueeze(0);
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Tensor logits = zeros({1, 1, 100});
    logits[0][0][70].fill_(value);
    for (const bool do_sample : {false, true}) {
      ScriptedModel model(logits);
      EXPECT_EQ(error_of([&] { generate(model, prompt, {.do_sample = do_sample}); }),
                std::string("text::generate: the model's logits of sample 0 must be numbers, but "
                            "one is ") +
                    (value != value ? "nan" : "inf"));
    }
    ScriptedModel model(logits);
    EXPECT_THROW(generate(model, prompt, {.num_beams = 2}), Error);
  }
  ScriptedModel wrong(zeros({1, 2, 5}));
  EXPECT_EQ(error_of<ShapeError>([&] { generate(wrong, prompt); }),
            "text::generate: next_token_logits must return sizes [1, 5], got [2, 5]");
}

TEST(Generation, TakesTheFirstOfEqualTokens) {
  Tensor logits = zeros({1, 1, 90});
  for (const std::int64_t token : {33, 34, 71, 89}) logits[0][0][token].fill_(2);
  ScriptedModel model(logits);
  const Generation written = generate(model, tensor(Tokens{1}).unsqueeze(0), {.max_new_tokens = 1});
  EXPECT_EQ(tokens_of(written.sequences), (Tokens{1, 33}));
}

}  // namespace
}  // namespace tern::text
