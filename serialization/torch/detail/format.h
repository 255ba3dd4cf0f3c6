#pragma once

#include <string_view>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

// A file of torch.save is a ZIP archive with one folder. data.pkl is a pickle of everything except
// the elements, byteorder is "little", and data/0, data/1, ... have the elements of one storage
// each, as they are in memory. In the pickle, a tensor is the call
//   torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks)
// with a reference to its storage: ('storage', torch.FloatStorage, '0', 'cpu', element count).
//
// Before PyTorch 1.6, a file was a sequence of pickles: a magic number, a version, facts about the
// machine, everything except the elements, and a list of the storages' keys. For each storage in
// the order of this list, an element count of 8 bytes and the elements followed.

bool recognizes_torch(std::string_view head);
void write_torch_state(const State& state, const SaveOptions& options, AtomicFile& file);
State read_torch_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
