#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Parameters by name, in order. They keep their requires_grad.
class TERN_API ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Iterator = NamedTensors::Iterator;
  using ConstIterator = NamedTensors::ConstIterator;

  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const NamedTensors& parameters) { update(parameters); }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  /// The name and one line per parameter.
  void pretty_print(std::ostream& stream) const override;

  /// Adds a parameter and returns it. Throws Error when the key is taken.
  Tensor& insert(const std::string& key, Tensor parameter);
  /// Adds parameters; one whose key exists replaces it there.
  template <class Container>
  void update(const Container& container) {
    for (const auto& [key, parameter] : container) put(key, parameter);
  }
  void update(const ParameterDictImpl& other) { update(other.parameters_); }
  /// Removes a parameter and returns it. Throws IndexError.
  Tensor pop(const std::string& key);
  void clear() { parameters_.clear(); }

  std::size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<Tensor> values() const { return parameters_.values(); }
  std::vector<std::pair<std::string, Tensor>> items() const { return parameters_.pairs(); }
  Iterator begin() { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator begin() const { return parameters_.begin(); }
  ConstIterator end() const { return parameters_.end(); }

  /// The parameter of a key. Throws IndexError.
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return get(key); }
  const Tensor& operator[](const std::string& key) const { return get(key); }

 private:
  void put(const std::string& key, Tensor parameter);
};
TERN_MODULE(ParameterDict);

}  // namespace tern::nn
