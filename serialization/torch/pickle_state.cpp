#include <algorithm>

#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/torch/detail/pickle.h>

// Builds a State from the value of a pickle.

namespace tern::detail {
namespace {

// A pickle can refer to one list many times, in lists that it also refers to many times. The State
// copies the list for each reference, so a malicious pickle could grow without limit. Pickles of
// torch.save grow little.
constexpr std::uint64_t kMaxGrowth = 16, kSmall = 4096;

}  // namespace

State TorchPickle::read() {
  const std::uint64_t before = stream_.remaining();
  const PickleValue value = run();
  budget_ = kSmall + kMaxGrowth * (before - stream_.remaining());
  const Place root;
  std::optional<State> state = to_state(value, root);
  if (!state) fail_for({}, skipped_->back().second);
  return *std::move(state);
}

void TorchPickle::fail_for(const std::string& name, const std::string& what) const {
  stream_.fail(name.empty() ? "" : text_of('\'', shown_name(name), "': "), "a State cannot hold ",
               what,
               "; save a state_dict() or a dictionary of tensors, numbers, strings and lists");
}

/// Takes `cost` from the number of values and bytes that the state may have.
void TorchPickle::charge(std::uint64_t cost) {
  if (cost > budget_) stream_.fail("the pickle repeats the same objects too many times");
  budget_ -= cost;
}

/// Leaves a value out of the state, or throws FileError if the caller did not allow this.
std::nullopt_t TorchPickle::leave_out(const Place& place, const std::string& what) {
  std::string name;
  for (const Place* at = &place; at->parent != nullptr; at = at->parent) {
    name = text_of(at->key, name.empty() ? "" : ".", name);
  }
  if (skipped_ == nullptr) {
    fail_for(name, what + (place.depth == 0 ? "" : " (LoadFileOptions::skipped leaves it out)"));
  }
  charge(name.size() + what.size());
  skipped_->emplace_back(std::move(name), what);
  return std::nullopt;
}

std::optional<State> TorchPickle::to_state(const PickleValue& value, const Place& place) {
  constexpr std::uint64_t kTensorCost = 32;  // of a tensor for bytes, in values
  if (place.depth > State::kMaxDepth) {
    return leave_out(
        place, text_of("dictionaries and lists that are nested deeper than ", State::kMaxDepth));
  }
  auto* const* held = std::get_if<PickleObject*>(&value);
  charge(1 + (held != nullptr ? (*held)->text.size() : 0));
  if (std::holds_alternative<std::nullptr_t>(value)) return nullptr;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  PickleObject& object = **held;
  switch (object.kind) {
    case PickleObject::kString:
      return object.text;
    case PickleObject::kBytes:
      if (!object.tensor.defined()) {
        charge(kTensorCost);
        object.tensor = make_tensor({static_cast<std::int64_t>(object.text.size())}, kByte, kCPU);
        std::ranges::copy(object.text, static_cast<char*>(object.tensor.data_ptr()));
      }
      return object.tensor;
    case PickleObject::kTensor:
      return object.tensor;
    case PickleObject::kTuple:
    case PickleObject::kList: {
      State list = State::list();
      for (const PickleValue& item : object.items) {
        const std::string index = std::to_string(list.size());
        std::optional<State> element = to_state(item, {&place, index, place.depth + 1});
        // A null in its place keeps the indices of the other elements.
        list.push_back(element ? *std::move(element) : State(nullptr));
      }
      return list;
    }
    case PickleObject::kDict:
      return dict_of(object, place);
    case PickleObject::kClass:
      if (is_dtype(object.text)) return object.text;
      return leave_out(place, text_of("an object of class '", object.text, '\''));
    default:
      return leave_out(place, kind_name(value));
  }
}

State TorchPickle::dict_of(const PickleObject& object, const Place& place) {
  State dict;
  for (std::size_t i = 0; i < object.items.size(); i += 2) {
    const PickleValue& key = object.items[i];
    std::string name;  // integers are keys in the state of Python's optimizers
    if (const auto* integer = std::get_if<std::int64_t>(&key)) {
      name = std::to_string(*integer);
    } else if (const PickleObject* text = as(key, PickleObject::kString)) {
      charge(text->text.size());
      name = text->text;
    } else {
      leave_out(place, text_of("a dictionary with a key that is ", kind_name(key)));
      continue;
    }
    const Place inner{&place, name, place.depth + 1};
    if (dict.contains(name)) {
      leave_out(inner, "a second value of one key");
    } else if (std::optional<State> element = to_state(object.items[i + 1], inner)) {
      dict.insert(std::move(name), *std::move(element));
    }
  }
  return dict;
}

}  // namespace tern::detail
