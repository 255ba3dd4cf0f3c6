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
/// None, a bool, an integer, a floating number, or anything else, which its reader owns.
using PickleValue = std::variant<std::nullptr_t, bool, std::int64_t, double, PickleObject*>;

struct PickleObject {
  enum Kind : std::uint8_t { kString, kTuple, kList, kDict, kClass, kStorage, kTensor };

  Kind kind;
  std::string text;                // of a string; "module.name" of a class; the key of a storage
  std::vector<PickleValue> items;  // of a tuple, list or storage; keys and values of a dict in turn
  Tensor tensor;
};

/// What is wrong with a value, in an error: "a tuple".
const char* kind_name(const PickleValue& value);
/// The object of this kind that `value` is, or null.
PickleObject* as(const PickleValue& value, PickleObject::Kind kind);

/// The stack machine that Python's pickles are programs for, in the part of it that builds data:
/// protocols 2 to 5 without what makes or changes objects of classes. It only ever fills
/// PickleObjects; what the few classes mean that a file may name is up to the derived class.
class PickleReader {
 public:
  explicit PickleReader(ByteStream& stream) : stream_(stream) {}
  PickleReader(const PickleReader&) = delete;
  PickleReader& operator=(const PickleReader&) = delete;
  virtual ~PickleReader() = default;

 protected:
  /// Runs one pickle. Its objects live as long as this reader. Throws FileError for any opcode,
  /// class or use of the stack that is not foreseen, and beyond fixed limits.
  PickleValue run();

  /// Whether a pickle may name this class or function: "torch._utils._rebuild_tensor_v2".
  virtual bool is_known(std::string_view name) const = 0;
  /// The result of calling what is_known, with a tuple.
  virtual PickleValue call(const PickleObject& function, const PickleObject& arguments) = 0;
  /// What stands outside of the pickle under `id`.
  virtual PickleValue find_outside(const PickleValue& id) = 0;

  PickleObject* make(PickleObject::Kind kind);
  /// "'fc.weight': " when what is being called will be a value of this key, for errors.
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
