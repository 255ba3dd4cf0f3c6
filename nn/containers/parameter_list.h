#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Parameters in a list, registered as "0", "1", ... They keep their requires_grad. Has no forward.
class TERN_API ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  /// Iterators over the items, which are pairs of name and tensor.
  using Iterator = NamedTensors::Iterator;
  using ConstIterator = NamedTensors::ConstIterator;
  /// An index as a parameter. No bool converts to it.
  using Index = StrictInteger<std::size_t>;

  /// Makes an empty list.
  ParameterListImpl();
  /// Makes a list of these tensors.
  template <class... Tensors>
  requires(sizeof...(Tensors) > 0 && (std::is_convertible_v<Tensors, Tensor> &&
                                      ...)) explicit ParameterListImpl(Tensors&&... tensors) {
    (append(std::forward<Tensors>(tensors)), ...);
  }
  explicit ParameterListImpl(const std::vector<Tensor>& tensors);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  /// Prints the name and one line per parameter.
  void pretty_print(std::ostream& stream) const override;

  /// Appends a parameter. The name of a named parameter is dropped.
  void append(Tensor parameter);
  void append(const NamedTensors::Item& named);
  /// Appends all tensors of another container.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& parameter : container) append(parameter);
  }

  /// Appends all tensors of another container and returns it.
  template <class Container>
  const Container& operator+=(const Container& other) {
    extend(other);
    return other;
  }
  /// Replaces the parameter at an index. Throws IndexError out of range, Error for a tensor that is
  /// not a leaf.
  void set(Index index, Tensor parameter);
  /// Removes the last parameter and returns it. Throws IndexError when there is none.
  Tensor pop();

  /// Returns the number of parameters.
  std::size_t size() const noexcept;
  /// Returns true when there is no parameter.
  bool is_empty() const noexcept;
  /// Iterators over the items in order.
  Iterator begin();
  Iterator end();
  ConstIterator begin() const;
  ConstIterator end() const;

  /// Returns the parameter at an index. Throws IndexError out of range.
  Tensor& at(Index index);
  const Tensor& at(Index index) const;
  /// Returns the parameter at an index. Throws IndexError out of range.
  Tensor& operator[](Index index) { return at(index); }
  const Tensor& operator[](Index index) const { return at(index); }
};

/// The holder of ParameterListImpl, which can also be made of tensors in braces.
///
/// Example:
///   nn::ParameterList scales({tern::ones({2}), tern::zeros({2})});
class ParameterList : public ModuleHolder<ParameterListImpl, ParameterList> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<ParameterListImpl, ParameterList>::ModuleHolder;

  /// Makes an empty list.
  ParameterList() = default;
  /// Holds these tensors.
  TERN_API ParameterList(std::initializer_list<Tensor> tensors);
};

}  // namespace tern::nn
