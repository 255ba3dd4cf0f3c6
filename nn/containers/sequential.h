#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/any_module.h>
#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Modules that run one after the other, each on the result of the one before.
///
/// Example:
///   nn::Sequential net{nn::Linear(2, 8), nn::ReLU(), nn::Linear(8, 1)};
///   Tensor y = net(x);
/// In braces the modules are made from left to right; in parentheses C++ leaves the order open, and
/// with it which module draws which random numbers.
class TERN_API SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  /// Modules, holders or shared pointers to modules; they are named "0", "1", ...
  template <detail::ModuleLike... Modules>
  requires(sizeof...(Modules) > 0) explicit SequentialImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(OrderedDict<std::string, AnyModule> modules);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Runs the modules and returns the last result as R. Throws Error when there are none, and when
  /// a module does not take what the one before returned.
  template <class R = Tensor, class... Inputs>
  R forward(Inputs&&... inputs) {
    AnyValue values[sizeof...(Inputs) + 1] = {AnyValue(std::forward<Inputs>(inputs))...};
    AnyValue result = run(values, sizeof...(Inputs));
    if (R* value = result.try_get<R>()) return std::move(*value);
    detail::return_type_error(result.type_info(), typeid(R));
  }

  /// Appends a module, holder or shared pointer; named by its index unless a name is given.
  template <detail::ModuleLike M>
  void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <detail::ModuleLike M>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  void push_back(AnyModule module);
  void push_back(std::string name, AnyModule module);
  void push_back(const NamedAnyModule& module) { push_back(module.name(), module.module()); }
  /// Appends all modules of another container.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

  /// The module at a position as M. Throws IndexError, and Error when it is something else.
  template <class M>
  M& at(std::size_t index) const {
    return checked(index).get<M>();
  }
  std::shared_ptr<Module> ptr(std::size_t index) const { return checked(index).ptr(); }
  template <class M>
  std::shared_ptr<M> ptr(std::size_t index) const {
    return checked(index).ptr<M>();
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }

 private:
  AnyValue run(AnyValue* inputs, std::size_t count) const;  // consumes them
  const AnyModule& checked(std::size_t index) const;

  std::vector<AnyModule> modules_;
};

extern template class Cloneable<SequentialImpl>;

/// Holder of SequentialImpl, also made of named modules: Sequential({{"fc", nn::Linear(2, 1)}}).
class Sequential : public ModuleHolder<SequentialImpl, Sequential> {
 public:
  using ModuleHolder<SequentialImpl, Sequential>::ModuleHolder;

  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}

  template <class... Inputs>
  Tensor operator()(Inputs&&... inputs) const {
    return detail::call(*get(), std::forward<Inputs>(inputs)...);
  }
};

}  // namespace tern::nn
