#include <tern/serialization/torch/detail/pickle.h>

#include <algorithm>
#include <optional>

#include <tern/core/tensor/detail/shape.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

constexpr std::size_t kMaxKey = 100;  // bytes of the key of a storage; PyTorch writes a number

constexpr std::string_view kFunctions[] = {
    "_codecs.encode",
    "builtins.bytearray",
    "builtins.bytes",
    "builtins.complex",
    "builtins.frozenset",
    "builtins.set",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.defaultdict",
    "torch.Size",
    "torch._tensor._rebuild_from_type",
    "torch._tensor._rebuild_from_type_v2",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor",
    "torch._utils._rebuild_meta_tensor_no_storage",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch.device",
    "torch.jit._pickle.build_boollist",
    "torch.jit._pickle.build_doublelist",
    "torch.jit._pickle.build_intlist",
    "torch.jit._pickle.build_tensorlist",
    "torch.jit._pickle.restore_type_tag",
};

/// Returns the dtype of torch.FloatStorage, torch.cuda.LongStorage and so on.
std::optional<ScalarType> dtype_of_storage(std::string_view name) {
  for (const std::string_view prefix : {"torch.cuda.", "torch."}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
#define TERN_DTYPE(dtype, ...) \
  if (name == #dtype "Storage") return ScalarType::dtype;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
    break;
  }
  return std::nullopt;
}

/// Returns true for the class of a storage of any dtype.
bool is_storage(std::string_view name) {
  return name.starts_with("torch.") && name.ends_with("Storage");
}

/// Returns the size of an element in a storage of this class, in bytes.
std::size_t element_size_of(std::string_view storage) {
  if (const auto dtype = dtype_of_storage(storage)) return element_size(*dtype);
  if (storage.ends_with("ComplexDoubleStorage")) return 16;
  if (storage.ends_with("ComplexFloatStorage")) return 8;
  return storage.ends_with("QInt32Storage") ? 4 : 1;
}

/// Returns the dtype of the name of a dtype that tern has, such as "torch.float32".
std::optional<ScalarType> dtype_of_python_name(std::string_view name) {
#define TERN_DTYPE(dtype, type, number, file_name, python_name, category) \
  if (name == "torch." python_name) return ScalarType::dtype;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return std::nullopt;
}

/// Returns true for the class of an object in an archive of libtorch's C++ frontend:
/// "__torch__.Module" or "__torch__.___torch_mangle_12.Module".
bool is_script_module(std::string_view name) {
  constexpr std::string_view kTorch = "__torch__.", kMangle = "___torch_mangle_", kEnd = "Module";
  if (!name.starts_with(kTorch) || !name.ends_with(kEnd)) return false;
  name.remove_prefix(kTorch.size());
  name.remove_suffix(kEnd.size());
  if (name.empty()) return true;
  if (!name.starts_with(kMangle) || !name.ends_with('.')) return false;
  name = name.substr(kMangle.size(), name.size() - kMangle.size() - 1);
  return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
}

/// Returns the bytes that a text has in Latin-1, or nullopt if it has characters that Latin-1
/// lacks.
std::optional<std::string> latin1(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text.data(), text.data() + text.size());
    const auto first = static_cast<unsigned char>(text[0]);
    if (size == 0 || first > 0xC3) return std::nullopt;
    bytes += size == 1 ? text[0] : static_cast<char>((first & 3) << 6 | (text[1] & 0x3F));
    text.remove_prefix(size);
  }
  return bytes;
}

/// Returns argument `i` of a call, or null if it is missing or not an object of this kind.
PickleObject* argument(const PickleObject& arguments, std::size_t i, PickleObject::Kind kind) {
  return i < arguments.items.size() ? as(arguments.items[i], kind) : nullptr;
}

/// Returns the object as a value, or nullopt for null.
std::optional<PickleValue> some(PickleObject* object) {
  return object == nullptr ? std::nullopt : std::optional<PickleValue>(object);
}

/// Returns the integer in `value`, or nullopt if the value is not an integer or is negative.
std::optional<std::int64_t> count_of(const PickleValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number >= 0 ? std::optional(*number) : std::nullopt;
}

/// Returns the non-negative integers of a tuple, or nullopt for any other value.
std::optional<DimVector> counts_of(const PickleValue& value) {
  const PickleObject* sequence = as(value, PickleObject::kTuple);
  if (sequence == nullptr || sequence->items.size() > kMaxFileDims) return std::nullopt;
  DimVector counts;
  for (const PickleValue& item : sequence->items) {
    const auto count = count_of(item);
    if (!count) return std::nullopt;
    counts.push_back(*count);
  }
  return counts;
}

/// Returns the number of elements from the start of the storage to the last element of the view: 0
/// for an empty view, whose offset may lie beyond the storage. Returns nullopt if this number, the
/// offset or the size of the view in bytes exceeds an int64.
std::optional<std::int64_t> extent_of(IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
  constexpr std::int64_t kMaxSize = 16;  // bytes; the largest element
  std::int64_t extent = offset, count = 1, bytes = 0;
  bool is_empty = false, overflow = __builtin_mul_overflow(offset, kMaxSize, &bytes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t size = std::max<std::int64_t>(sizes[i], 1);
    std::int64_t step = 0;
    is_empty = is_empty || sizes[i] == 0;
    overflow = overflow || __builtin_mul_overflow(size - 1, strides[i], &step) ||
               __builtin_add_overflow(extent, step, &extent) ||
               __builtin_mul_overflow(count, size, &count);
  }
  overflow = overflow || __builtin_mul_overflow(count, kMaxSize, &bytes) ||
             __builtin_add_overflow(extent, 1, &extent);
  if (overflow) return std::nullopt;
  return is_empty ? 0 : extent;
}

}  // namespace

bool TorchPickle::is_dtype(std::string_view name) {
  constexpr std::string_view kKinds[] = {"int",  "uint",  "float", "bfloat",
                                         "qint", "quint", "bits",  "complex"};
  if (name == "torch.bool") return true;
  const std::size_t digit = name.find_first_of("0123456789");
  if (!name.starts_with("torch.") || digit == name.npos) return false;
  return std::ranges::find(kKinds, name.substr(6, digit - 6)) != std::end(kKinds);
}

std::size_t TorchPickle::element_size(const std::string& key) const {
  const auto found = element_sizes_.find(key);
  return found == element_sizes_.end() || by_key_.contains(key) ? 0 : found->second;
}

bool TorchPickle::is_known(std::string_view name) const {
  if (is_script_module(name)) return true;
  if (name.starts_with("__torch__.")) {
    stream_.fail("class '", name,
                 "' belongs to TorchScript; load the file in Python with "
                 "torch.jit.load and torch.save its state_dict()");
  }
  return is_storage(name) || is_dtype(name) ||
         std::ranges::find(kFunctions, name) != std::end(kFunctions);
}

PickleValue TorchPickle::call(const PickleObject& function, const PickleObject& arguments) {
  const std::string_view name = function.text;
  const bool is_script = is_script_module(name) || name.starts_with("torch.jit.");
  const auto result = is_script                    ? call_script(name, arguments)
                      : name.starts_with("torch.") ? call_torch(name, arguments)
                                                   : call_python(name, arguments);
  if (result) return *result;
  fail("the call of '", name, "' with ", arguments.items.size(), " arguments is not supported");
}

/// Returns nullopt for unsupported arguments.
std::optional<PickleValue> TorchPickle::call_python(std::string_view name,
                                                    const PickleObject& arguments) {
  const bool no_arguments = arguments.items.empty();
  PickleObject* const list = argument(arguments, 0, PickleObject::kList);
  if (name == "builtins.complex") return foreign("a complex number");
  if (name == "builtins.set" || name == "builtins.frozenset") {
    return some(no_arguments ? make(PickleObject::kList) : list);
  }
  if (name == "collections.Counter") return some(argument(arguments, 0, PickleObject::kDict));
  if (name.starts_with("collections.")) {
    if (list != nullptr) return dict_of_pairs(*list);
    // The function that makes missing values of a defaultdict is of no use without Python.
    const bool is_empty = no_arguments || name == "collections.defaultdict";
    return some(is_empty ? make(PickleObject::kDict) : nullptr);
  }
  if (no_arguments) return make(PickleObject::kBytes);
  if (PickleObject* text = argument(arguments, 0, PickleObject::kString)) return encode(*text);
  return some(argument(arguments, 0, PickleObject::kBytes));
}

/// Returns nullopt for unsupported arguments.
std::optional<PickleValue> TorchPickle::call_script(std::string_view name,
                                                    const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  if (is_script_module(name)) {
    if (!items.empty()) return std::nullopt;
    return make(PickleObject::kDict, std::string(name));  // BUILD adds the attributes
  }
  if (name == "torch.jit._pickle.restore_type_tag") {  // (value, type)
    return items.size() == 2 ? std::optional(items[0]) : std::nullopt;
  }
  return items.size() == 1 ? some(argument(arguments, 0, PickleObject::kList)) : std::nullopt;
}

/// Returns nullopt for unsupported arguments.
std::optional<PickleValue> TorchPickle::call_torch(std::string_view name,
                                                   const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  PickleObject* const unknown = argument(arguments, 0, PickleObject::kForeign);
  if (name == "torch.Size") return some(argument(arguments, 0, PickleObject::kTuple));
  if (name == "torch.device") {
    PickleObject* const type = argument(arguments, 0, PickleObject::kString);
    const auto index = items.size() < 2 ? std::nullopt : count_of(items[1]);
    if (type == nullptr || !index) return some(type);
    return make(PickleObject::kString, text_of(type->text.substr(0, kMaxKey), ':', *index));
  }
  if (name == "torch._utils._rebuild_sparse_tensor") return foreign("a sparse tensor");
  if (name == "torch._utils._rebuild_qtensor") return foreign("a quantized tensor");
  if (name == "torch._utils._rebuild_meta_tensor_no_storage") return rebuild_meta(arguments);
  if (name.starts_with("torch._utils._rebuild_tensor")) return rebuild(arguments);
  if (name.starts_with("torch._tensor._rebuild_from_type")) {
    // (function, class, arguments, attributes): a tensor of any class becomes a plain tensor.
    const PickleObject *const inner = argument(arguments, 0, PickleObject::kClass),
                              *const inputs = argument(arguments, 2, PickleObject::kTuple);
    if (inner == nullptr || inputs == nullptr) return some(unknown);
    if (!inner->text.starts_with("torch._utils.")) return std::nullopt;  // or it could call itself
    return call(*inner, *inputs);
  }
  if (items.size() < 3) return std::nullopt;
  // A parameter or a tensor of another device becomes a plain tensor.
  return some(unknown != nullptr ? unknown : argument(arguments, 0, PickleObject::kTensor));
}

/// Returns the bytes that protocol 2 writes as text in Latin-1. The text keeps them, so that a
/// pickle cannot make many copies.
PickleValue TorchPickle::encode(PickleObject& text) {
  if (text.items.empty()) {
    std::optional<std::string> bytes = latin1(text.text);
    if (!bytes) fail("a character of the bytes is not in Latin-1");
    text.items = {make(PickleObject::kBytes, *std::move(bytes))};
  }
  return text.items[0];
}

/// Reads OrderedDict([[key, value], ...]), the form of Python 2. Changes the list itself into the
/// dict, so that a pickle cannot make many copies of one list.
PickleValue TorchPickle::dict_of_pairs(PickleObject& list) {
  std::vector<PickleValue> items;
  for (const PickleValue& item : list.items) {
    const PickleObject* pair = as(item, PickleObject::kList);
    if (pair == nullptr) pair = as(item, PickleObject::kTuple);
    if (pair == nullptr || pair->items.size() != 2)
      fail("an OrderedDict needs pairs of a key and a value");
    items.insert(items.end(), pair->items.begin(), pair->items.end());
  }
  list.kind = PickleObject::kDict;
  list.items = std::move(items);
  return &list;
}

PickleValue TorchPickle::find_outside(const PickleValue& id) {
  const PickleObject* tuple = as(id, PickleObject::kTuple);
  // The older form refers to classes of modules by ('module', class, file, source).
  if (tuple != nullptr && tuple->items.size() == 4 && as(tuple->items[1], PickleObject::kForeign)) {
    return tuple->items[1];
  }
  if (tuple == nullptr || tuple->items.size() < 5 || tuple->items.size() > 6) {
    fail("expected a reference to a storage");
  }
  const std::vector<PickleValue>& items = tuple->items;
  const PickleObject *kind = as(items[0], PickleObject::kString),
                     *type = as(items[1], PickleObject::kClass),
                     *key = as(items[2], PickleObject::kString),
                     *location = as(items[3], PickleObject::kString);
  if (kind == nullptr || kind->text != "storage" || type == nullptr || key == nullptr ||
      key->text.size() > kMaxKey || location == nullptr || !is_storage(type->text) ||
      !count_of(items[4])) {
    fail("a reference to a storage must be ('storage', class, key, location, count)");
  }
  if (items.size() == 6 && !std::holds_alternative<std::nullptr_t>(items[5])) {
    fail("storage '", key->text,
         "' is a part of another storage; only PyTorch before 0.4 wrote such files");
  }
  element_sizes_.emplace(key->text, element_size_of(type->text));
  PickleObject* storage = make(PickleObject::kStorage, key->text);
  storage->items = {items[1], items[4]};
  return storage;
}

PickleValue TorchPickle::make_value(Tensor tensor) {
  PickleObject* object = make(PickleObject::kTensor);
  object->tensor = std::move(tensor);
  return object;
}

/// Builds a tensor from (storage, offset, sizes, strides, requires_grad, hooks, ...).
PickleValue TorchPickle::rebuild(const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  if (items.size() < 4) fail("a tensor needs at least 4 arguments, found ", items.size());
  const PickleObject* storage = as(items[0], PickleObject::kStorage);
  const auto offset = count_of(items[1]);
  const auto sizes = counts_of(items[2]), strides = counts_of(items[3]);
  if (storage == nullptr || !offset || !sizes || !strides || sizes->size() != strides->size()) {
    fail("a tensor needs a storage, an offset, and equally many sizes and strides, at most ",
         kMaxFileDims, " and none negative");
  }
  const std::string& type = as(storage->items[0], PickleObject::kClass)->text;
  if (items.size() > 6) {
    // The dtype of _rebuild_tensor_v3, or flags of _v2: the view is the conjugate or the negative
    // of its elements.
    if (const PickleObject* dtype = as(items[6], PickleObject::kClass))
      return foreign("a tensor of dtype " + dtype->text);
    const PickleObject* flags = as(items[6], PickleObject::kDict);
    if (flags != nullptr && !flags->items.empty())
      return foreign("a tensor with a conj or neg bit");
  }
  if (!dtype_of_storage(type)) return foreign("a tensor in a " + type);
  const auto extent = extent_of(*sizes, *strides, *offset);
  const Tensor& elements = elements_of(*storage);
  if (!extent || *extent > elements.numel()) {
    fail("a tensor of sizes ", IntArrayRef(*sizes), ", strides ", IntArrayRef(*strides),
         ", offset ", *offset, " does not fit into its storage '", storage->text, "' of ",
         elements.numel(), " elements");
  }
  Tensor tensor = make_alias(elements, *sizes, *strides, *offset);
  const bool* const requires_grad = items.size() > 4 ? std::get_if<bool>(&items[4]) : nullptr;
  if (requires_grad_ && requires_grad != nullptr && tensor.is_floating_point()) {
    tensor.set_requires_grad(*requires_grad);
  }
  return make_value(std::move(tensor));
}

/// Builds a tensor on the device meta from (dtype, sizes, strides, requires_grad).
PickleValue TorchPickle::rebuild_meta(const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  const PickleObject* type = items.size() < 3 ? nullptr : as(items[0], PickleObject::kClass);
  if (type == nullptr) fail("a tensor on meta needs a dtype, sizes and strides");
  const auto dtype = dtype_of_python_name(type->text);
  if (!dtype) return foreign("a tensor of dtype " + type->text);
  const auto sizes = counts_of(items[1]), strides = counts_of(items[2]);
  const auto extent = sizes && strides && sizes->size() == strides->size()
                          ? extent_of(*sizes, *strides, 0)
                          : std::nullopt;
  if (!extent) fail("the sizes and strides of a tensor on meta do not fit together");
  return make_value(make_alias(make_tensor({*extent}, *dtype, kMeta), *sizes, *strides, 0));
}

const Tensor& TorchPickle::elements_of(const PickleObject& storage) {
  const auto [place, is_new] = by_key_.emplace(storage.text, storages_.size());
  const ScalarType dtype = *dtype_of_storage(as(storage.items[0], PickleObject::kClass)->text);
  const std::int64_t count = *count_of(storage.items[1]);
  if (is_new) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(count, tern::element_size(dtype), &bytes)) {
      fail("storage '", storage.text, "' of ", count, " elements is too large");
    }
    const std::uint64_t found = storage_size_(storage.text, bytes);
    if (found != bytes) {
      fail("storage '", storage.text, "' of ", count, " ", dtype, " elements takes ", bytes,
           " bytes, but the file has ", found);
    }
    storages_.push_back({storage.text, key_in_front(), make_tensor({count}, dtype, kCPU)});
  }
  const Tensor& elements = storages_[place->second].elements;
  if (elements.dtype() != dtype || elements.numel() != count) {
    fail("storage '", storage.text, "' has ", count, " ", dtype, " elements here, but ",
         elements.numel(), " ", elements.scalar_type(), " elements in an earlier tensor");
  }
  return elements;
}

}  // namespace tern::detail
