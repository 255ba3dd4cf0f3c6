#pragma once

#include <string>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>
#include <tern/serialization/file/detail/file_calls.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// Saves like tern::save_state(), but makes the system calls through `calls`. Tests use it to
/// record system calls or to make one fail.
TERN_API void save_state(const State& state, const std::string& path, const SaveOptions& options,
                         FileCalls& calls);

/// Throws Error for values that no format can store or that the options forbid.
void check_leaves(const State& state, const SaveOptions& options, bool may_be_meta = false);

}  // namespace tern::detail
