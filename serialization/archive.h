#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/autograd/saved_value.h>
#include <tern/core/base/error.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>

namespace tern {

namespace detail {
struct ScriptModule;
}  // namespace detail

/// Archives of named tensors, values and further archives: what libtorch's C++ frontend writes and
/// reads.
namespace serialize {

/// Stands for the compilation unit of a libtorch archive. Has no content.
struct CompilationUnit {};

/// Collects tensors, values and nested archives under keys, and writes them as libtorch's C++
/// frontend does. libtorch's torch::load reads the file, Python's torch.jit.load reads it, too.
///
/// Example:
///   tern::serialize::OutputArchive archive;
///   archive.write("weight", weight);
///   archive.write("epoch", 3);
///   archive.save_to("state.pt");
class TERN_API OutputArchive {
 public:
  /// Makes an empty archive.
  OutputArchive();
  /// Makes an empty archive. The argument has no effect; libtorch's constructor has it.
  explicit OutputArchive(const std::shared_ptr<CompilationUnit>& unit);
  OutputArchive(const OutputArchive&) = delete;
  OutputArchive& operator=(const OutputArchive&) = delete;
  /// Takes over the content.
  OutputArchive(OutputArchive&&) noexcept;
  /// Takes over the content.
  OutputArchive& operator=(OutputArchive&&) noexcept;
  /// Frees the archive; nested archives share what they wrote.
  ~OutputArchive();

  /// Returns a unit for the constructor of a nested archive.
  std::shared_ptr<CompilationUnit> compilation_unit() const { return unit_; }

  /// Writes a tensor, which is shared until the archive is saved. Replaces the tensor that `key`
  /// had. A buffer is a tensor that is not trained. Throws Error for an undefined tensor, and if
  /// `key` has something else than a tensor.
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false);
  /// Writes a number, a bool, a string, a list or nothing; an IValue in libtorch. Throws Error if
  /// `key` has a value of another type.
  void write(const std::string& key, const autograd::SavedValue& value);
  /// Writes an archive below `key`. Later changes of `archive` are seen, too. Throws Error if `key`
  /// exists, and if `archive` has this archive in it.
  void write(const std::string& key, OutputArchive& archive);
  /// Writes all items of a dictionary. Inner dictionaries become nested archives.
  void write_items(const State& dict);
  /// Writes the state_dict() of an optimizer in libtorch's form.
  void write_optimizer(const State& state_dict);

  /// Writes the file `path`, completely or not at all. A name with a suffix of another format of
  /// save_state(), such as .json, gets that format. Throws FileError.
  void save_to(const std::string& path) const;
  /// Writes to a stream. Throws FileError if the stream fails.
  void save_to(std::ostream& stream) const;
  /// Passes the bytes to a function, which returns how many of them it took. Throws FileError if
  /// it did not take all.
  void save_to(const std::function<std::size_t(const void* bytes, std::size_t count)>& write) const;

  /// Calls write().
  template <class... Args>
  void operator()(Args&&... args) {
    write(std::forward<Args>(args)...);
  }

 private:
  std::shared_ptr<detail::ScriptModule> content_;
  std::shared_ptr<CompilationUnit> unit_;
};

/// Reads what an OutputArchive or libtorch's C++ frontend wrote; also files of load_state(). The
/// whole file is read and checked by load_from(), and nothing in it is run.
///
/// Example:
///   tern::serialize::InputArchive archive;
///   archive.load_from("state.pt");
///   tern::Tensor weight;
///   archive.read("weight", weight);
class TERN_API InputArchive {
 public:
  /// Makes an archive without keys.
  InputArchive() = default;
  InputArchive(const InputArchive&) = delete;
  InputArchive& operator=(const InputArchive&) = delete;
  /// Takes over the content.
  InputArchive(InputArchive&&) = default;
  /// Takes over the content.
  InputArchive& operator=(InputArchive&&) = default;

  /// Reads the tensor of `key`. A defined `tensor` keeps its identity, dtype and device and takes
  /// sizes and elements. `is_buffer` has no effect, as in libtorch. Throws Error if the archive
  /// lacks the tensor ("No such serialized tensor 'fc.weight'").
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  /// Reads the number, string, list or tensor of `key`. Throws Error if the archive lacks it.
  void read(const std::string& key, autograd::SavedValue& value);
  /// Reads the nested archive of `key`. Throws Error if the archive lacks it ("No such serialized
  /// submodule: 'fc'").
  void read(const std::string& key, InputArchive& archive);
  /// Does the same as read(), but returns false if the archive lacks the tensor.
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  /// Does the same as read(), but returns false if the archive lacks the value.
  bool try_read(const std::string& key, autograd::SavedValue& value);
  /// Does the same as read(), but returns false if the archive lacks the nested archive.
  bool try_read(const std::string& key, InputArchive& archive);

  /// Returns the keys in order.
  std::vector<std::string> keys() const { return state_.keys(); }
  /// Returns the content; nested archives are dictionaries.
  const State& state() const { return state_; }
  /// Returns the state_dict() of an optimizer whose archive this is.
  State optimizer_state() const;

  /// Reads a file of an OutputArchive, of libtorch or of load_state(), and moves the tensors to
  /// `device`; without it they are on the CPU. On an error the archive is unchanged. Throws
  /// FileError.
  void load_from(const std::string& path, std::optional<Device> device = std::nullopt);
  /// Reads a stream from its position to its end. Throws FileError.
  void load_from(std::istream& stream, std::optional<Device> device = std::nullopt);
  /// Reads bytes in memory. Throws FileError.
  void load_from(const char* data, std::size_t size, std::optional<Device> device = std::nullopt);
  /// Reads with a function: `read` copies `count` bytes at `offset` and returns how many there
  /// were, `size` returns the number of bytes. Throws FileError.
  void load_from(
      const std::function<std::size_t(std::uint64_t offset, void* to, std::size_t count)>& read,
      const std::function<std::size_t()>& size, std::optional<Device> device = std::nullopt);

  /// Calls read().
  template <class... Args>
  void operator()(Args&&... args) {
    read(std::forward<Args>(args)...);
  }

 private:
  const State* find(const std::string& key) const { return state_.find(key); }

  State state_;
  std::string prefix_;  // of the keys in error texts: "encoder.fc."
};

/// Returns the value as the bytes of a file of Python's torch.save().
TERN_API std::vector<char> pickle(const autograd::SavedValue& value);
/// Returns the value in the bytes of a file of torch.save(). Throws FileError.
TERN_API autograd::SavedValue unpickle(const char* data, std::size_t size);

/// Returns true if the file is an archive of libtorch's C++ frontend.
TERN_API bool is_archive(const std::string& path);
/// Returns true if save_state() has another format than PyTorch's for the suffix of this name.
TERN_API bool has_state_suffix(const std::string& path);

/// Writes the tensor with the key "0".
inline OutputArchive& operator<<(OutputArchive& archive, const Tensor& tensor) {
  archive.write("0", tensor);
  return archive;
}
/// Reads the tensor with the key "0".
inline InputArchive& operator>>(InputArchive& archive, Tensor& tensor) {
  archive.read("0", tensor);
  return archive;
}

/// Writes an object with a member `save(OutputArchive&)`: a module, an optimizer, a sampler or a
/// class of one's own.
template <class T>
requires requires(const T& object, OutputArchive& archive) { object.save(archive); }
OutputArchive& operator<<(OutputArchive& archive, const T& object) {
  object.save(archive);
  return archive;
}
/// Writes the object of a holder or a pointer. Throws Error for null.
template <class T>
requires requires(const T& pointer, OutputArchive& archive) { pointer->save(archive); }
OutputArchive& operator<<(OutputArchive& archive, const T& pointer) {
  TERN_CHECK(pointer, Error, "save: the pointer is null");
  pointer->save(archive);
  return archive;
}
/// Reads an object with a member `load(InputArchive&)`.
template <class T>
requires requires(T& object, InputArchive& archive) { object.load(archive); }
InputArchive& operator>>(InputArchive& archive, T& object) {
  object.load(archive);
  return archive;
}
/// Reads the object of a holder or a pointer. Throws Error for null.
template <class T>
requires requires(const T& pointer, InputArchive& archive) { pointer->load(archive); }
InputArchive& operator>>(InputArchive& archive, const T& pointer) {
  TERN_CHECK(pointer, Error, "load: the pointer is null");
  pointer->load(archive);
  return archive;
}

}  // namespace serialize
}  // namespace tern
