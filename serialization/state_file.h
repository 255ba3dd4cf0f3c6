#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/state.h>

namespace tern {

/// How a state file is written. Setting an option that the format does not support throws
/// FileError.
struct SaveOptions {
  /// JSON: true writes the elements of a tensor as one base64 string, which is less than half as
  /// long as numbers.
  bool base64 = false;
  /// False: NaN and infinities throw FileError, which names the tensor and the index; the old file
  /// stays.
  bool allow_non_finite = true;
  /// JSON, safetensors: strings to keep in the file. LoadFileOptions::metadata reads them.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// safetensors: the largest size of a file in bytes; 0 means one file without a limit. A larger
  /// state becomes several files `net-00001-of-00003.safetensors` and so on, of one tensor at
  /// least, and an index file `net.safetensors.index.json`.
  std::uint64_t max_shard_size = 0;
};

/// How a state file is read.
struct LoadFileOptions {
  /// safetensors, GGUF: true maps the file into memory, privately, and does not read it. Tensors
  /// keep the mapping alive. Pages are read when they are first touched; a write to a tensor
  /// changes the process's own copy of the page, never the file. While such tensors live, the file
  /// must not be shortened or overwritten in place (tern's saves do neither): access to a lost page
  /// ends the process with SIGBUS.
  bool map = false;
  /// With `map`: a thread reads the file into the cache of the system while the program goes on, so
  /// that the first use of the tensors does not wait for one page after the other. For files that
  /// will be used as a whole. Needs Linux 5.14; elsewhere it does nothing.
  bool read_ahead = false;
  /// JSON, safetensors: receives the strings of SaveOptions::metadata; GGUF: keys and values but
  /// arrays, as text. Null for none. Cleared by formats without metadata.
  std::vector<std::pair<std::string, std::string>>* metadata = nullptr;
  /// pt, npz, safetensors, GGUF: receives the keys, joined by dots, and a description of each value
  /// that a State cannot hold, such as a complex number or an object of a class. The state lacks
  /// this value; in a list, null replaces it. If `skipped` is null, such a value throws FileError.
  /// Cleared by other formats.
  std::vector<std::pair<std::string, std::string>>* skipped = nullptr;
};

/// Returns true for a metadata key that tern itself writes when saving with `options`; the options'
/// metadata must not contain the key.
TERN_API bool is_reserved_metadata(std::string_view key, const SaveOptions& options);

/// Writes `state` to `path`. The suffix chooses the format: .json, .safetensors, .npy, .npz, .pt or
/// .pth. The file is replaced completely or not at all: after an error or a crash it has the old
/// content or the new content. Tensors are copied to the host; gradients are not saved. Throws
/// FileError.
TERN_API void save_state(const State& state, const std::string& path,
                         const SaveOptions& options = {});

/// Reads a file written by save_state(), by Python's torch.save or numpy.savez, or by
/// `json.dump({k: v.tolist() for k, v in model.state_dict().items()}, file)`. Tensors written by
/// save_state() have the same bits again. JSON of Python does not name dtypes: the floating point
/// numbers of a tensor become float32 if each of them is the decimal of a float32, else float64.
///
/// A file whose name ends in no known suffix, such as "pytorch_model.bin", is read by its content.
///
/// The tensors are on the CPU. For a folder, the model.safetensors.index.json or model.safetensors
/// in it is read; for a missing net.safetensors, net.safetensors.index.json.
///
/// Throws: FileError, which names the file, the tensor and the position.
TERN_API State load_state(const std::string& path, const LoadFileOptions& options = {});

namespace detail {

/// Rethrows the current exception with `what` and the path before its text; call it in a catch
/// block. DeviceError and OutOfMemoryError keep their class, other errors become FileError. A
/// FileError stays as it is, because it already names the path.
[[noreturn]] TERN_API void rethrow_named(const char* what, const std::string& path);

}  // namespace detail

/// An object with state_dict() and load_state_dict(): a module, an optimizer, a State, a loader.
template <class T>
concept Stateful = requires(T& object, const State& state) {
  { object.state_dict() } -> std::convertible_to<State>;
  object.load_state_dict(state);
};

/// A module holder or a smart pointer to a Stateful object.
template <class T>
concept StatefulPointer = !Stateful<T> && requires(T & pointer) {
  { *pointer } -> Stateful;
};

/// Saves a module, an optimizer, a State or a tensor as save_state() does.
///
/// Example:
///   tern::save(net, "net.json");
inline void save(const State& state, const std::string& path, const SaveOptions& options = {}) {
  save_state(state, path, options);
}
template <class T>
requires Stateful<T> || StatefulPointer<T>
void save(T&& object, const std::string& path, const SaveOptions& options = {}) {
  if constexpr (Stateful<T>) {
    save_state(object.state_dict(), path, options);
  } else {
    save_state((*object).state_dict(), path, options);
  }
}

/// Reads `path` and returns the result of `object.load_state_dict(state, args...)`. The whole file
/// is read and checked before the object changes. Throws FileError with the path and the object's
/// own error text if the state does not fit.
///
/// Example:
///   tern::load(net, "net.json");
///   tern::load(net, "part.json", /*strict=*/false);
template <class T, class... Args>
requires Stateful<T> || StatefulPointer<T>
decltype(auto) load(T&& object, const std::string& path, Args&&... args) {
  const State state = load_state(path);
  try {
    if constexpr (Stateful<T>) {
      return object.load_state_dict(state, std::forward<Args>(args)...);
    } else {
      return (*object).load_state_dict(state, std::forward<Args>(args)...);
    }
  } catch (const Error&) {
    detail::rethrow_named("load", path);
  }
}
/// Replaces `state` by the content of the file.
inline void load(State& state, const std::string& path) { state = load_state(path); }
/// Replaces `tensor` by the tensor in the file. Throws FileError if the file holds anything else.
TERN_API void load(Tensor& tensor, const std::string& path);

}  // namespace tern
