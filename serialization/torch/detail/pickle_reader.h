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
  /// kForeign: a value that a State cannot hold, such as an object of an unknown class.
  enum Kind : std::uint8_t {
    kString,
    kBytes,
    kTuple,
    kList,
    kDict,
    kClass,
    kStorage,
    kTensor,
    kForeign
  };

  Kind kind;
  /// Content of a string or of bytes, "module.name" of a class, key of a storage, or what a foreign
  /// value is: "a complex number". Of a dict, the class if the dict has the attributes of an
  /// object.
  std::string text;
  /// Elements of a tuple, a list, a set or a storage; alternately keys and values of a dict.
  std::vector<PickleValue> items;
  Tensor tensor;
};

/// Returns the kind of a value for error texts, such as "a tuple".
const char* kind_name(const PickleValue& value);
/// Returns the object in `value`, or null if the value is not an object of this kind.
PickleObject* as(const PickleValue& value, PickleObject::Kind kind);

/// A stack machine for Python's pickles, which are programs. Supports the opcodes that Python
/// writes in protocols 2 to 5. The machine only creates PickleObjects and runs nothing: the derived
/// class decides which functions it knows and what they return. A call of any other function or
/// class gives a foreign value, and so do changes of this value.
class PickleReader {
 public:
  explicit PickleReader(ByteStream& stream) : stream_(stream) {}
  PickleReader(const PickleReader&) = delete;
  PickleReader& operator=(const PickleReader&) = delete;
  virtual ~PickleReader() = default;

 protected:
  /// Runs one pickle and returns its value. The objects live as long as this reader. Throws
  /// FileError for any other opcode, a wrong use of the stack, and sizes beyond fixed limits.
  PickleValue run();

  /// Returns true for the name of a class or function that call() or find_outside() takes, such as
  /// "torch._utils._rebuild_tensor_v2".
  virtual bool is_known(std::string_view name) const = 0;
  /// Returns the result of calling a known function with a tuple of arguments.
  virtual PickleValue call(const PickleObject& function, const PickleObject& arguments) = 0;
  /// Returns the object outside of the pickle that `id` refers to.
  virtual PickleValue find_outside(const PickleValue& id) = 0;

  PickleObject* make(PickleObject::Kind kind, std::string text = {});
  /// Returns the foreign value with this description.
  PickleValue foreign(std::string what);
  /// Returns "'fc.weight': " for error texts if the current call makes the value of this key.
  std::string key_in_front() const;

  ByteStream& stream_;

 private:
  bool step(PickleOpcode opcode);
  void push(PickleValue value) { stack_.push_back(value); }
  void push_text(PickleObject::Kind kind, std::uint64_t size);
  void push_class(const std::string& module, const std::string& name);
  void push_integer(std::uint64_t size);
  void push_tuple(std::size_t count);
  PickleValue pop();
  std::size_t pop_mark();
  void reduce();
  void build();
  PickleObject* top(PickleObject::Kind kind);
  void append_from(std::size_t begin, PickleObject::Kind kind);
  void remember(std::uint64_t number);
  void recall(std::uint64_t number);
  std::string line();
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const Parts&... parts) const {
    stream_.fail("the pickle: ", parts...);
  }

  std::deque<PickleObject> objects_;
  std::unordered_map<std::string, PickleValue> foreign_;  // by description
  std::uint64_t max_objects_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleValue> memo_;
};

}  // namespace tern::detail
