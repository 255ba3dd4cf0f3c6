#pragma once

// Lets programs written for the C++ frontend of PyTorch compile against tern: provides #include
// <torch/torch.h>, the namespaces torch, at and c10, and their macros. All names are aliases:
// torch::Tensor is tern::Tensor. Including this header makes tern print and list as libtorch does,
// in the whole program.

// Standard headers that such programs get from torch.h and rely on.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <tern/compat/macros.h>
#include <tern/compat/names/data.h>
#include <tern/compat/names/enum.h>
#include <tern/compat/names/functional.h>
#include <tern/compat/names/nn.h>
#include <tern/compat/names/ops.h>
#include <tern/compat/names/optim.h>
#include <tern/compat/names/printing.h>
#include <tern/compat/names/serialize.h>
#include <tern/compat/names/std.h>
#include <tern/compat/names/torch.h>
#include <tern/compat/print.h>
#include <tern/tern.h>

/// The major version of PyTorch whose names, rules and error texts tern follows, for programs that
/// ask for it. TERN_VERSION is tern's own version.
#define TORCH_VERSION_MAJOR 2
/// The minor version of PyTorch.
#define TORCH_VERSION_MINOR 15
/// The patch version of PyTorch.
#define TORCH_VERSION_PATCH 0
/// The whole version of PyTorch as text.
#define TORCH_VERSION "2.15.0"

/// Expands to nothing: a program decides itself what it exports.
#define TORCH_API

/// Defines the holder `Name` of the module `NameImpl`, like TERN_MODULE.
#define TORCH_MODULE(Name) TERN_MODULE(Name)
/// Defines the holder `Name` of the module `Impl`, like TERN_MODULE_IMPL.
#define TORCH_MODULE_IMPL(Name, Impl) TERN_MODULE_IMPL(Name, Impl)
/// Defines an option with its getter and setter, like TERN_ARG.
#define TORCH_ARG(Type, name) TERN_ARG(Type, name)
/// Gives the last arguments of forward() their defaults, like TERN_FORWARD_HAS_DEFAULT_ARGS.
#define FORWARD_HAS_DEFAULT_ARGS(...) TERN_FORWARD_HAS_DEFAULT_ARGS(__VA_ARGS__)

namespace tern::compat {

/// Makes the program follow libtorch before main() starts.
inline const bool follows_libtorch = follow_libtorch();

}  // namespace tern::compat
