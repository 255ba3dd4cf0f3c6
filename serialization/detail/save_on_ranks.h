#pragma once

#include <string>

#include <tern/core/distributed/process_group.h>
#include <tern/serialization/file/detail/file_calls.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// Saves like tern::distributed::save_state(), but makes the system calls through `calls`.
TERN_API void save_on_ranks(const State& state, const std::string& path,
                            const distributed::ProcessGroup& group, const SaveOptions& options,
                            FileCalls& calls);

}  // namespace tern::detail
