#pragma once

#include <string>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>
#include <tern/serialization/file/detail/file_calls.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// Saves as tern::save_state() does, and makes the system calls through `calls`. For tests, which
/// record calls or let one fail.
TERN_API void save_state(const State& state, const std::string& path, const SaveOptions& options,
                         FileCalls& calls);

}  // namespace tern::detail
