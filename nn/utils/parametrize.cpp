#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/detail/check_index.h>
#include <tern/nn/detail/parameters.h>
#include <tern/nn/detail/parametrized.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/utils/parametrize.h>

#include <ostream>

namespace tern::nn::utils::parametrize {

namespace {

using nn::detail::ParametrizedMembers;

constexpr const char* kUnsafe =
    "Registering a parametrization may not change the ";  // followed by what it changes

/// Throws Error if a computed tensor has another dtype or other sizes than the tensor it replaces.
void check_result(const Tensor& value, const Tensor& result) {
  TERN_CHECK(result.dtype() == value.dtype(), Error, kUnsafe,
             "dtype of the tensor, unless `unsafe` flag is enabled.\nunparametrized dtype: torch.",
             dtype_info(value.scalar_type()).python_name, "\nparametrized dtype: torch.",
             dtype_info(result.scalar_type()).python_name);
  TERN_CHECK(result.sizes() == value.sizes(), Error, kUnsafe,
             "shape of the tensor, unless `unsafe` flag is enabled.\nunparametrized shape: "
             "torch.Size(",
             value.sizes(), ")\nparametrized shape: torch.Size(", result.sizes(), ')');
}

}  // namespace

ParametrizationListImpl::ParametrizationListImpl(AnyModule parametrization, Inverse inverse,
                                                 bool has_one_original, const Tensor& original,
                                                 bool is_parameter, StrictBool unsafe)
    : has_one_original_(has_one_original), is_parameter_(is_parameter), unsafe_(unsafe) {
  const NoGradGuard no_grad;
  Module& module = *parametrization.ptr();
  const std::vector<Tensor> values =
      inverse == nullptr ? std::vector<Tensor>{original} : inverse(module, original);
  if (has_one_original_) {
    const Tensor& value = values[0];
    TERN_CHECK(value.dtype() == original.dtype(), Error,
               "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
               "original.dtype: torch.",
               dtype_info(original.scalar_type()).python_name,
               "\nright_inverse(original).dtype: torch.",
               dtype_info(value.scalar_type()).python_name);
    TERN_CHECK(value.device() == original.device(), Error,
               "When `right_inverse` outputs one tensor, it may not change the device.\n"
               "original.device: ",
               original.device(), "\nright_inverse(original).device: ", value.device());
  }
  add(std::move(parametrization), inverse);
  if (!unsafe_) check_result(original, run(values));
  const auto keep = [&](const std::string& name, const Tensor& tensor) {
    if (is_parameter_) {
      register_parameter(name, tensor, original.requires_grad());
    } else {
      register_buffer(name, tensor);
    }
  };
  if (has_one_original_) {
    if (!values[0].is_same(original)) original.set_data(values[0].detach().clone());
    keep("original", original);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      keep("original" + std::to_string(i), values[i].detach().clone());
    }
  }
}

std::shared_ptr<Module> ParametrizationListImpl::clone(const std::optional<Device>& device) const {
  auto copy = std::make_shared<ParametrizationListImpl>(*this);
  copy->forget_registered();
  for (const auto& [name, tensor] : named_parameters(/*recurse=*/false)) {
    copy->register_parameter(name, nn::detail::clone_leaf(tensor, device), tensor.requires_grad());
  }
  for (const auto& [name, tensor] : named_buffers(/*recurse=*/false)) {
    copy->register_buffer(name, nn::detail::clone_leaf(tensor, device));
  }
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    copy->modules_[i] = modules_[i].clone(device);
    copy->register_module(std::to_string(i), copy->modules_[i].ptr());
  }
  copy->copy_modes(*this);
  return copy;
}

void ParametrizationListImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::utils::parametrize::ParametrizationList";
}

void ParametrizationListImpl::add(AnyModule parametrization, Inverse inverse) {
  register_module(std::to_string(modules_.size()), parametrization.ptr());
  modules_.push_back(std::move(parametrization));
  inverses_.push_back(inverse);
}

void ParametrizationListImpl::append(AnyModule parametrization, Inverse inverse,
                                     StrictBool unsafe) {
  if (!unsafe) {
    const NoGradGuard no_grad;
    const Tensor value = forward();
    check_result(value, parametrization.forward(value));
    if (inverse != nullptr) {
      const std::vector<Tensor> originals = inverse(*parametrization.ptr(), value);
      TERN_CHECK(originals.size() == 1, Error,
                 "parametrization.right_inverse must return a tensor. Got: ", originals.size(),
                 " tensors");
      check_result(value, originals[0]);
    }
  }
  add(std::move(parametrization), inverse);
  unsafe_ = unsafe_ || unsafe;
}

std::vector<Tensor> ParametrizationListImpl::originals() const {
  return is_parameter_ ? parameters(/*recurse=*/false) : buffers(/*recurse=*/false);
}

Tensor ParametrizationListImpl::run(const std::vector<Tensor>& originals) const {
  std::vector<AnyValue> inputs;
  inputs.reserve(originals.size());
  for (const Tensor& original : originals) inputs.emplace_back(original);
  for (const AnyModule& module : modules_) {
    AnyValue result = module.call(std::move(inputs));
    inputs.clear();
    inputs.push_back(std::move(result));
  }
  return inputs[0].get<Tensor>();
}

Tensor ParametrizationListImpl::forward() { return run(originals()); }

void ParametrizationListImpl::right_inverse(const Tensor& value) {
  const NoGradGuard no_grad;
  std::vector<Tensor> values = {value};
  for (std::size_t i = modules_.size(); i-- > 0;) {
    TERN_CHECK(inverses_[i] != nullptr, NotImplementedError, "parametrization ",
               modules_[i].ptr()->name(), " does not implement right_inverse.");
    values = inverses_[i](*modules_[i].ptr(), values.at(0));
  }
  const std::vector<Tensor> targets = originals();
  TERN_CHECK(values.size() == targets.size(), Error,
             "'right_inverse' must return a sequence of tensors of length ", targets.size(),
             ". Got a sequence of length ", values.size(), ".");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    TERN_CHECK(values[i].dtype() == targets[i].dtype(), Error, "Tensor ", i,
               " returned by `right_inverse` has dtype torch.",
               dtype_info(values[i].scalar_type()).python_name, " while `original",
               has_one_original_ ? "" : std::to_string(i), "` has dtype torch.",
               dtype_info(targets[i].scalar_type()).python_name);
    values[i] = values[i].detach().to(targets[i].device()).clone();
  }
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i].set_data(values[i]);
}

std::shared_ptr<Module> ParametrizationListImpl::operator[](
    StrictInteger<std::size_t> index) const {
  nn::detail::check_index("ParametrizationList", index, size(), size());
  return modules_[index].ptr();
}

void detail::add_parametrization(Module& module, const std::string& name, AnyModule parametrization,
                                 ParametrizationListImpl::Inverse inverse, bool has_one_original,
                                 bool unsafe) {
  const std::shared_ptr<Module> added = parametrization.ptr();
  if (const ParametrizedMembers::List list = ParametrizedMembers::find(module, name)) {
    TERN_CHECK(has_one_original, Error, "register_parametrization: '", name, "' of ", module.name(),
               " has a parametrization, so a further one takes one tensor, but ", *added,
               " takes several");
    added->train(module.is_training());
    list->append(std::move(parametrization), inverse, unsafe);
    return;
  }
  bool is_parameter = false;
  const Tensor* const registered = ParametrizedMembers::registered(module, name, is_parameter);
  TERN_CHECK(registered != nullptr && registered->defined(), Error, "Module '", module,
             "' does not have a parameter, a buffer, or a parametrized element with name '", name,
             "'");
  ParametrizedMembers::check_member(module, name);
  nn::detail::check_not_lazy(*registered, "register_parametrization");
  added->train(module.is_training());
  const Tensor original = *registered;
  ParametrizedMembers::attach(
      module, name,
      std::make_shared<ParametrizationListImpl>(std::move(parametrization), inverse,
                                                has_one_original, original, is_parameter, unsafe));
}

bool is_parametrized(const Module& module, const std::optional<std::string>& name) {
  if (name) return ParametrizedMembers::find(module, *name) != nullptr;
  return ParametrizedMembers::has_any(module);
}

std::shared_ptr<ParametrizationListImpl> parametrization_list(const Module& module,
                                                              const std::string& name) {
  ParametrizedMembers::List list = ParametrizedMembers::find(module, name);
  TERN_CHECK(list != nullptr, Error, "Module ", module, " does not have a parametrization on ",
             name);
  return list;
}

Module& remove_parametrizations(Module& module, const std::string& name,
                                StrictBool leave_parametrized) {
  const std::shared_ptr<ParametrizationListImpl> list = parametrization_list(module, name);
  const std::vector<Tensor> originals = list->originals();
  TERN_CHECK(leave_parametrized || list->is_tensor(), Error,
             "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
             "parametrized in terms of a sequence of tensors.");
  Tensor tensor = originals[0];
  if (leave_parametrized) {
    const NoGradGuard no_grad;
    const Tensor value = list->forward().detach();
    if (list->is_tensor()) {
      tensor.set_data(value.clone());
    } else {
      bool requires_grad = false;
      for (const Tensor& original : originals) {
        requires_grad = requires_grad || original.requires_grad();
      }
      tensor = value.clone().set_requires_grad(requires_grad);
    }
  }
  ParametrizedMembers::release(module, name, tensor, list->is_parameter());
  return module;
}

}  // namespace tern::nn::utils::parametrize
