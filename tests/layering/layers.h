#pragma once

#include <string>
#include <vector>

namespace layering {

/// The files under `folder` may include those under the folders of `sees`.
struct Layer {
  const char* folder;
  std::vector<std::string> sees;
};

/// The house: base < tensor < kernels < { backends | autograd < ops < { nn | serialization } <
/// train }. A file belongs to the first folder here that holds it.
inline const std::vector<Layer>& layers() {
  static const std::vector<Layer> table = {
      {"core/base", {"core/base"}},
      {"core/tensor", {"core/base", "core/tensor"}},
      {"core/kernels", {"core/base", "core/tensor", "core/kernels"}},
      {"core/autograd", {"core/base", "core/tensor", "core/kernels", "core/autograd"}},
      {"core/ops", {"core/base", "core/tensor", "core/kernels", "core/autograd", "core/ops"}},
      {"core/distributed", {"core"}},
      {"backends/cpu", {"core/base", "core/tensor", "core/kernels", "backends/cpu"}},
      {"backends/cuda/host", {"core/base", "core/tensor", "core/kernels", "backends/cuda/host"}},
      {"backends/cuda/device",
       {"core/base", "core/tensor", "core/kernels", "backends/cuda/device"}},
      {"backends/sim", {"core/base", "core/tensor", "core/kernels", "backends/sim"}},
      {"backends/mpi",
       {"core/base", "core/tensor", "core/kernels", "core/distributed/detail", "backends/mpi"}},
      {"backends/meta", {"core/base", "core/tensor", "core/kernels", "backends/meta"}},
      {"backends", {"core/base", "core/tensor", "core/kernels", "backends"}},
      {"nn", {"core", "nn"}},
      {"serialization", {"core", "serialization"}},
      {"train", {"core", "nn", "serialization", "train", "tern.h"}},
      {"text/generation", {"core", "nn", "serialization", "text"}},
      {"text", {"core/base", "text"}},
      {"compat", {"core", "nn", "serialization", "compat", "backends/cuda/host", "tern.h"}},
      {"tern.h", {"core", "nn", "serialization", "backends/cuda/host"}},
  };
  return table;
}

inline bool is_under(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

/// May the file `from` include the file `to` (both from the root)?
inline bool may_include(const std::string& from, const std::string& to) {
  // Methods in the body of Tensor: those of the functions in core/ops, which are generated, and
  // lists of those without a function.
  if (from == "core/tensor/tensor.h" && to.ends_with("_methods.inc")) return true;
  // The build makes lists of the families in core/kernels and of their kernels.
  if (is_under(to, "generated")) return may_include(from, "core/kernels/slots.h");
  for (const Layer& layer : layers()) {
    if (!is_under(from, layer.folder)) continue;
    for (const std::string& seen : layer.sees) {
      if (is_under(to, seen)) return true;
    }
    return false;
  }
  return true;
}

}  // namespace layering
