#include <tern/serialization/state/detail/finite.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/torch/detail/format.h>
#include <tern/serialization/torch/detail/pickler.h>

namespace tern::detail {

void write_torch_state(const State& state, const SaveOptions& options, AtomicFile& file) {
  if (!options.allow_non_finite) {
    for (const auto& [name, tensor] : flatten(state).tensors) {
      refuse_non_finite(file.path(), name, tensor.detach().cpu().contiguous());
    }
  }
  Pickler pickler;
  pickler.count_tensors(state);
  pickler.value(state);
  ZipWriter zip(file);
  pickler.finish(zip, "archive/");
  zip.finish();
}

}  // namespace tern::detail
