#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/serialization/torch/detail/pickle_opcodes.h>
#include <tern/serialization/zip/detail/byte_stream.h>

namespace tern::detail {

struct PickleObject;
/// None, a bool, an integer, a floating number, or a pointer to an object that the reader owns.
using PickleValue = std::variant<std::nullptr_t, bool, std::int64_t, double, PickleObject*>;

struct PickleObject {
  enum Kind : std::uint8_t { kString, kTuple, kList, kDict, kClass, kStorage, kTensor };

  Kind kind;
  std::string text;  // content of a string, "module.name" of a class, or key of a storage
  /// Elements of a tuple, a list or a storage; alternately keys and values of a dict.
  std::vector<PickleValue> items;
  Tensor tensor;
};

/// Returns the kind of a value for error texts, such as "a tuple".
const char* kind_name(const PickleValue& value);
/// Returns the object in `value`, or null if the value is not an object of this kind.
PickleObject* as(const PickleValue& value, PickleObject::Kind kind);

/// A stack machine for Python's pickles, which are programs. Supports the opcodes of protocols 2 to
/// 5 that build data, but not those that make or change objects of classes. The machine only
/// creates PickleObjects; the derived class decides which functions a pickle may call and what they
/// return.
class PickleReader {
 public:
  explicit PickleReader(ByteStream& stream) : stream_(stream) {}
  PickleReader(const PickleReader&) = delete;
  PickleReader& operator=(const PickleReader&) = delete;
  virtual ~PickleReader() = default;

 protected:
  /// Runs one pickle and returns its value. The objects live as long as this reader. Throws
  /// FileError for any other opcode, an unknown class, a wrong use of the stack, and sizes beyond
  /// fixed limits.
  PickleValue run();

  /// Returns true if a pickle may name this class or function, such as
  /// "torch._utils._rebuild_tensor_v2".
  virtual bool is_known(std::string_view name) const = 0;
  /// Returns the result of calling a known function with a tuple of arguments.
  virtual PickleValue call(const PickleObject& function, const PickleObject& arguments) = 0;
  /// Returns the object outside of the pickle that `id` refers to.
  virtual PickleValue find_outside(const PickleValue& id) = 0;

  PickleObject* make(PickleObject::Kind kind);
  /// Returns "'fc.weight': " for error texts if the current call makes the value of this key.
  std::string key_in_front() const;

  ByteStream& stream_;

 private:
  bool step(PickleOpcode opcode);
  void push(PickleValue value) { stack_.push_back(value); }
  void push_text(std::uint64_t size);
  void push_class(const std::string& module, const std::string& name);
  void push_integer();
  void push_tuple(std::size_t count);
  PickleValue pop();
  std::size_t pop_mark();
  PickleObject& top(PickleObject::Kind kind);
  void append_from(std::size_t begin, PickleObject::Kind kind);
  void remember(std::uint64_t number);
  void recall(std::uint64_t number);
  std::string line();
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const Parts&... parts) const {
    stream_.fail("the pickle: ", parts...);
  }

  std::deque<PickleObject> objects_;
  std::uint64_t max_objects_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleValue> memo_;
};

}  // namespace tern::detail
