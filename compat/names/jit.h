#pragma once

#include <memory>

// TorchScript is not in tern. Programs that use it get an error when they are compiled.

namespace torch::jit {

/// A TorchScript program, which tern does not run: using it is an error.
struct Module {
  template <bool kIsUsed = true>
  Module() {
    static_assert(!kIsUsed,
                  "tern does not run TorchScript: define the module in C++ and load its weights, "
                  "saved by torch.save(model.state_dict(), file), with tern::load(model, file)");
  }
};

/// Would load a TorchScript program; an error, like Module.
template <class... Args>
Module load(const Args&... /*args*/) {
  return {};
}

namespace script {
using jit::Module;
}  // namespace script

}  // namespace torch::jit
