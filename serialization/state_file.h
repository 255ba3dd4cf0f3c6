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

class FileCalls;

/// How a state file is written. What its format does not have, an option throws FileError for.
struct SaveOptions {
  /// JSON: elements as one base64 string per tensor, less than half as long, instead of numbers.
  bool base64 = false;
  /// Whether NaN and infinities may be saved. If not, saving them throws FileError naming the
  /// tensor and the index, and leaves the old file.
  bool allow_non_finite = true;
  /// JSON, safetensors: strings to keep in the file, which LoadFileOptions::metadata gives back.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  /// safetensors: a state of more bytes becomes several files of at most so many, or of one tensor,
  /// `net-00001-of-00003.safetensors` and so on, and `net.safetensors.index.json`, which says which
  /// tensor is where. 0: always one file.
  std::uint64_t max_shard_size = 0;
  /// The system calls that saving makes (atomic_file.h); null: the system's own. Tests let them
  /// fail. Must outlive the save.
  FileCalls* calls = nullptr;
};

/// How a state file is read.
struct LoadFileOptions {
  /// safetensors: the tensors view a private mapping of the file, which they keep alive, instead of
  /// a copy in memory. Pages are read when they are first touched, and writing to a tensor changes
  /// the process's own copy of a page, never the file. While such tensors live, the file must not
  /// be shortened or overwritten in place (saving with tern is neither): touching a lost page ends
  /// the process with SIGBUS.
  bool map = false;
  /// JSON, safetensors: where the strings of SaveOptions::metadata go; null: nowhere. Set by
  /// formats that have none to nothing.
  std::vector<std::pair<std::string, std::string>>* metadata = nullptr;
};

/// Whether tern writes metadata of this key itself, so that SaveOptions may not have it.
TERN_API bool is_reserved_metadata(std::string_view key);

/// Writes `state` to `path`, whose suffix chooses the format: .json, .safetensors, .npy, .npz, .pt
/// or .pth. The file is replaced whole or not at all (AtomicFile). Tensors are copied to the host;
/// gradients are not saved. Throws FileError.
TERN_API void save_state(const State& state, const std::string& path,
                         const SaveOptions& options = {});

/// Reads what `save_state` wrote, to the bit, or what Python wrote with torch.save, numpy.savez or
/// `json.dump({k: v.tolist() for k, v in model.state_dict().items()}, file)`. In the last, floating
/// numbers become float32 when all of a tensor are such, else float64. The tensors are on the CPU.
/// A folder stands for the model.safetensors.index.json or model.safetensors in it, and
/// net.safetensors for net.safetensors.index.json when only that exists.
/// Throws FileError naming the file, the tensor and the place.
TERN_API State load_state(const std::string& path, const LoadFileOptions& options = {});

namespace detail {

/// For the handler of an Error: throws it again with `what` and the path in front, as a FileError
/// unless the device or the memory is to blame. A FileError has the path.
[[noreturn]] TERN_API void rethrow_named(const char* what, const std::string& path);

}  // namespace detail

/// A module, an optimizer or whatever else turns into a State and back.
template <class T>
concept Stateful = requires(T& object, const State& state) {
  { object.state_dict() } -> std::convertible_to<State>;
  object.load_state_dict(state);
};

/// A module holder or a smart pointer to something Stateful.
template <class T>
concept StatefulPointer = !Stateful<T> && requires(T & pointer) {
  { *pointer } -> Stateful;
};

/// `save_state` of a module, an optimizer, a State or a tensor: `save(net, "net.json")`.
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

/// Reads `path` and hands it to `object.load_state_dict(state, args...)`, whose result it returns:
/// `load(net, "net.json")`, `load(net, "part.json", /*strict=*/false)`. The whole file is read and
/// checked before the object is touched. What does not fit is a FileError with the object's own
/// text behind the path.
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
/// Replaces `state` by what the file holds.
inline void load(State& state, const std::string& path) { state = load_state(path); }
/// Replaces `tensor` by the one that the file holds; throws FileError when it holds something else.
TERN_API void load(Tensor& tensor, const std::string& path);

}  // namespace tern
