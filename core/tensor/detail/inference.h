#pragma once

namespace tern::detail {

/// True while an InferenceMode guard of this thread lives. Hidden visibility and the initial-exec
/// TLS model let libtern read it in one instruction.
extern constinit thread_local bool in_inference_mode
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace tern::detail
