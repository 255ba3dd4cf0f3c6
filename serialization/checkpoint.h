#pragma once

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/state.h>
#include <tern/serialization/state_file.h>

namespace tern {

// A checkpoint is a State with everything needed to continue training, saved as one file:
//
//   State checkpoint;
//   checkpoint.insert("model", model->state_dict());
//   checkpoint.insert("optimizer", optimizer.state_dict());
//   checkpoint.insert("loader", loader->state_dict());
//   checkpoint.insert("generators", generator_states());
//   checkpoint.insert("epoch", epoch);
//   save(checkpoint, "checkpoint.json");
//
//   const State checkpoint = load_state("checkpoint.json");
//   model->load_state_dict(checkpoint["model"]);
//   optimizer.load_state_dict(checkpoint["optimizer"]);
//   loader->load_state_dict(checkpoint["loader"]);
//   set_generator_states(checkpoint["generators"]);
//   epoch = checkpoint.get<int>("epoch");
//
// Load the generators last, because constructing a model or a loader draws random numbers. The
// learning rate is in the optimizer's groups. The state of a learning rate scheduler is saved like
// the others; make the scheduler before the optimizer is loaded.
//
// Each load changes its object completely or not at all. The loads together are not atomic:
// after an error in one load, the loads before it have already changed their objects. To avoid
// that, load into a new model, optimizer and loader, and use them only if all loads succeed.
//
// The file is replaced completely or not at all, so its model, optimizer and generators always
// belong together. Training continues bit for bit as if it had not stopped.

/// Returns the state of `generator`, which determines all future random numbers, as a string.
TERN_API State generator_state(const Generator& generator);

/// Makes `generator` continue from a state returned by generator_state(). Throws Error, without any
/// change, for any other value and for the state of another kind of generator.
TERN_API void set_generator_state(Generator& generator, const State& state);

/// Returns the states of the default generators of the CPU and of every CUDA device. The keys are
/// the names of the devices.
TERN_API State generator_states();

/// Makes the default generators of the devices in `states` continue from their states. Also accepts
/// states of devices that this machine lacks. Throws Error like set_generator_state() and then
/// changes no generator.
TERN_API void set_generator_states(const State& states);

}  // namespace tern
