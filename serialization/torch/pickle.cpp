#include <tern/serialization/torch/detail/pickle.h>

#include <algorithm>
#include <optional>

#include <tern/core/tensor/detail/shape.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {
namespace {

// A pickle can refer to one list many times, in lists that it also refers to many times. The State
// copies the list for each reference, so a malicious pickle could grow without limit. Pickles of
// torch.save grow little.
constexpr std::uint64_t kMaxGrowth = 16, kSmall = 4096;

constexpr std::string_view kFunctions[] = {
    "collections.OrderedDict",
    "collections.Counter",
    "torch.Size",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
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

/// Returns true if `name` is the name of a dtype, such as "torch.float32".
bool is_dtype(std::string_view name) {
#define TERN_DTYPE(dtype, type, number, file_name, python_name, category) \
  if (name == "torch." python_name) return true;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return false;
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

State TorchPickle::read() {
  const std::uint64_t before = stream_.remaining();
  const PickleValue value = run();
  budget_ = kSmall + kMaxGrowth * (before - stream_.remaining());
  return to_state(value, 0);
}

bool TorchPickle::is_known(std::string_view name) const {
  if (name.starts_with("__torch__.")) {
    stream_.fail("class '", name,
                 "' belongs to TorchScript; load the file in Python with "
                 "torch.jit.load and torch.save its state_dict()");
  }
  if (dtype_of_storage(name) || is_dtype(name)) return true;
  // PyTorch writes tensors of its newer dtypes with this function.
  if (name == "torch._utils._rebuild_tensor_v3")
    fail("the tensor has a dtype that tern does not have");
  if (name.starts_with("torch.") && name.ends_with("Storage")) {
    stream_.fail("'", name, "' has elements of a dtype that tern does not have");
  }
  return std::ranges::find(kFunctions, name) != std::end(kFunctions);
}

PickleValue TorchPickle::call(const PickleObject& function, const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  const std::string_view name = function.text;
  if (name == "collections.OrderedDict") {
    if (items.empty()) return make(PickleObject::kDict);
    if (PickleObject* list = as(items[0], PickleObject::kList)) return dict_of_pairs(*list);
  }
  const auto kind = name == "torch.Size" ? PickleObject::kTuple : PickleObject::kDict;
  if ((name == "torch.Size" || name == "collections.Counter") && items.size() == 1 &&
      as(items[0], kind) != nullptr) {
    return items[0];
  }
  if (name.starts_with("torch._utils._rebuild_tensor")) {
    PickleObject* object = make(PickleObject::kTensor);
    object->tensor = rebuild(arguments);
    return object;
  }
  // A parameter becomes a plain tensor.
  if (name.starts_with("torch._utils._rebuild_parameter") && items.size() >= 3 &&
      as(items[0], PickleObject::kTensor) != nullptr) {
    return items[0];
  }
  fail("the call of '", name, "' with ", items.size(), " arguments is not supported");
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
  if (tuple == nullptr || tuple->items.size() < 5 || tuple->items.size() > 6) {
    fail("expected a reference to a storage");
  }
  const std::vector<PickleValue>& items = tuple->items;
  const PickleObject *kind = as(items[0], PickleObject::kString),
                     *type = as(items[1], PickleObject::kClass),
                     *key = as(items[2], PickleObject::kString),
                     *location = as(items[3], PickleObject::kString);
  if (kind == nullptr || kind->text != "storage" || type == nullptr || key == nullptr ||
      location == nullptr || !dtype_of_storage(type->text) || !count_of(items[4])) {
    fail("a reference to a storage must be ('storage', class, key, location, count)");
  }
  if (items.size() == 6 && !std::holds_alternative<std::nullptr_t>(items[5])) {
    fail("storage '", key->text,
         "' is a part of another storage; only PyTorch before 0.4 wrote such files");
  }
  PickleObject* storage = make(PickleObject::kStorage);
  storage->text = key->text;
  storage->items = {items[1], items[4]};
  return storage;
}

Tensor TorchPickle::rebuild(const PickleObject& arguments) {
  const std::vector<PickleValue>& items = arguments.items;
  if (items.size() < 4) fail("a tensor needs at least 4 arguments, found ", items.size());
  const PickleObject* storage = as(items[0], PickleObject::kStorage);
  const auto offset = count_of(items[1]);
  const auto sizes = counts_of(items[2]), strides = counts_of(items[3]);
  if (storage == nullptr || !offset || !sizes || !strides || sizes->size() != strides->size()) {
    fail("a tensor needs a storage, an offset, and equally many sizes and strides, at most ",
         kMaxFileDims, " and none negative");
  }
  if (items.size() > 6) {  // flags: the view is the conjugate or the negative of its elements
    const PickleObject* facts = as(items[6], PickleObject::kDict);
    if (facts != nullptr && !facts->items.empty())
      fail("tensors with a conj or neg bit are not supported");
  }
  const auto extent = extent_of(*sizes, *strides, *offset);
  const Tensor& elements = elements_of(*storage);
  if (!extent || *extent > elements.numel()) {
    fail("a tensor of sizes ", IntArrayRef(*sizes), ", strides ", IntArrayRef(*strides),
         ", offset ", *offset, " does not fit into its storage '", storage->text, "' of ",
         elements.numel(), " elements");
  }
  return make_alias(elements, *sizes, *strides, *offset);
}

const Tensor& TorchPickle::elements_of(const PickleObject& storage) {
  const auto [place, is_new] = by_key_.emplace(storage.text, storages_.size());
  const ScalarType dtype = *dtype_of_storage(as(storage.items[0], PickleObject::kClass)->text);
  const std::int64_t count = *count_of(storage.items[1]);
  if (is_new) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(count, element_size(dtype), &bytes)) {
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
         elements.numel(), " ", elements.dtype(), " elements in an earlier tensor");
  }
  return elements;
}

State TorchPickle::to_state(const PickleValue& value, int depth) {
  if (depth > State::kMaxDepth) {
    stream_.fail("dictionaries and lists are nested deeper than ", State::kMaxDepth);
  }
  const auto* const* held = std::get_if<PickleObject*>(&value);
  const std::uint64_t cost = 1 + (held != nullptr ? (*held)->text.size() : 0);
  if (cost > budget_) stream_.fail("the pickle repeats the same objects too many times");
  budget_ -= cost;
  if (std::holds_alternative<std::nullptr_t>(value)) return nullptr;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  const PickleObject& object = **held;
  switch (object.kind) {
    case PickleObject::kString:
      return object.text;
    case PickleObject::kTensor:
      return object.tensor;
    case PickleObject::kTuple:
    case PickleObject::kList: {
      State list = State::list();
      for (const PickleValue& item : object.items) list.push_back(to_state(item, depth + 1));
      return list;
    }
    case PickleObject::kDict: {
      State dict;
      for (std::size_t i = 0; i < object.items.size(); i += 2) {
        dict.insert(key_of(object.items[i]), to_state(object.items[i + 1], depth + 1));
      }
      return dict;
    }
    case PickleObject::kClass:
      if (is_dtype(object.text)) return object.text;
      [[fallthrough]];
    default:
      stream_.fail("expected a value, found ", kind_name(value), ": '", object.text, "'");
  }
}

/// Returns a key of a State. Converts integers, which are keys in the state of Python's optimizers.
std::string TorchPickle::key_of(const PickleValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  const PickleObject* text = as(value, PickleObject::kString);
  if (text == nullptr) {
    stream_.fail("expected a string or an integer as a key, found ", kind_name(value));
  }
  if (text->text.size() > budget_) {
    stream_.fail("the pickle repeats the same objects too many times");
  }
  budget_ -= text->text.size();
  return text->text;
}

}  // namespace tern::detail
