#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/compat/names/jit.h>
#include <tern/compat/names/torch.h>
#include <tern/serialization/archive.h>
#include <tern/serialization/state_file.h>

namespace tern::compat {

/// The name of a file.
template <class T>
concept IsPath = std::is_convertible_v<T, std::string>;
/// The size behind a buffer. A bool is the argument `strict` of tern::load().
template <class T>
concept IsSize =
    std::is_integral_v<std::remove_cvref_t<T>> && !std::is_same_v<std::remove_cvref_t<T>, bool>;
/// Objects that tern::save() and tern::load() take.
template <class T>
concept HasState = Stateful<T> || StatefulPointer<T>;
/// What torch::save() writes under the keys "0", "1" and so on.
using Tensors = std::vector<Tensor>;

// Function objects, because a call of a function would also find tern::save() by its arguments.

/// Saves a tensor, a vector of tensors, a module, an optimizer, a sampler, or anything that
/// operator<< writes to an OutputArchive, as libtorch does: into a file of any name, a stream, or a
/// function. A name with the suffix of another format, such as .json, gets that format, as do
/// SaveOptions and States.
struct Save {
  /// Passes the arguments after the value to OutputArchive::save_to(), or to save_state().
  template <class Value, class... Args>
  void operator()(const Value& value, Args&&... args) const {
    if constexpr (std::is_same_v<Value, State> || sizeof...(Args) > 1) {
      save_state(state_of(value), std::forward<Args>(args)...);
    } else {
      to(value, std::forward<Args>(args)...);
    }
  }

 private:
  template <class Value, class Target>
  static void to(const Value& value, Target&& target) {
    if constexpr (IsPath<Target> && (HasState<Value> || std::is_same_v<Value, Tensor>)) {
      if (const std::string path = target; serialize::has_state_suffix(path)) {
        return save_state(state_of(value), path);
      }
    }
    serialize::OutputArchive archive;
    write(archive, value);
    archive.save_to(std::forward<Target>(target));
  }
  template <class Value>
  static State state_of(const Value& value) {
    if constexpr (Stateful<Value>) {
      return value.state_dict();
    } else if constexpr (StatefulPointer<Value>) {
      return (*value).state_dict();
    } else {
      return value;
    }
  }
  template <class Value>
  static void write(serialize::OutputArchive& archive, const Value& value) {
    archive << value;
  }
  static void write(serialize::OutputArchive& archive, const Tensors& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) archive.write(std::to_string(i), tensors[i]);
  }
};

/// Loads what Save wrote, what libtorch's C++ frontend wrote, and every file of tern::load().
struct Load {
  /// Passes the arguments after the value to InputArchive::load_from(); `strict` and
  /// LoadFileOptions go to tern::load().
  template <class Value, class... Args>
  decltype(auto) operator()(Value&& value, Args&&... args) const {
    return from(value, std::forward<Args>(args)...);
  }

 private:
  template <class Value, class Path, class... Args>
  requires IsPath<Path> &&(!(IsSize<Args> || ...)) decltype(auto)
      from(Value& value, Path&& path, Args&&... args) const {
    if constexpr ((std::is_convertible_v<Args, std::optional<Device>> && ...)) {
      file(value, path, std::forward<Args>(args)...);
    } else {
      return tern::load(value, path, std::forward<Args>(args)...);
    }
  }
  template <class Value, class... Args>
  void from(Value& value, Args&&... args) const {
    serialize::InputArchive archive;
    archive.load_from(std::forward<Args>(args)...);
    read(archive, value);
  }

  template <class Value>
  static void file(Value& value, const std::string& path,
                   std::optional<Device> device = std::nullopt) {
    if constexpr (HasState<Value> || std::is_same_v<Value, Tensor>) {
      if (!serialize::is_archive(path)) {
        tern::load(value, path);
        if constexpr (std::is_same_v<Value, Tensor>) {
          if (device) value = value.to(*device);
        }
        return;
      }
    }
    serialize::InputArchive archive;
    archive.load_from(path, device);
    try {
      read(archive, value);
    } catch (const Error&) {
      tern::detail::rethrow_named("load", path);
    }
  }
  template <class Value>
  static void read(serialize::InputArchive& archive, Value& value) {
    if constexpr (std::is_same_v<Value, State>) {
      value = archive.state();
    } else {
      archive >> value;
    }
  }
  static void read(serialize::InputArchive& archive, Tensors& tensors) {
    Tensor tensor;
    for (std::size_t i = 0; archive.try_read(std::to_string(i), tensor); ++i) {
      tensors.push_back(std::exchange(tensor, {}));
    }
  }
};

}  // namespace tern::compat

namespace c10 {
/// A value of an archive or of the saved_data of a Function.
using IValue = ::tern::autograd::SavedValue;
namespace ivalue {
/// A tuple of values.
using Tuple = ::tern::autograd::SavedTuple;
}  // namespace ivalue
}  // namespace c10

namespace torch {

namespace jit {
using ::tern::serialize::CompilationUnit;
}  // namespace jit

/// Saves a value; see tern::compat::Save.
inline constexpr ::tern::compat::Save save;
/// Loads a value; see tern::compat::Load.
inline constexpr ::tern::compat::Load load;

/// Returns a value, such as a tensor, as the bytes of a pickle of PyTorch: those of Python's
/// torch.save().
inline std::vector<char> pickle_save(const IValue& value) {
  return ::tern::serialize::pickle(value);
}
/// Returns the value in the bytes of a pickle of PyTorch. Throws FileError.
inline IValue pickle_load(const std::vector<char>& bytes) {
  return ::tern::serialize::unpickle(bytes.data(), bytes.size());
}

}  // namespace torch
