#pragma once

#include <string>
#include <vector>

#include <tern/tern.h>

#include "arguments.h"
#include "model.h"

/// What training changes.
struct Run {
  Run(const Arguments& its_arguments, tern::Device its_device)
      : arguments(its_arguments), device(its_device) {
    vae->to(device);
    device = vae->fc1->weight.device();  // cuda becomes cuda:0
  }

  /// The number of the epoch that is not done yet.
  std::size_t epoch() const { return losses.size() + 1; }
  std::string file(const std::string& name) const { return arguments.out + "/" + name; }

  const Arguments& arguments;
  tern::Device device;
  VAE vae;
  tern::optim::Adam adam{vae->parameters(), tern::optim::AdamOptions(arguments.lr)};
  std::vector<std::vector<double>> losses;  // one row an epoch: number, train, test
};

/// Writes checkpoint.json: all that decides how the run goes on.
void save_checkpoint(const Run& run);
/// Takes over what a run with the same sizes saved.
void load_checkpoint(Run& run, const std::string& path);

/// Writes the losses so far as losses.csv and loss.svg.
void write_losses(const Run& run);
