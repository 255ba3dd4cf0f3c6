#include <cmath>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/detail/update.h>

namespace tern::optim {

namespace detail {

void save_entry(State& state, const char* name, const Tensor& tensor) {
  if (tensor.defined()) state.insert(name, tensor.detach());
}
void save_entry(State& state, const char* name, std::int64_t step) {
  state.insert(name, scalar_tensor(step, kFloat));
}

void save_entry(State& state, const char* name, float number) {
  state.insert(name, scalar_tensor(number, kFloat));
}

void load_entry(const State& state, const char* name, const Tensor& /*parameter*/, float& number) {
  number = static_cast<float>(saved_number(state[name], name));
}

void load_entry(const State& state, const char* name, const Tensor& parameter, Tensor& tensor) {
  const State* value = state.find(name);
  if (value == nullptr || value->is_null()) {
    tensor.reset();
    return;
  }
  const auto source = value->to<Tensor>(name);
  TERN_CHECK(source.sizes() == parameter.sizes(), ShapeError, "loaded state dict has ", name,
             " of size ", source.sizes(), " for a parameter of size ", parameter.sizes());
  TERN_CHECK(source.is_floating_point(), DTypeError, "loaded state dict has ", name, " of dtype ",
             source.scalar_type(), ", expected a floating point dtype");
  tensor = source.detach()
               .to(parameter.device(), parameter.dtype(), /*non_blocking=*/false, /*copy=*/true)
               .contiguous();
}

void load_entry(const State& state, const char* name, const Tensor& /*parameter*/,
                std::int64_t& step) {
  const double count = saved_number(state[name], name);
  constexpr double kMost = 1LL << 53;  // doubles store integers exactly up to this number
  TERN_CHECK(count >= 0 && count <= kMost && count == std::floor(count), Error,
             "loaded state dict has ", name, " ", count, ", expected an integer from 0 to 2^53");
  step = static_cast<std::int64_t>(count);
}

void add_entry(StateFields& fields, const EntryTraits& traits, Tensor& tensor) {
  if (traits.not_saved) {
    fields.device_step = &tensor;
    return;
  }
  if (!traits.optional && !tensor.defined() && fields.missing == nullptr) {
    fields.missing = traits.key;
  }
  if (fields.tensor_count < kernels::kMaxOptimStates) {
    fields.tensors[fields.tensor_count++] = &tensor;
  }
}
void add_entry(StateFields& fields, const EntryTraits& /*traits*/, std::int64_t& step) {
  fields.step = &step;
}
void add_entry(StateFields& fields, const EntryTraits& /*traits*/, float& number) {
  if (fields.float_count < fields.floats.size()) fields.floats[fields.float_count++] = number;
}

template class EntryField<Tensor>;
template class EntryField<std::int64_t>;
template class EntryField<float>;

StateFields::StateFields(OptimizerParamState& state) {
  FieldList& entries = state.fields_;
  for (std::size_t i = 0; i < entries.size(); ++i) entries.at<EntryBase>(i).add_to(*this);
}

}  // namespace detail

OptimizerParamState::~OptimizerParamState() = default;

State OptimizerParamState::save() const {
  State state;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto& entry = fields_.at<detail::EntryBase>(i);
    if (!entry.traits().not_saved) entry.save(state);
  }
  return state;
}

void OptimizerParamState::load(const State& state, const Tensor& parameter) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    auto& entry = fields_.at<detail::EntryBase>(i);
    if (!entry.traits().not_saved) entry.load(state, parameter);
  }
}

void OptimizerParamState::check() const {
  const detail::StateFields fields(const_cast<OptimizerParamState&>(*this));
  if (fields.step == nullptr || *fields.step == 0) return;
  TERN_CHECK(fields.missing == nullptr, Error, "loaded state dict has no ", fields.missing,
             " for a parameter at step ", *fields.step);
}

}  // namespace tern::optim
