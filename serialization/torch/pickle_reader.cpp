#include <tern/serialization/torch/detail/pickle_reader.h>

#include <algorithm>
#include <bit>

namespace tern::detail {
namespace {

constexpr int kMaxProtocol = 5;
constexpr std::size_t kMaxStack = 1 << 22;
constexpr std::size_t kMaxLine = 256;   // largest size of the name of a module or a class
constexpr std::size_t kMaxShown = 100;  // bytes of such a name in an error text

}  // namespace

const char* kind_name(const PickleValue& value) {
  constexpr const char* kNames[] = {"None", "a bool", "an integer", "a floating number"};
  constexpr const char* kObjectNames[] = {"a string", "bytes",     "a tuple",  "a list", "a dict",
                                          "a class",  "a storage", "a tensor", ""};
  const auto* object = std::get_if<PickleObject*>(&value);
  if (object == nullptr) return kNames[value.index()];
  return (*object)->kind == PickleObject::kForeign ? (*object)->text.c_str()
                                                   : kObjectNames[(*object)->kind];
}

PickleObject* as(const PickleValue& value, PickleObject::Kind kind) {
  const auto* object = std::get_if<PickleObject*>(&value);
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no value holds a null object
  return object != nullptr && (*object)->kind == kind ? *object : nullptr;
}

PickleValue PickleReader::run() {
  stack_.clear();
  marks_.clear();
  memo_.clear();
  max_objects_ = objects_.size() + max_pickle_objects(stream_.remaining());
  while (step(PickleOpcode{stream_.number<std::uint8_t>()})) {
    if (stack_.size() > kMaxStack) fail("more than ", kMaxStack, " values on the stack");
  }
  const PickleValue result = pop();
  if (!stack_.empty() || !marks_.empty()) fail("the pickle ends with more than one value");
  return result;
}

/// Runs one opcode. Returns false at the end of the pickle.
bool PickleReader::step(PickleOpcode opcode) {
  using enum PickleOpcode;
  switch (opcode) {
    case kProtocol: {
      const int protocol = stream_.number<std::uint8_t>();
      if (protocol > kMaxProtocol) fail("pickle protocol ", protocol, " is newer than 5");
      break;
    }
    case kFrame:  // the number of bytes that Python may read ahead, not needed here
      stream_.number<std::uint64_t>();
      break;
    case kStop:
      return false;
    case kMark:
      if (marks_.size() == kMaxStack) fail("more than ", kMaxStack, " marks");
      marks_.push_back(stack_.size());
      break;
    case kNone:
      push(nullptr);
      break;
    case kTrue:
    case kFalse:
      push(opcode == kTrue);
      break;
    case kInt:
      push(std::int64_t{stream_.number<std::int32_t>()});
      break;
    case kInt1:
      push(std::int64_t{stream_.number<std::uint8_t>()});
      break;
    case kInt2:
      push(std::int64_t{stream_.number<std::uint16_t>()});
      break;
    case kLong1:
      push_integer(stream_.number<std::uint8_t>());
      break;
    case kLong4:
      push_integer(stream_.number<std::uint32_t>());
      break;
    case kFloat:  // the only big-endian number
      push(std::bit_cast<double>(__builtin_bswap64(stream_.number<std::uint64_t>())));
      break;
    case kShortString:
    case kShortUnicode:
      push_text(PickleObject::kString, stream_.number<std::uint8_t>());
      break;
    case kString:
    case kUnicode:
      push_text(PickleObject::kString, stream_.number<std::uint32_t>());
      break;
    case kUnicode8:
      push_text(PickleObject::kString, stream_.number<std::uint64_t>());
      break;
    case kShortBytes:
      push_text(PickleObject::kBytes, stream_.number<std::uint8_t>());
      break;
    case kBytes:
      push_text(PickleObject::kBytes, stream_.number<std::uint32_t>());
      break;
    case kBytes8:
    case kByteArray8:
      push_text(PickleObject::kBytes, stream_.number<std::uint64_t>());
      break;
    case kEmptyList:
    case kEmptySet:
      push(make(PickleObject::kList));
      break;
    case kEmptyDict:
      push(make(PickleObject::kDict));
      break;
    case kEmptyTuple:
      push_tuple(0);
      break;
    case kTuple1:
      push_tuple(1);
      break;
    case kTuple2:
      push_tuple(2);
      break;
    case kTuple3:
      push_tuple(3);
      break;
    case kTuple:
    case kFrozenSet: {
      const std::size_t begin = pop_mark();
      push_tuple(stack_.size() - begin);
      break;
    }
    case kAppend:
      append_from(stack_.size() - 1, PickleObject::kList);
      break;
    case kAppends:
    case kAddItems:
      append_from(pop_mark(), PickleObject::kList);
      break;
    case kSetItem:
      append_from(stack_.size() - 2, PickleObject::kDict);
      break;
    case kSetItems:
      append_from(pop_mark(), PickleObject::kDict);
      break;
    case kPop:
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      break;
    case kPopMark:
      stack_.resize(pop_mark());
      break;
    case kPut:
      remember(stream_.number<std::uint8_t>());
      break;
    case kLongPut:
      remember(stream_.number<std::uint32_t>());
      break;
    case kMemoize:
      remember(memo_.size());
      break;
    case kGet:
      recall(stream_.number<std::uint8_t>());
      break;
    case kLongGet:
      recall(stream_.number<std::uint32_t>());
      break;
    case kClass: {
      const std::string module = line();
      push_class(module, line());
      break;
    }
    case kStackClass: {
      const PickleObject *name = as(pop(), PickleObject::kString),
                         *module = as(pop(), PickleObject::kString);
      if (name == nullptr || module == nullptr) fail("the name of a class must be a string");
      push_class(module->text, name->text);
      break;
    }
    case kPersistentId:
      push(find_outside(pop()));
      break;
    case kNewObjectEx:
      if (as(pop(), PickleObject::kDict) == nullptr) fail("named arguments must be a dict");
      [[fallthrough]];
    case kNewObject:
    case kReduce:
      reduce();
      break;
    case kBuild:
      build();
      break;
    default: {
      const int code = static_cast<int>(opcode);
      const bool printable = code > ' ' && code < 127;
      fail("opcode ", code, printable ? text_of(" ('", static_cast<char>(code), "')") : "",
           " is not needed for data; tern does not run it");
    }
  }
  return true;
}

PickleObject* PickleReader::make(PickleObject::Kind kind, std::string text) {
  if (objects_.size() == max_objects_) fail("more than ", max_objects_, " objects");
  return &objects_.emplace_back(PickleObject{kind, std::move(text), {}, {}});
}

PickleValue PickleReader::foreign(std::string what) {
  const auto [place, is_new] = foreign_.try_emplace(std::move(what), nullptr);
  if (is_new) place->second = make(PickleObject::kForeign, place->first);
  return place->second;
}

void PickleReader::push_text(PickleObject::Kind kind, std::uint64_t size) {
  push(make(kind, stream_.text(size)));
}

/// Reads an integer of `size` bytes, little-endian in two's complement.
void PickleReader::push_integer(std::uint64_t size) {
  const std::string bytes = stream_.text(size);
  if (size > sizeof(std::int64_t)) return push(foreign("an integer beyond the range of int64"));
  const bool negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  std::string padded(sizeof(std::int64_t), negative ? '\xff' : '\0');
  std::ranges::copy(bytes, padded.begin());
  push(load_little<std::int64_t>(padded.data()));
}

void PickleReader::push_class(const std::string& module, const std::string& name) {
  if (std::max(module.size(), name.size()) > kMaxLine)
    fail("a name of more than ", kMaxLine, " bytes");
  // Python 3 writes the names of Python 2 in protocol 2.
  const std::string full = (module == "__builtin__" ? "builtins" : module) + "." + name;
  if (full.size() <= kMaxShown && is_known(full)) return push(make(PickleObject::kClass, full));
  push(foreign("an object of class '" + full.substr(0, kMaxShown) + "'"));
}

void PickleReader::push_tuple(std::size_t count) {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (count > stack_.size() - bottom) fail("a tuple of more values than the stack has");
  PickleObject* tuple = make(PickleObject::kTuple);
  const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
  tuple->items.assign(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  push(tuple);
}

/// Removes the top value of the stack. Throws if there is no value above the last mark.
PickleValue PickleReader::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    fail("cannot take a value from an empty stack");
  const PickleValue value = stack_.back();
  stack_.pop_back();
  return value;
}

std::size_t PickleReader::pop_mark() {
  if (marks_.empty()) fail("cannot take a mark from an empty stack");
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

/// Returns the object on top of the stack, or null for a foreign value. Throws for other kinds.
PickleObject* PickleReader::top(PickleObject::Kind kind) {
  const PickleValue value = pop();
  PickleObject* object = as(value, kind);
  if (object == nullptr && as(value, PickleObject::kForeign) == nullptr)
    fail("cannot add items to ", kind_name(value));
  push(value);
  return object;
}

/// Calls a function with the tuple on top of the stack.
void PickleReader::reduce() {
  const PickleValue arguments = pop(), function = pop();
  const PickleObject *tuple = as(arguments, PickleObject::kTuple),
                     *callee = as(function, PickleObject::kClass);
  if (tuple == nullptr) fail("expected a tuple of arguments, found ", kind_name(arguments));
  if (callee != nullptr) return push(call(*callee, *tuple));
  if (as(function, PickleObject::kForeign) == nullptr)
    fail("expected a function to call, found ", kind_name(function));
  push(function);  // an object of this class
}

/// Moves the attributes into an object that a dict stands for. Ignores those of other dicts: a
/// state_dict() stores the versions of modules in them.
void PickleReader::build() {
  const PickleValue value = pop();
  PickleObject *const object = top(PickleObject::kDict), *const attributes =
                                                             as(value, PickleObject::kDict);
  if (object != nullptr && (attributes == nullptr || attributes == object))
    fail("the attributes of a dict must be a dict");
  // Moved, so that a pickle cannot make many copies of one dict.
  if (object != nullptr && !object->text.empty()) object->items = std::move(attributes->items);
}

/// Moves the values from `begin` to the top of the stack into the container below them.
void PickleReader::append_from(std::size_t begin, PickleObject::Kind kind) {
  if (begin > stack_.size() || begin < (marks_.empty() ? 0 : marks_.back())) {
    fail("cannot take items from an empty stack");
  }
  const std::vector<PickleValue> items(stack_.begin() + static_cast<std::ptrdiff_t>(begin),
                                       stack_.end());
  stack_.resize(begin);
  PickleObject* container = top(kind);
  if (kind == PickleObject::kDict && items.size() % 2 != 0)
    fail("a dict has a key without a value");
  if (container != nullptr)
    container->items.insert(container->items.end(), items.begin(), items.end());
}

void PickleReader::remember(std::uint64_t number) {
  const PickleValue value = pop();
  push(value);
  memo_[number] = value;
  if (memo_.size() > max_objects_) fail("more than ", max_objects_, " values in the memo");
}

void PickleReader::recall(std::uint64_t number) {
  const auto found = memo_.find(number);
  if (found == memo_.end()) fail("the memo has no value ", number);
  push(found->second);
}

std::string PickleReader::line() {
  std::string text;
  for (char c = stream_.number<char>(); c != '\n'; c = stream_.number<char>()) {
    if (text.size() == kMaxLine) fail("a name of more than ", kMaxLine, " bytes");
    text += c;
  }
  return text;
}

std::string PickleReader::key_in_front() const {
  const PickleObject* key = stack_.empty() ? nullptr : as(stack_.back(), PickleObject::kString);
  return key == nullptr ? "" : text_of('\'', key->text.substr(0, 200), "': ");
}

}  // namespace tern::detail
