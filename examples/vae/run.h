#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "arguments.h"
#include "model.h"

/// What training changes.
struct Run {
  explicit Run(const Arguments& its_arguments)
      : arguments(its_arguments), device(its_arguments.device) {
    vae->to(device);
    device = vae->fc1->weight.device();  // cuda becomes cuda:0
    if (!arguments.graph) return;
    input = tern::empty({arguments.batch_size, 784}, device);
    graph.emplace(std::vector{input}, [this] { return step(input); });
  }

  /// Trains with one batch; returns its loss.
  Tensor step(const Tensor& images) {
    adam.zero_grad();
    const auto [reconstruction, mu, logvar] = vae->forward(images);
    Tensor loss = loss_of(reconstruction, images, mu, logvar);
    loss.backward();
    adam.step();
    return loss;
  }

  /// The number of the epoch that is not done yet.
  std::size_t epoch() const { return losses.size() + 1; }
  std::string file(const std::string& name) const { return arguments.out + "/" + name; }

  const Arguments& arguments;
  tern::Device device;
  VAE vae;
  tern::optim::Adam adam{vae->parameters(),
                         tern::optim::AdamOptions(arguments.lr).capturable(arguments.graph)};
  Tensor input;                                  // of the graph
  std::optional<tern::cuda::GraphedStep> graph;  // step() as a CUDA graph, when that is wanted
  std::vector<std::vector<double>> losses;       // one row an epoch: number, train, test
};

/// Writes checkpoint.json: all that decides how the run goes on.
void save_checkpoint(const Run& run);
/// Takes over what a run with the same sizes saved.
void load_checkpoint(Run& run, const std::string& path);

/// Writes the losses so far as losses.csv and loss.svg.
void write_losses(const Run& run);
