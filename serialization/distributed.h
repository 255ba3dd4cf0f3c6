#pragma once

#include <string>

#include <tern/core/distributed/process_group.h>
#include <tern/serialization/state_file.h>

namespace tern::distributed {

/// Saves a state with all ranks of a group, which must all call it with the same keys and sizes,
/// and waits for the end: on every rank it has succeeded, or throws the same FileError.
///
/// Each tensor is written by the first rank on which it is not on meta. So with equal states, as
/// those of DistributedDataParallel, rank 0 writes all, in any format. If a state is divided
/// (nn::parallel::WholeOn::kDivided), each rank writes the tensors that it has to files of its own,
/// `net-00001-of-00004.safetensors` and so on, and rank 0 an index, which makes them one state:
/// load it with load_state(), in any number of processes. All other values are those of rank 0. The
/// folder must be the same for all ranks.
///
/// The new index appears after all files are complete, and is what replaces the old state. After an
/// error, or when a rank was killed, the old state is whole; files of a killed save go with the
/// next one. Set the time-out of the group above the time that one rank needs to write.
///
/// Example:
///   State checkpoint;
///   checkpoint.insert("model", sharded.full_state_dict(nn::parallel::WholeOn::kDivided));
///   checkpoint.insert("epoch", epoch);
///   distributed::save_state(checkpoint, "checkpoint.safetensors", group);
///
/// Throws: FileError.
TERN_API void save_state(const State& state, const std::string& path, const ProcessGroup& group,
                         const SaveOptions& options = {});

}  // namespace tern::distributed
