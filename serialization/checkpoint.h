#pragma once

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/state.h>
#include <tern/serialization/state_file.h>

namespace tern {

// A checkpoint is a State with all that training goes on from, saved as one file:
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
// The generators come last: making a model or a loader draws from them. A scheduler of the user's
// has a state_dict() and load_state_dict() of its own, or inserts its numbers; the learning rate
// itself is in the optimizer's groups.
//
// Each of these loads does everything or nothing, but not all together: after an error in one,
// those before it are done. Where that matters, load into a fresh model, optimizer and loader, and
// take them when all was good.
//
// The file is replaced whole or not at all, so model, optimizer and numbers to come always belong
// together, and training goes on to the bit as if it had not stopped.

/// Returns the state of `generator`, which decides all numbers to come, as a string.
TERN_API State generator_state(const Generator& generator);

/// Makes `generator` continue from a state of generator_state(). Throws Error, without any change,
/// for any other value and for the state of another kind of generator.
TERN_API void set_generator_state(Generator& generator, const State& state);

/// Returns the states of all default generators, of the CPU and of every CUDA device, by device.
TERN_API State generator_states();

/// Makes the default generators of these devices continue from their states, also those of devices
/// that this machine lacks. Throws Error as set_generator_state() does and then changes none.
TERN_API void set_generator_states(const State& states);

}  // namespace tern
