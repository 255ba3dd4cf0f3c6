#pragma once

// libtorch's header for TorchScript. Programs include it for tensors and modules, too.

#include <tern/compat/names/jit.h>
#include <tern/compat/torch/torch.h>
