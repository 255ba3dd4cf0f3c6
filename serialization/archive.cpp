#include <tern/serialization/archive.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <iterator>
#include <ostream>

#include <tern/serialization/detail/formats.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>
#include <tern/serialization/torch/detail/pickler.h>
#include <tern/serialization/torch/detail/script.h>

namespace tern::serialize {
namespace {

using autograd::SavedValue;
using detail::InputFile;
using detail::ScriptAttribute;
using detail::ScriptModule;
using Role = ScriptAttribute::Role;

const char* const kStream = "a stream";
const char* const kMemory = "memory";

template <class List>
State list_of(const List& elements) {
  std::vector<State> list;
  list.reserve(elements.size());
  for (const auto& element : elements) list.emplace_back(element);
  return State::list(std::move(list));
}

State state_of(const SavedValue& value) {
  TERN_CHECK(!value.isTuple(), Error, "an archive takes no tuples");
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isTensor()) return value.toTensor();
  if (value.isIntList()) return list_of(value.toIntVector());
  if (value.isDoubleList()) return list_of(value.toDoubleVector());
  if (value.isBoolList()) return list_of(value.toBoolVector());
  if (value.isTensorList()) return list_of(value.toTensorVector());
  return nullptr;
}

/// Returns the type in TorchScript of the list in `value`, which may be empty, or of another value.
std::string type_of(const SavedValue& value, const State& state) {
  if (value.isIntList()) return "List[int]";
  if (value.isDoubleList()) return "List[float]";
  return value.isBoolList() ? "List[bool]" : detail::script_type(state);
}

template <class T>
std::vector<T> vector_of(const State& list) {
  std::vector<T> elements;
  for (const State& element : list.elements()) elements.push_back(element.to<T>());
  return elements;
}

SavedValue value_of(const State& state) {
  switch (state.kind()) {
    case State::Kind::Bool:
      return state.to<bool>();
    case State::Kind::Int:
      return state.to<std::int64_t>();
    case State::Kind::Double:
      return state.to<double>();
    case State::Kind::String:
      return state.string();
    case State::Kind::Tensor:
      return state.tensor();
    case State::Kind::List: {
      const State::Kind kind = state.empty() ? State::Kind::Int : state[0].kind();
      if (kind == State::Kind::Bool) return vector_of<bool>(state);
      if (kind == State::Kind::Double) return vector_of<double>(state);
      if (kind == State::Kind::Tensor) return vector_of<Tensor>(state);
      return vector_of<std::int64_t>(state);
    }
    default:
      return {};
  }
}

ScriptAttribute* find(ScriptModule& module, const std::string& key) {
  const auto found = std::ranges::find(module.attributes, key, &ScriptAttribute::name);
  return found == module.attributes.end() ? nullptr : &*found;
}

/// Adds an attribute, or replaces one of the same type.
void put(ScriptModule& module, ScriptAttribute attribute) {
  ScriptAttribute* const old = find(module, attribute.name);
  if (old == nullptr) return module.attributes.push_back(std::move(attribute));
  const auto shown = [](const ScriptAttribute& a) { return a.module ? "an archive" : a.type; };
  TERN_CHECK(old->module == nullptr && attribute.module == nullptr && old->type == attribute.type,
             Error, shown(attribute), " is not compatible with the type ", shown(*old),
             " for the field '", attribute.name, "'");
  *old = std::move(attribute);
}

/// Returns true if `module` is `wanted` or has it somewhere below.
bool reaches(const ScriptModule& module, const ScriptModule& wanted) {
  return &module == &wanted || std::ranges::any_of(module.attributes, [&](const auto& attribute) {
    return attribute.module && reaches(*attribute.module, wanted);
  });
}

State tree_of(const ScriptModule& module) {
  State tree;
  for (const ScriptAttribute& attribute : module.attributes) {
    tree.insert(attribute.name, attribute.module ? tree_of(*attribute.module) : attribute.value);
  }
  return tree;
}

/// Moves all tensors to a device.
State moved(const State& state, Device device) {
  if (state.is_tensor()) {
    const Tensor& tensor = state.tensor();
    return tensor.detach().to(device).set_requires_grad(tensor.requires_grad());
  }
  if (state.is_list()) {
    State list = State::list();
    for (const State& element : state.elements()) list.push_back(moved(element, device));
    return list;
  }
  if (!state.is_dict()) return state;
  State dict;
  for (const auto& [key, value] : state) dict.insert(key, moved(value, device));
  return dict;
}

InputFile::Read memory_reader(const char* data) {
  return [data](std::uint64_t offset, void* to, std::size_t count) {
    std::memcpy(to, data + offset, count);
    return count;
  };
}

/// Returns the tree of an archive, or of a state in any other format.
State tree_in(const InputFile& file, const detail::Format* expected) {
  const detail::Format& format = detail::format_of_content(expected, file);
  State state = detail::is_script(file) ? detail::read_script_tree(file) : format.read(file, {});
  if (state.is_dict()) return state;
  State tree;
  if (state.is_list()) {
    for (const State& element : state.elements()) tree.insert(std::to_string(tree.size()), element);
  } else {
    tree.insert("0", state);
  }
  return tree;
}

/// Returns the tree of a file with its tensors on the device.
State loaded(const std::string& name, std::optional<Device> device,
             const std::function<State()>& read) {
  try {
    const State tree = read();
    return device ? moved(tree, *device) : tree;
  } catch (const Error&) {
    tern::detail::rethrow_named("load", name);
  }
}

}  // namespace

OutputArchive::OutputArchive() : OutputArchive(nullptr) {}
OutputArchive::OutputArchive(const std::shared_ptr<CompilationUnit>& unit)
    : content_(std::make_shared<ScriptModule>()),
      unit_(unit != nullptr ? unit : std::make_shared<CompilationUnit>()) {}
OutputArchive::OutputArchive(OutputArchive&&) noexcept = default;
OutputArchive& OutputArchive::operator=(OutputArchive&&) noexcept = default;
OutputArchive::~OutputArchive() = default;

void OutputArchive::write(const std::string& key, const Tensor& tensor, bool is_buffer) {
  TERN_CHECK(tensor.defined(), Error, "the tensor '", key, "' is undefined");
  const Role role = is_buffer ? Role::kBuffer : Role::kParameter;
  put(*content_, {.name = key, .type = "Tensor", .value = tensor, .module = nullptr, .role = role});
}

void OutputArchive::write(const std::string& key, const SavedValue& value) {
  const State state = state_of(value);
  put(*content_, {.name = key, .type = type_of(value, state), .value = state});
}

void OutputArchive::write(const std::string& key, OutputArchive& archive) {
  TERN_CHECK(!reaches(*archive.content_, *content_), Error, "the archive '", key,
             "' would contain itself");
  put(*content_, {.name = key, .type = "", .module = archive.content_});
}

void OutputArchive::write_items(const State& dict) {
  for (ScriptAttribute& attribute : detail::script_of(dict).attributes) {
    put(*content_, std::move(attribute));
  }
}

void OutputArchive::write_optimizer(const State& state_dict) {
  for (ScriptAttribute& attribute : detail::script_of_optimizer(state_dict).attributes) {
    put(*content_, std::move(attribute));
  }
}

void OutputArchive::save_to(const std::string& path) const {
  if (has_state_suffix(path)) return save_state(tree_of(*content_), path);
  try {
    detail::AtomicFile file(path);
    detail::ZipWriter zip(file);
    detail::write_script(*content_, zip);
    file.commit();
  } catch (...) {
    tern::detail::rethrow_named("save", path);
  }
}

void OutputArchive::save_to(std::ostream& stream) const {
  save_to([&](const void* bytes, std::size_t count) {
    stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    return stream ? count : 0;
  });
}

void OutputArchive::save_to(
    const std::function<std::size_t(const void* bytes, std::size_t count)>& write) const {
  detail::ZipWriter zip(kStream, [&](std::string_view bytes) {
    if (bytes.empty()) return;
    const std::size_t done = write(bytes.data(), bytes.size());
    TERN_CHECK(done == bytes.size(), FileError, "save: only ", done, " of ", bytes.size(),
               " bytes were written");
  });
  detail::write_script(*content_, zip);
}

void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) {
  TERN_CHECK(try_read(key, tensor, is_buffer), Error, "No such serialized tensor '", prefix_, key,
             "'");
}

void InputArchive::read(const std::string& key, SavedValue& value) {
  TERN_CHECK(try_read(key, value), Error, "__torch__.Module does not have a field with name '",
             prefix_, key, "'");
}

void InputArchive::read(const std::string& key, InputArchive& archive) {
  TERN_CHECK(try_read(key, archive), Error, "No such serialized submodule: '", prefix_, key, "'");
}

bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool /*is_buffer*/) {
  const State* const found = find(key);
  if (found == nullptr || !found->is_tensor()) return false;
  const Tensor read = found->tensor();
  if (tensor.defined()) {
    tensor.set_data(read.detach().to(tensor.device(), tensor.dtype()));
  } else {
    tensor = read;
  }
  return true;
}

bool InputArchive::try_read(const std::string& key, SavedValue& value) {
  const State* const found = find(key);
  if (found == nullptr || found->is_dict()) return false;
  value = value_of(*found);
  return true;
}

bool InputArchive::try_read(const std::string& key, InputArchive& archive) {
  const State* const found = find(key);
  State inner;
  if (found != nullptr && found->is_dict()) {
    inner = *found;
  } else {  // the names of a state_dict() join the keys by dots
    inner = strip_prefix(state_, key + ".");
    if (inner.empty()) return false;
  }
  std::string prefix = prefix_ + key + ".";  // before archive changes, which may be this one
  archive.state_ = std::move(inner);
  archive.prefix_ = std::move(prefix);
  return true;
}

State InputArchive::optimizer_state() const {
  return detail::is_script_optimizer(state_) ? detail::optimizer_of_script(state_) : state_;
}

void InputArchive::load_from(const std::string& path, std::optional<Device> device) {
  state_ = loaded(path, device,
                  [&] { return tree_in(InputFile(path), detail::format_of_suffix("load", path)); });
  prefix_.clear();
}

void InputArchive::load_from(std::istream& stream, std::optional<Device> device) {
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  load_from(bytes.data(), bytes.size(), device);
}

void InputArchive::load_from(const char* data, std::size_t size, std::optional<Device> device) {
  load_from(
      memory_reader(data), [&] { return size; }, device);
}

void InputArchive::load_from(
    const std::function<std::size_t(std::uint64_t offset, void* to, std::size_t count)>& read,
    const std::function<std::size_t()>& size, std::optional<Device> device) {
  state_ = loaded(kMemory, device, [&] { return tree_in({kMemory, size(), read}, nullptr); });
  prefix_.clear();
}

std::vector<char> pickle(const SavedValue& value) {
  std::vector<char> bytes;
  detail::ZipWriter zip(
      kMemory, [&](std::string_view part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
  detail::Pickler pickler;
  const State state = state_of(value);
  pickler.count_tensors(state);
  pickler.value(state);
  pickler.finish(zip, "archive/");
  zip.finish();
  return bytes;
}

SavedValue unpickle(const char* data, std::size_t size) {
  const detail::InputFile file(kMemory, size, memory_reader(data));
  try {
    return value_of(
        detail::format_of_content(detail::format_of_suffix("load", ".pt"), file).read(file, {}));
  } catch (const Error&) {
    tern::detail::rethrow_named("load", kMemory);
  }
}

bool is_archive(const std::string& path) {
  try {
    return detail::is_script(InputFile(path));
  } catch (const FileError&) {  // also of folders and missing files, which may have an index
    return false;
  }
}

bool has_state_suffix(const std::string& path) {
  const detail::Format* const format = detail::format_of_suffix("save", path);
  return format != nullptr && !format->name.starts_with("pt");
}

}  // namespace tern::serialize
