#include <tern/serialization/torch/detail/pickler.h>

#include <bit>
#include <limits>
#include <utility>

#include <tern/core/tensor/detail/shape.h>
#include <tern/serialization/file/detail/little_endian.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/state/detail/flat_state.h>
#include <tern/serialization/torch/detail/pickle_opcodes.h>

namespace tern::detail {
namespace {

constexpr std::string_view kOrderedDict = "ccollections\nOrderedDict\n)R";
constexpr auto kNone = static_cast<std::size_t>(-1);

bool is_number(const std::string& key) {
  return !key.empty() && key.size() < 19 && key.find_first_not_of("0123456789") == key.npos &&
         (key[0] != '0' || key.size() == 1);
}

}  // namespace

void Pickler::count_tensors(const State& state) {
  if (state.is_tensor()) ++uses_[key_of(state.tensor())].tensors;
  if (state.is_list()) {
    for (const State& element : state.elements()) count_tensors(element);
  } else if (state.is_dict()) {
    for (const auto& [key, element] : state) count_tensors(element);
  }
}

void Pickler::value(const State& state) {
  switch (state.kind()) {
    case State::Kind::Null:
      text_ += 'N';
      break;
    case State::Kind::Bool:
      text_ += state.to<bool>() ? '\x88' : '\x89';
      break;
    case State::Kind::Int:
      integer(state.to<std::int64_t>());
      break;
    case State::Kind::Double:
      text_ += 'G';
      append_little<std::uint64_t>(
          text_, __builtin_bswap64(std::bit_cast<std::uint64_t>(state.to<double>())));
      break;
    case State::Kind::String:
      string(state.string());
      break;
    case State::Kind::Tensor:
      tensor(state.tensor());
      break;
    case State::Kind::List:
      ++objects_;
      text_ += ']';
      in_batches(state.elements(), 'e', [&](const State& element) { value(element); });
      break;
    case State::Kind::Dict:
      dict(state, false);
      break;
  }
}

/// Writes a dictionary. With `numbered`, keys such as "0" become integers.
void Pickler::dict(const State& state, bool numbered) {
  // Python looks for 0, not "0", in the "state" of an optimizer and in "milestones" of
  // MultiStepLR.
  const bool is_optimizer = state.contains("state") && state.contains("param_groups");
  const bool is_scheduler = state.contains("milestones") && state.contains("last_epoch");
  bool tensors_only = !state.empty();
  for (const auto& [key, element] : state) tensors_only = tensors_only && element.is_tensor();
  objects_ += 3;
  text_ += tensors_only ? kOrderedDict : std::string_view("}");
  in_batches(state, 'u', [&](const State::Item& item) {
    const auto& [key, element] = item;
    if (numbered && is_number(key)) {
      integer(std::stoll(key));
    } else {
      string(key);
    }
    const bool has_numbers =
        (is_optimizer && key == "state") || (is_scheduler && key == "milestones");
    if (has_numbers && element.is_dict()) {
      dict(element, true);
    } else {
      value(element);
    }
  });
}

void Pickler::integer(std::int64_t number) {
  if (std::in_range<std::int32_t>(number)) {
    text_ += 'J';
    append_little<std::int32_t>(text_, static_cast<std::int32_t>(number));
  } else {
    text_ += "\x8a\x08";
    append_little<std::int64_t>(text_, number);
  }
}

void Pickler::string(const std::string& text) {
  quote_json(text);  // throws if the text is not UTF-8
  TERN_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max(), Error, "a string of ",
             text.size(), " bytes is too long for a pickle");
  ++objects_;
  text_ += 'X';
  append_little<std::uint32_t>(text_, static_cast<std::uint32_t>(text.size()));
  text_ += text;
}

void Pickler::counts(IntArrayRef numbers) {
  text_ += '(';
  for (const std::int64_t number : numbers) integer(number);
  text_ += 't';
}

void Pickler::tensor(const Tensor& tensor) {
  Use& use = uses_[key_of(tensor)];
  // Tensors that share a storage also share it in the file. A tensor that alone uses its storage
  // writes only its own elements.
  const bool shared = use.tensors > 1;
  const std::size_t bytes = shared ? tensor.self().storage->bytes() : tensor.nbytes();
  const auto count = static_cast<std::int64_t>(bytes / tensor.element_size());
  if (use.number == kNone) {
    use.number = storages_.size();
    storages_.push_back(shared ? make_alias(tensor, {count}, {1}, 0) : tensor.detach());
  }
  objects_ += 12;  // without the three strings, which string() counts
  text_ += "ctorch._utils\n_rebuild_tensor_v2\n((";
  string("storage");
  text_ += text_of("ctorch\n", tensor.scalar_type(), "Storage\n");
  string(std::to_string(use.number));
  string("cpu");
  integer(count);
  text_ += "tQ";
  integer(shared ? tensor.storage_offset() : 0);
  counts(tensor.sizes());
  counts(shared ? tensor.strides() : IntArrayRef(contiguous_strides(tensor.sizes())));
  text_ += requires_grad_ && tensor.requires_grad() ? '\x88' : '\x89';
  text_ += kOrderedDict;  // no hooks
  text_ += "tR";
}

void Pickler::finish(ZipWriter& zip, const std::string& folder) {
  text_ += '.';
  const std::uint64_t most = max_pickle_objects(text_.size());
  TERN_CHECK(objects_ <= most, Error, "a .pt file with ", text_.size(),
             " bytes besides its elements can have at most ", most,
             " lists, dictionaries and strings, got ", objects_);
  zip.add(folder + "data.pkl", {text_});
  zip.add(folder + "byteorder", {"little"});
  for (std::size_t i = 0; i < storages_.size(); ++i) {
    const Tensor host = storages_[i].cpu().contiguous();
    zip.add(folder + "data/" + std::to_string(i), {bytes_of(host)});
  }
  zip.add(folder + "version", {"3\n"});
}

}  // namespace tern::detail
