#pragma once

namespace tern::detail {

/// The public op that the user called on this thread, for the texts of errors; null outside of ops.
/// Hidden and of the initial-exec model: libtern reads it in one instruction.
extern constinit thread_local const char* running_op
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// While this lives, a public op runs on the thread. Ops that an op calls do not change its name.
/// See TERN_OP in core/ops/detail/op.h.
class OpScope {
 public:
  /// `name` is a literal.
  explicit OpScope(const char* name) noexcept : outer_(running_op) {
    if (outer_ == nullptr) running_op = name;
  }
  ~OpScope() { running_op = outer_; }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  const char* outer_;
};

}  // namespace tern::detail
