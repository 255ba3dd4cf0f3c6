#pragma once

#include <string_view>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

// A file of torch.save is a ZIP archive with one folder: data.pkl, a pickle of everything but the
// elements, byteorder ("little"), and data/0, data/1, ... with the elements of each storage, row by
// row as they lie in memory. In the pickle a tensor is a call,
//   torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks)
// whose storage stands outside, as ('storage', torch.FloatStorage, '0', 'cpu', element count).
//
// Before PyTorch 1.6 it was, one behind the other: the pickles of a magic number, of a version, of
// facts about the machine and of everything but the elements, that of the list of the storages'
// keys, and in its order for each storage a count of 8 bytes and the elements.

bool recognizes_torch(std::string_view head);
void write_torch_state(const State& state, const SaveOptions& options, AtomicFile& file);
State read_torch_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
