#pragma once

#include <string>
#include <string_view>

#include <tern/core/tensor/tensor.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/state_file.h>
#include <tern/serialization/zip/detail/byte_stream.h>

namespace tern::detail {

// An .npy file has one array: "\x93NUMPY", the version (two bytes), the size of the header (two
// bytes in version 1.0, else four), the header and the elements. The header is a Python dictionary,
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// padded so that the elements begin at a multiple of 64.
//
// An .npz file is a ZIP archive with one .npy file per tensor. For a state that is more than a
// dictionary of tensors, the entry kTreeKey has the tree as text.

/// Returns the bytes of an .npy file before the elements of `tensor`. Throws FileError, whose text
/// begins with `place`, for a dtype that NumPy does not have.
std::string npy_header(const Tensor& tensor, std::string_view place);
/// Reads one array in version 1.0 to 3.0, row-major or column-major, in either byte order. Reads
/// the stream to its end. If tern does not have the dtype, returns an undefined tensor after the
/// header and sets `unsupported` to the name of the dtype; null makes this an error.
Tensor read_npy_array(ByteStream& stream, std::string* unsupported = nullptr);

bool recognizes_npy(std::string_view head);
/// Throws FileError unless `state` is a tensor.
void write_npy_state(const State& state, const SaveOptions& options, AtomicFile& file);
State read_npy_state(const InputFile& file, const LoadFileOptions& options);

bool recognizes_npz(std::string_view head);
void write_npz_state(const State& state, const SaveOptions& options, AtomicFile& file);
State read_npz_state(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
