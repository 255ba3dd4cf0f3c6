#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Parameters by name, in order of insertion. They keep their requires_grad. Has no forward.
class TERN_API ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  /// Iterators over the items.
  using Iterator = NamedTensors::Iterator;
  using ConstIterator = NamedTensors::ConstIterator;

  /// Makes an empty dictionary.
  ParameterDictImpl();
  /// Makes a dictionary of these parameters.
  explicit ParameterDictImpl(const NamedTensors& parameters);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  /// Prints the name and one line per parameter.
  void pretty_print(std::ostream& stream) const override;

  /// Adds a parameter and returns it. Throws Error when the key exists.
  Tensor& insert(const std::string& key, Tensor parameter);
  /// Adds parameters. A parameter with an existing key replaces the old parameter.
  template <class Container>
  void update(const Container& container) {
    for (const auto& [key, parameter] : container) put(key, parameter);
  }
  void update(const ParameterDictImpl& other);
  /// Returns the parameter of a key; adds `parameter` first if there is none.
  Tensor& setdefault(const std::string& key, const Tensor& parameter);
  /// Removes a parameter and returns it. Throws IndexError when there is no such key.
  Tensor pop(const std::string& key);
  /// Removes all parameters.
  void clear();

  /// Returns the number of parameters.
  std::size_t size() const noexcept;
  /// Returns true when there is no parameter.
  bool empty() const noexcept;
  /// Returns true when there is no parameter.
  bool is_empty() const noexcept;
  /// Returns true when the key exists.
  bool contains(const std::string& key) const noexcept;
  /// Copies the keys, in order.
  std::vector<std::string> keys() const;
  /// Copies the handles of the parameters, in order.
  std::vector<Tensor> values() const;
  /// Copies keys and handles, in order.
  std::vector<std::pair<std::string, Tensor>> items() const;
  /// Iterators over the items in order.
  Iterator begin();
  Iterator end();
  ConstIterator begin() const;
  ConstIterator end() const;

  /// Returns the parameter of a key. Throws IndexError when there is no such key.
  Tensor& get(const std::string& key);
  const Tensor& get(const std::string& key) const;
  /// Returns the parameter of a key. Throws IndexError when there is no such key.
  Tensor& operator[](const std::string& key) { return get(key); }
  const Tensor& operator[](const std::string& key) const { return get(key); }
  template <class I>
  requires std::is_integral_v<I> Tensor& operator[](I) const = delete;

 private:
  void put(const std::string& key, Tensor parameter);
};

/// The holder of ParameterDictImpl, which can also be made of named tensors in braces.
///
/// Example:
///   nn::ParameterDict scales({{"weight", tern::ones({2})}, {"bias", tern::zeros({2})}});
class ParameterDict : public ModuleHolder<ParameterDictImpl, ParameterDict> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<ParameterDictImpl, ParameterDict>::ModuleHolder;

  /// Makes an empty dictionary.
  ParameterDict() = default;
  /// Holds tensors under these names.
  TERN_API ParameterDict(std::initializer_list<Module::NamedTensors::Item> parameters);
};

}  // namespace tern::nn
