#include <tern/core/ops/common/detail/op.h>

#include <algorithm>
#include <string_view>

#include <tern/core/base/detail/profile_recorder.h>

namespace tern::detail {

void undefined_argument(const char* names, std::initializer_list<bool> undefined) {
  std::string_view rest = names;
  std::size_t index = 0;
  for (const bool* argument = undefined.begin(); !*argument; ++argument, ++index) {
    rest.remove_prefix(rest.find(", ") + 2);
  }
  std::string_view name = rest.substr(0, rest.find(','));
  if (name == "*this") name = "self";
  raise<Error>(
      "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #", index,
      " '", name, "'");
}

void check_all_defined(TensorList tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TERN_CHECK(tensors[i].defined(), Error,
               "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument "
               "#0 'tensors', element ",
               i);
  }
}

namespace {

std::size_t numbers_for(const OpInput& input) {
  std::size_t count = input.is_list ? 2 : 1;
  for (std::size_t i = 0; i < input.count; ++i) {
    const Tensor& tensor = input.tensors[i];
    const std::size_t dims = tensor.defined() ? tensor.sizes().size() : 0;
    count += dims + (input.is_list ? 1 : 0);
  }
  return count;
}

std::int64_t* write_sizes(const Tensor& tensor, std::int64_t* out) {
  if (!tensor.defined()) {
    *out = kNotTensor;
    return out + 1;
  }
  const IntArrayRef sizes = tensor.sizes();
  *out = static_cast<std::int64_t>(sizes.size());
  return std::copy(sizes.begin(), sizes.end(), out + 1);
}

void record_shapes(const ProfileScope& scope, std::initializer_list<OpInput> inputs) noexcept {
  ProfileLog* const log = current_log();
  // Another recording may have begun, whose log replaces that of the event.
  if (log == nullptr || log->recording() != scope.recording()) return;
  std::size_t count = 1;
  for (const OpInput& input : inputs) count += numbers_for(input);
  std::int64_t* const numbers = log->numbers(count);
  if (numbers == nullptr) return;
  std::int64_t* out = numbers;
  *out++ = static_cast<std::int64_t>(inputs.size());
  for (const OpInput& input : inputs) {
    if (input.is_list) {
      *out++ = kTensorList;
      *out++ = static_cast<std::int64_t>(input.count);
    } else if (input.tensors == nullptr) {
      *out++ = kNotTensor;
    }
    const std::size_t given = input.tensors == nullptr ? 0 : input.count;
    for (std::size_t i = 0; i < given; ++i) out = write_sizes(input.tensors[i], out);
  }
  scope.event()->shapes.store(numbers, std::memory_order_release);
}

}  // namespace

void begin_op(ProfileScope& scope, const char* name,
              std::initializer_list<OpInput> inputs) noexcept {
  scope.begin(ProfileKind::kOp, name);
  if (scope.event() == nullptr || !is_profiled(kProfileShapes)) return;
  record_shapes(scope, inputs);
}

}  // namespace tern::detail
