#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tern/tern.h>
#include <tern/train/train.h>

#include "arguments.h"
#include "model.h"

/// The state of a training run.
struct Run {
  explicit Run(const Arguments& its_arguments)
      : arguments(its_arguments), device(its_arguments.device) {
    vae->to(device);
    device = vae->fc1->weight.device();  // cuda becomes cuda:0
    if (arguments.amp == "bfloat16") amp = tern::kBFloat16;
    if (arguments.amp == "float16") amp = tern::kHalf;
    TERN_CHECK(!arguments.graph || amp != tern::kHalf, tern::Error,
               "--graph does not go with --amp float16: a graph cannot skip a step");
    if (!arguments.graph) return;
    input = tern::empty({arguments.batch_size, 784}, device);
    graph.emplace(std::vector{input}, [this] { return step(input); });
  }

  /// Trains with one batch and returns the loss.
  Tensor step(const Tensor& images) {
    adam.zero_grad();
    Tensor reconstruction, mu, logvar;
    {
      const tern::amp::Autocast autocast(device, amp, amp.has_value());
      std::tie(reconstruction, mu, logvar) = vae->forward(images);
    }
    Tensor loss = loss_of(reconstruction, images, mu.to(tern::kFloat), logvar.to(tern::kFloat));
    scaler.scale(loss).backward();
    scaler.step(adam);
    scaler.update();
    return loss;
  }

  /// Returns the number of the current epoch.
  std::size_t epoch() const { return losses.size() + 1; }
  std::string file(const std::string& name) const { return arguments.out + "/" + name; }

  const Arguments& arguments;
  tern::Device device;
  std::optional<tern::ScalarType> amp;  // the dtype of mixed precision
  VAE vae;
  tern::optim::Adam adam{vae->parameters(),
                         tern::optim::AdamOptions(arguments.lr).capturable(arguments.graph)};
  // Gradients of float16 may vanish without a scale; all others need none.
  tern::amp::GradScaler scaler{device,
                               tern::amp::GradScalerOptions().enabled(arguments.amp == "float16")};
  Tensor input;                                  // the graph's input
  std::optional<tern::cuda::GraphedStep> graph;  // step() as a CUDA graph, if requested
  std::vector<std::vector<double>> losses;       // one row per epoch: number, train, test
};

/// Writes checkpoint.json, which holds everything needed to continue the run.
void save_checkpoint(const Run& run);
/// Loads the checkpoint of a run with the same sizes.
void load_checkpoint(Run& run, const std::string& path);

/// Starts losses.csv with the rows of the epochs so far.
tern::train::CsvLog open_losses(const Run& run);
/// Appends the row of an epoch.
void log_losses(tern::train::CsvLog& log, const std::vector<double>& row);
/// Draws the losses so far as loss.svg.
void draw_losses(const Run& run);
