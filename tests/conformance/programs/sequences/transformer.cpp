#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Encoder and decoder layers and the whole model.
void fill(nn::Module& m) {
  torch::NoGradGuard guard;
  for (auto& p : m.parameters())
    p.copy_(torch::arange(p.numel(), torch::kFloat).view(p.sizes()).sin() * 0.3);
}

int main() {
  torch::Tensor src = torch::arange(24, torch::kFloat).view({3, 2, 4}).cos();
  torch::Tensor tgt = torch::arange(16, torch::kFloat).view({2, 2, 4}).sin();
  nn::TransformerEncoderLayer encoder(
      nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8).dropout(0.0));
  fill(*encoder);
  std::cout << encoder(src) << "\n";
  nn::TransformerDecoderLayer decoder(
      nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(8).dropout(0.0).activation(
          torch::kGELU));
  fill(*decoder);
  std::cout << decoder(tgt, src) << "\n";
  nn::TransformerEncoder stack(nn::TransformerEncoderOptions(encoder, 2));
  stack->eval();
  torch::Tensor mask = nn::TransformerImpl::generate_square_subsequent_mask(3);
  std::cout << mask << "\n" << stack(src, mask) << "\n";
  nn::Transformer model(nn::TransformerOptions(4, 2)
                            .num_encoder_layers(1)
                            .num_decoder_layers(1)
                            .dim_feedforward(8)
                            .dropout(0.0));
  fill(*model);
  std::cout << model(src, tgt) << "\n";
  std::cout << model->forward(src, tgt, {}, nn::TransformerImpl::generate_square_subsequent_mask(2))
                   .sizes()
            << "\n";
}
