#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

// Networks of others, from files in their packages: TERN_RESEMBLYZER names pretrained.pt of
// Resemblyzer 0.1.4, TERN_SILERO_VAD silero_vad_16k.safetensors of silero-vad 6.2.3. The numbers
// are PyTorch's. recurrent/recurrent_test.cpp has small networks of the same form.

namespace tern {
namespace {

void expect_near(const Tensor& tensor, const std::vector<double>& wanted, double limit = 1e-6) {
  ASSERT_EQ(tensor.numel(), static_cast<std::int64_t>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(tensor[static_cast<std::int64_t>(i)].item<double>(), wanted[i], limit) << i;
  }
}

/// The speaker encoder (Wan et al., 2018).
struct SpeakerEncoderImpl : nn::Module {
  SpeakerEncoderImpl() {
    register_parameter("similarity_weight", ones({1}));
    register_parameter("similarity_bias", ones({1}));
  }
  nn::LSTM lstm =
      register_module("lstm", nn::LSTM(nn::LSTMOptions(40, 256).num_layers(3).batch_first(true)));
  nn::Linear linear = register_module("linear", nn::Linear(256, 256));
};
TERN_MODULE(SpeakerEncoder);

TEST(RealWeights, OfResemblyzer) {
  const char* const path = std::getenv("TERN_RESEMBLYZER");
  if (path == nullptr) {
    GTEST_SKIP() << "needs pretrained.pt of Resemblyzer; name the file in TERN_RESEMBLYZER";
  }
  SpeakerEncoder encoder;
  encoder->load_state_dict(load_state(path)["model_state"]);
  const Tensor t = arange(160).to(kDouble).unsqueeze(1), c = arange(40).to(kDouble);
  const Tensor wave = sin(t * 0.11 + c * 0.37) * 0.5 + 0.5;
  const Tensor x = (wave.square() * 0.05).to(kFloat).unsqueeze(0);

  const NoGradGuard no_grad;
  const auto [output, state] = encoder->lstm(x);
  const auto [h, cell] = state;
  expect_near(h[2][0].slice(0, 0, 4), {0.17984522, 0.59904664, 0.04302114, -0.16005620});
  expect_near(cell[2][0].slice(0, 0, 4), {0.68576232, 0.88600130, 0.13200353, -0.26769006});
  const Tensor raw = relu(encoder->linear(h[2]))[0], embedding = raw / raw.norm();
  expect_near(embedding.slice(0, 0, 6), {0, 0, 0.06330157, 0, 0, 0.10294128});
  EXPECT_EQ(embedding.argmax().item<std::int64_t>(), 11);
  EXPECT_NEAR(embedding.max().item<double>(), 0.22185524, 1e-6);
  EXPECT_EQ(embedding.gt(0).sum().item<std::int64_t>(), 129);
}

/// Tells speech from silence in chunks of 512 samples.
struct VoiceDetectorImpl : nn::Module {
  static nn::Conv1d conv(std::int64_t in, std::int64_t out, std::int64_t stride) {
    return nn::Conv1d(nn::Conv1dOptions(in, out, 3).stride(stride).padding(1));
  }

  /// Shape: samples [64 + 512] -> a probability
  Tensor forward(const Tensor& samples) {
    namespace F = nn::functional;
    const Tensor padded =
        F::pad(samples.reshape({1, 1, -1}), F::PadFuncOptions({0, 64}).mode(kReflect));
    const Tensor parts = stft_conv(padded);
    const Tensor magnitude =
        (parts.narrow(1, 0, 129).square() + parts.narrow(1, 129, 129).square()).sqrt();
    const Tensor x = relu(conv4(relu(conv3(relu(conv2(relu(conv1(magnitude))))))));
    if (!h.defined()) h = c = zeros({1, 128});
    std::tie(h, c) = lstm_cell(x.squeeze(2), std::tuple(h, c));
    return sigmoid(final_conv(relu(h).unsqueeze(2)));
  }

  Tensor h, c;
  nn::Conv1d stft_conv = register_module(
      "stft_conv", nn::Conv1d(nn::Conv1dOptions(1, 258, 256).stride(128).bias(false)));
  nn::Conv1d conv1 = register_module("conv1", conv(129, 128, 1));
  nn::Conv1d conv2 = register_module("conv2", conv(128, 64, 2));
  nn::Conv1d conv3 = register_module("conv3", conv(64, 64, 2));
  nn::Conv1d conv4 = register_module("conv4", conv(64, 128, 1));
  nn::LSTMCell lstm_cell = register_module("lstm_cell", nn::LSTMCell(128, 128));
  nn::Conv1d final_conv = register_module("final_conv", nn::Conv1d(nn::Conv1dOptions(128, 1, 1)));
};
TERN_MODULE(VoiceDetector);

TEST(RealWeights, OfSileroVad) {
  const char* const path = std::getenv("TERN_SILERO_VAD");
  if (path == nullptr) {
    GTEST_SKIP() << "needs silero_vad_16k.safetensors; name the file in TERN_SILERO_VAD";
  }
  VoiceDetector detector;
  load(detector, path);
  constexpr double kTurn = 6.283185307179586;
  const Tensor n = arange(3072).to(kDouble) * (kTurn / 16000);
  const Tensor wave = (sin(n * 220) * sin(n * 3) * 0.4 + sin(n * 1330) * 0.1).to(kFloat);
  const Tensor samples = cat({zeros({64}), wave});

  const NoGradGuard no_grad;
  std::vector<Tensor> speech;
  for (std::int64_t chunk = 0; chunk < 6; ++chunk) {
    speech.push_back(detector(samples.narrow(0, chunk * 512, 576)).flatten());
  }
  expect_near(cat(speech),
              {0.04538957, 0.13067694, 0.05513217, 0.06212357, 0.08000635, 0.08619344});
  expect_near(detector->h[0].slice(0, 0, 4), {0.11677338, 0.05659912, 0.26112426, -0.00876841});
  // The sum of what six chunks added in float32.
  expect_near(detector->c[0].slice(0, 0, 4), {0.18367042, 0.44635452, 0.53314813, -0.06120875},
              3e-6);
}

}  // namespace
}  // namespace tern
