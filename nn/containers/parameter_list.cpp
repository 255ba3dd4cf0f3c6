#include <tern/nn/containers/parameter_list.h>
#include <tern/nn/detail/check_index.h>
#include <tern/nn/detail/parameters.h>

namespace tern::nn {

ParameterListImpl::ParameterListImpl() = default;

ParameterListImpl::ParameterListImpl(const std::vector<Tensor>& tensors) { extend(tensors); }

void ParameterListImpl::append(const NamedTensors::Item& named) { append(named.value()); }

std::size_t ParameterListImpl::size() const noexcept { return parameters_.size(); }

bool ParameterListImpl::is_empty() const noexcept { return parameters_.is_empty(); }

ParameterListImpl::Iterator ParameterListImpl::begin() { return parameters_.begin(); }

ParameterListImpl::Iterator ParameterListImpl::end() { return parameters_.end(); }

ParameterListImpl::ConstIterator ParameterListImpl::begin() const { return parameters_.begin(); }

ParameterListImpl::ConstIterator ParameterListImpl::end() const { return parameters_.end(); }

std::shared_ptr<Module> ParameterListImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<ParameterListImpl>();
  for (const auto& [name, parameter] : parameters_) {
    copy->append(detail::clone_leaf(parameter, device));
  }
  copy->copy_modes(*this);
  return copy;
}

void ParameterListImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::ParameterList";
  detail::print_parameters(stream, parameters_);
}

void ParameterListImpl::append(Tensor parameter) {
  const std::string name = std::to_string(size());
  const bool requires_grad = detail::checked_requires_grad("ParameterList", name, parameter);
  register_parameter(name, std::move(parameter), requires_grad);
}

void ParameterListImpl::set(Index index, Tensor parameter) {
  at(index);
  const std::string name = std::to_string(std::size_t{index});
  const bool requires_grad = detail::checked_requires_grad("ParameterList", name, parameter);
  replace_parameter(name, std::move(parameter), requires_grad);
}

Tensor ParameterListImpl::pop() {
  TERN_CHECK(!is_empty(), IndexError, "ParameterList: pop() of an empty list");
  Tensor parameter = parameters_.back().value();
  parameters_.erase(parameters_.back().key());
  return parameter;
}

Tensor& ParameterListImpl::at(Index index) {
  detail::check_index("ParameterList", index, size(), size());
  return parameters_[index].value();
}

const Tensor& ParameterListImpl::at(Index index) const {
  return const_cast<ParameterListImpl*>(this)->at(index);
}

ParameterList::ParameterList(std::initializer_list<Tensor> tensors)
    : ModuleHolder(detail::make_module<ParameterListImpl>(std::vector<Tensor>(tensors))) {}

}  // namespace tern::nn
