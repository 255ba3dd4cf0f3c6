#include <tern/core/base/detail/libtorch.h>
#include <tern/nn/any_module.h>
#include <tern/nn/detail/printed_type.h>

namespace tern::nn {

namespace detail {

void argument_count_error(const Module& module, std::size_t least, std::size_t most,
                          std::size_t received) {
  const std::string name = module.name();
  if (least < most) {
    tern::detail::raise<Error>(name, "'s forward() method expects at least ", least,
                               " argument(s) and at most ", most, " argument(s), but received ",
                               received, ".");
  }
  const std::string hint = " If " + name +
                           "'s forward() method has default arguments, please make sure the "
                           "forward() method is declared with a corresponding `" +
                           (tern::detail::as_libtorch ? "" : "TERN_") +
                           "FORWARD_HAS_DEFAULT_ARGS` macro.";
  tern::detail::raise<Error>(name, "'s forward() method expects ", most,
                             " argument(s), but received ", received, ".",
                             received < most ? hint : "");
}

void argument_type_error(std::size_t index, const std::type_info& expected,
                         const std::type_info& received) {
  tern::detail::raise<Error>("Expected argument #", index, " to be of type ",
                             detail::printed_type(expected), ", but received value of type ",
                             detail::printed_type(received));
}

void return_type_error(const std::type_info& actual, const std::type_info& asked) {
  tern::detail::raise<Error>("The type of the return value is ", detail::printed_type(actual),
                             ", but you asked for type ", detail::printed_type(asked));
}

void unknown_forward_error(const Module* module) {
  TERN_CHECK(module != nullptr, Error, "Cannot call an empty ContainedModule");
  const std::string name = module->name();
  tern::detail::raise<Error>(
      name,
      ": the container cannot call this module, because it does not know the types of its "
      "forward(). Give the container a holder or a shared_ptr<",
      name, ">, or call at<", name, ">() of the container");
}

AnyValue call_any(Module& module, AnyForward forward, AnyInputs&& inputs) {
  const RunningScope running(module);
  module.check_members();
  if (!module.needs_call_scope()) return forward(module, inputs);
  CallScope call(module, &inputs);
  call.start();
  AnyInputs consumed = inputs;
  AnyValue output = forward(module, consumed);
  call.finish(output);
  return output;
}

void module_cast_error(const std::type_info& from, const std::type_info& to) {
  tern::detail::raise<Error>("Attempted to cast module of type ", detail::printed_type(from),
                             " to type ", detail::printed_type(to),
                             "; operator() calls a module of any class");
}

}  // namespace detail

void AnyModule::check_not_empty(const char* function) const {
  TERN_CHECK(module_ != nullptr, Error, "Cannot call ", function, "() on an empty AnyModule");
}

AnyValue AnyModule::call(std::vector<AnyValue>&& inputs) const {
  check_not_empty("forward");
  return detail::call_any(*module_, module_.any_forward(), std::move(inputs));
}

AnyModule AnyModule::clone(const std::optional<Device>& device) const {
  AnyModule result = *this;
  if (module_) result.module_ = {module_->clone(device), module_.any_forward()};
  return result;
}

}  // namespace tern::nn
