#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/distributed/process_group.h>

// What ranks tell each other in words. All ranks of the group must call these functions.

namespace tern::distributed::detail {

/// Returns the texts of all ranks in order.
TERN_API std::vector<std::string> all_gather_texts(const ProcessGroup& group,
                                                   const std::string& text);

/// Returns rank 0's text.
TERN_API std::string broadcast_text(const ProcessGroup& group, const std::string& text);

/// What a function threw on the first rank on which it threw.
struct Problem {
  /// The rank.
  std::size_t rank;
  /// The text of its exception.
  std::string text;
  /// The exception of this rank, null if it threw none.
  std::exception_ptr own;
};

/// Calls `function`, and returns on all ranks the same problem; nothing if it threw on none.
TERN_API std::optional<Problem> call_on_all(const ProcessGroup& group,
                                            const std::function<void()>& function);

/// Calls `function`. If it throws on some ranks, throws on all of them: its exception there, and on
/// the others Error with `who`, the number of the first of these ranks, and its text.
TERN_API void throw_on_all(const ProcessGroup& group, const char* who,
                           const std::function<void()>& function);

}  // namespace tern::distributed::detail
