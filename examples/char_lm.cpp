// Learns to write text, one character after the other, and writes some.
//
//   char_lm                      learns a part of the licence of tern, which the program contains
//   char_lm --data FILE          learns another text, such as Tiny Shakespeare (1 MB)
//   char_lm --model transformer  a Transformer instead of an LSTM
//   mpirun -np 2 char_lm --distributed    two processes, each with half of every batch
//
//   [--steps 200] [--batch-size 32] [--length 64] [--width 128] [--layers 2] [--lr 0.003]
//   [--write 300] [--prompt TEXT] [--seed 1] [--device cpu|cuda|cuda:N] [--disable-cuda]
//   [--distributed] [--save FILE]
//
// Expected with the defaults: a loss below 0.3, and parts of the licence. The model learns so short
// a text by heart, so the loss of the part that it has not seen is above 3. With Tiny Shakespeare
// and --steps 2000 the validation loss is below 1.65 nats per character with the LSTM and below 1.7
// with the Transformer, as in PyTorch (benchmarks/peers/char_lm.py).

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "support/alphabet.h"
#include "support/command_line.h"
#include "support/licence.h"

namespace {

namespace nn = tern::nn;
using tern::Tensor;

struct Arguments {
  std::string data, model = "lstm", prompt, save;
  int steps = 200;
  std::int64_t batch_size = 32, length = 64, width = 128, layers = 2, write = 300;
  double lr = 0.003;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  bool distributed = false;
};

/// A model that returns, for each character, scores of the character that follows.
struct ModelImpl : nn::Module {
  /// Shape: characters int64 [N, length] -> [N, length, size of the alphabet]
  virtual Tensor forward(const Tensor& characters) = 0;
};

struct LstmModelImpl : ModelImpl {
  LstmModelImpl(std::int64_t letters, const Arguments& a)
      : embedding(register_module("embedding", nn::Embedding(letters, a.width))),
        lstm(register_module(
            "lstm",
            nn::LSTM(nn::LSTMOptions(a.width, a.width).num_layers(a.layers).batch_first(true)))),
        head(register_module("head", nn::Linear(a.width, letters))) {}

  Tensor forward(const Tensor& characters) override {
    const auto [output, state] = lstm(embedding(characters));
    return head(output);
  }

  nn::Embedding embedding;
  nn::LSTM lstm;
  nn::Linear head;
};

struct TransformerModelImpl : ModelImpl {
  TransformerModelImpl(std::int64_t letters, const Arguments& a)
      : embedding(register_module("embedding", nn::Embedding(letters, a.width))),
        positions(register_module("positions", nn::Embedding(a.length, a.width))),
        encoder(register_module(
            "encoder",
            nn::TransformerEncoder(
                nn::TransformerEncoderOptions(nn::TransformerEncoderLayerOptions(a.width, 4)
                                                  .dim_feedforward(4 * a.width)
                                                  .dropout(0)
                                                  .activation(tern::kGELU)
                                                  .batch_first(true)
                                                  .norm_first(true),
                                              a.layers)
                    .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({a.width}))))))),
        head(register_module("head", nn::Linear(a.width, letters))) {}

  Tensor forward(const Tensor& characters) override {
    const std::int64_t length = characters.size(1);
    const Tensor position = tern::arange(length, characters.device());
    const Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(
        length, tern::TensorOptions(characters.device()));
    const Tensor x = embedding(characters) + positions(position);
    return head(encoder(x, mask, Tensor(), /*is_causal=*/true));
  }

  nn::Embedding embedding, positions;
  nn::TransformerEncoder encoder;
  nn::Linear head;
};

std::string read_text(const std::string& path) {
  if (path.empty()) return support::kLicence;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read the text '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the mean of -log(probability) of the characters that follow, over windows [N, length+1].
Tensor loss_of(ModelImpl& model, const Tensor& windows) {
  const std::int64_t length = windows.size(1) - 1;
  const Tensor scores = model.forward(windows.narrow(1, 0, length));
  return nn::functional::cross_entropy(scores.flatten(0, 1),
                                       windows.narrow(1, 1, length).flatten());
}

/// Returns the loss of all of a text, in windows of length + 1 that touch.
double validation_loss(ModelImpl& model, const Tensor& text, std::int64_t length) {
  const tern::NoGradGuard no_grad;
  const Tensor windows = text.unfold(0, length + 1, length);
  double total = 0;
  for (const Tensor& batch : windows.split(64)) {
    total += loss_of(model, batch).item<double>() * static_cast<double>(batch.size(0));
  }
  return total / static_cast<double>(windows.size(0));
}

/// Prints characters that the model draws, each from the last `length` ones.
void write(ModelImpl& model, const support::Alphabet& alphabet, const Arguments& a) {
  const tern::NoGradGuard no_grad;
  std::string text = a.prompt.empty() ? std::string(1, alphabet.letter(0)) : a.prompt;
  Tensor characters = alphabet.encode(text, "--prompt").unsqueeze(0).to(a.device);
  for (std::int64_t i = 0; i < a.write; ++i) {
    const std::int64_t seen = std::min(characters.size(1), a.length);
    const Tensor window = characters.narrow(1, characters.size(1) - seen, seen);
    const Tensor scores = model.forward(window).select(1, seen - 1);
    const Tensor next = tern::softmax(scores / 0.8, -1).multinomial(1);
    text += alphabet.letter(next.item<std::int64_t>());
    characters = tern::cat({characters, next}, 1);
  }
  std::printf("%s\n", text.c_str());
}

void run(const Arguments& a) {
  tern::distributed::ProcessGroup group;
  if (a.distributed) group = tern::distributed::init_process_group();
  TERN_CHECK(a.batch_size % group.size() == 0, tern::Error, "--batch-size ", a.batch_size,
             " cannot be divided among ", group.size(), " processes");
  const bool is_first = group.rank() == 0;
  const std::string text = read_text(a.data);
  const support::Alphabet alphabet(text);
  const Tensor all = alphabet.encode(text, "the text").to(a.device);
  const std::int64_t training = all.numel() * 9 / 10;
  if (training <= a.length || all.numel() - training <= a.length) {
    throw std::runtime_error("the text has " + std::to_string(text.size()) +
                             " characters, too few for --length " + std::to_string(a.length) +
                             ": each of its parts, 9/10 for training and 1/10 for validation, "
                             "must be longer");
  }
  const Tensor seen = all.narrow(0, 0, training),
               unseen = all.narrow(0, training, all.numel() - training);

  tern::manual_seed(a.seed);
  std::shared_ptr<ModelImpl> model;
  if (a.model == "lstm") {
    model = std::make_shared<LstmModelImpl>(alphabet.size(), a);
  } else {
    model = std::make_shared<TransformerModelImpl>(alphabet.size(), a);
  }
  model->to(a.device);
  nn::parallel::DistributedDataParallelImpl<ModelImpl> averaged(
      model, nn::parallel::DistributedDataParallelOptions().process_group(group));
  tern::optim::AdamW optimizer(model->parameters(), tern::optim::AdamWOptions(a.lr));
  const Tensor window = tern::arange(a.length + 1);
  const auto start_time = std::chrono::steady_clock::now();
  for (int step = 1; step <= a.steps; ++step) {
    const Tensor starts = tern::randint(training - a.length, {a.batch_size, 1});
    const Tensor start = starts.chunk(group.size())[static_cast<std::size_t>(group.rank())];
    const Tensor loss = loss_of(*model, seen.index({(start + window).to(a.device)}));
    optimizer.zero_grad();
    loss.backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
    if (step % 100 != 0 && step != a.steps) continue;
    const Tensor mean = loss.detach();
    group.all_reduce(mean, tern::distributed::ReduceOp::kMean);
    if (!is_first) continue;
    std::printf("step %d: loss %.4f\n", step, mean.item<double>());
    std::fflush(stdout);
  }
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start_time;
  if (!is_first) return;
  std::printf("%.2f ms a step\n", time.count() / a.steps);
  model->eval();
  std::printf("validation loss %.4f\n\n", validation_loss(*model, unseen, a.length));
  write(*model, alphabet, a);
  if (!a.save.empty()) tern::save(*model, a.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  support::CommandLine line("Learns to write text, one character after the other.", "char_lm");
  const support::Check count = support::whole(1, 1 << 20);
  line.option("--data", a.data, "file with the text; a part of tern's licence without");
  line.option("--model", a.model, "lstm or transformer; lstm unless said")
      .check(support::one_of({"lstm", "transformer"}));
  line.option("--steps", a.steps, "200 unless said").check(count);
  line.option("--batch-size", a.batch_size, "32 unless said").check(count);
  line.option("--length", a.length, "characters that the model sees, 64 unless said").check(count);
  line.option("--width", a.width, "size of a layer, a multiple of 4; 128 unless said").check(count);
  line.option("--layers", a.layers, "2 unless said").check(count);
  line.option("--lr", a.lr, "learning rate, 0.003 unless said").check(support::positive());
  line.option("--write", a.write, "characters to write, 300 unless said").check(support::whole(0));
  line.option("--prompt", a.prompt, "text to begin with");
  line.option("--seed", a.seed, "1 unless said");
  line.device(a.device);
  line.flag("--distributed", a.distributed, "train with the processes that mpirun has started");
  line.option("--save", a.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(a); });
}
