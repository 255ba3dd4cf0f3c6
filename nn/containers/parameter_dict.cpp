#include <tern/nn/containers/parameter_dict.h>
#include <tern/nn/detail/parameters.h>

namespace tern::nn {

ParameterDictImpl::ParameterDictImpl() = default;

ParameterDictImpl::ParameterDictImpl(const NamedTensors& parameters) { update(parameters); }

void ParameterDictImpl::update(const ParameterDictImpl& other) { update(other.parameters_); }

void ParameterDictImpl::clear() { parameters_.clear(); }

std::size_t ParameterDictImpl::size() const noexcept { return parameters_.size(); }

bool ParameterDictImpl::empty() const noexcept { return parameters_.is_empty(); }

bool ParameterDictImpl::is_empty() const noexcept { return parameters_.is_empty(); }

bool ParameterDictImpl::contains(const std::string& key) const noexcept {
  return parameters_.contains(key);
}

std::vector<std::string> ParameterDictImpl::keys() const { return parameters_.keys(); }

std::vector<Tensor> ParameterDictImpl::values() const { return parameters_.values(); }

std::vector<std::pair<std::string, Tensor>> ParameterDictImpl::items() const {
  return parameters_.pairs();
}

ParameterDictImpl::Iterator ParameterDictImpl::begin() { return parameters_.begin(); }

ParameterDictImpl::Iterator ParameterDictImpl::end() { return parameters_.end(); }

ParameterDictImpl::ConstIterator ParameterDictImpl::begin() const { return parameters_.begin(); }

ParameterDictImpl::ConstIterator ParameterDictImpl::end() const { return parameters_.end(); }

Tensor& ParameterDictImpl::get(const std::string& key) { return parameters_[key]; }

const Tensor& ParameterDictImpl::get(const std::string& key) const { return parameters_[key]; }

std::shared_ptr<Module> ParameterDictImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<ParameterDictImpl>();
  for (const auto& [key, parameter] : parameters_) {
    copy->insert(key, detail::clone_leaf(parameter, device));
  }
  copy->copy_modes(*this);
  return copy;
}

void ParameterDictImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::ParameterDict";
  detail::print_parameters(stream, parameters_);
}

Tensor& ParameterDictImpl::insert(const std::string& key, Tensor parameter) {
  const bool requires_grad = detail::checked_requires_grad("ParameterDict", key, parameter);
  return register_parameter(key, std::move(parameter), requires_grad);
}

Tensor& ParameterDictImpl::setdefault(const std::string& key, const Tensor& parameter) {
  Tensor* const found = parameters_.find(key);
  return found != nullptr ? *found : insert(key, parameter);
}

void ParameterDictImpl::put(const std::string& key, Tensor parameter) {
  if (contains(key)) {
    const bool requires_grad = detail::checked_requires_grad("ParameterDict", key, parameter);
    replace_parameter(key, std::move(parameter), requires_grad);
  } else {
    insert(key, std::move(parameter));
  }
}

Tensor ParameterDictImpl::pop(const std::string& key) {
  Tensor parameter = get(key);
  parameters_.erase(key);
  return parameter;
}

ParameterDict::ParameterDict(std::initializer_list<Module::NamedTensors::Item> parameters)
    : ModuleHolder(detail::make_module<ParameterDictImpl>(Module::NamedTensors(parameters))) {}

}  // namespace tern::nn
