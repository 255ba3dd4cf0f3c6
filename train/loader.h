#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/shape/copy.h>
#include <tern/core/tensor/state.h>
#include <tern/nn/data/example.h>

namespace tern::train {

namespace detail {

template <class P>
concept LoaderPointer = requires(P& pointer) {
  pointer->begin();
  pointer->end();
};
template <class L>
concept LoaderRange = !LoaderPointer<L> && requires(L & loader) {
  loader.begin() != loader.end();
};
template <class L>
concept LoaderLike =
    LoaderPointer<std::remove_reference_t<L>> || LoaderRange<std::remove_reference_t<L>>;

/// The batches of any loader, one after the other.
class TERN_API Batches {
 public:
  virtual ~Batches();
  virtual void begin() = 0;
  /// Tells the sampler, if it is a distributed one, the epoch that begins.
  virtual void set_epoch(std::size_t epoch) = 0;
  /// Returns the current batch, null at the end of the epoch.
  virtual const void* batch() = 0;
  virtual void next() = 0;
  virtual const std::type_info& type() const = 0;
  virtual bool has_state() const = 0;
  virtual State state_dict() const = 0;
  virtual void load_state_dict(const State& state) = 0;
};

template <class L>
class BatchesOf final : public Batches {
  using Iterator = decltype(std::declval<L&>().begin());
  using End = decltype(std::declval<L&>().end());
  using Element = decltype(*std::declval<Iterator&>());
  static constexpr bool kHasState = requires(L & loader, const State& state) {
    State(loader.state_dict());
    loader.load_state_dict(state);
  };

 public:
  using Batch = std::remove_cvref_t<Element>;

  explicit BatchesOf(std::shared_ptr<L> loader) : loader_(std::move(loader)) {}
  void begin() override {
    iterator_.reset();
    iterator_.emplace(loader_->begin());
    end_.emplace(loader_->end());
  }
  void set_epoch(std::size_t epoch) override {
    if constexpr (requires { loader_->sampler().set_epoch(epoch); }) {
      loader_->sampler().set_epoch(epoch);
    }
  }
  const void* batch() override {
    if (!(*iterator_ != *end_)) return nullptr;
    if constexpr (std::is_reference_v<Element>) {
      return &**iterator_;
    } else {
      value_.emplace(**iterator_);
      return &*value_;
    }
  }
  void next() override { ++*iterator_; }
  const std::type_info& type() const override { return typeid(Batch); }
  bool has_state() const override { return kHasState; }
  State state_dict() const override {
    if constexpr (kHasState) return loader_->state_dict();
    return {};
  }
  void load_state_dict(const State& state) override {
    if constexpr (kHasState) loader_->load_state_dict(state);
  }

 private:
  std::shared_ptr<L> loader_;
  std::optional<Iterator> iterator_;
  std::optional<End> end_;
  std::optional<Batch> value_;
};

/// Moves the tensors of a batch to a device: tensors, examples, pairs, tuples, optionals and
/// containers of these. Leaves everything else as it is.
template <class T>
void move_batch(T& value, Device device) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (value.defined()) value = value.to(device, /*non_blocking=*/true);
  } else if constexpr (requires { typename T::TargetType; }) {
    move_batch(value.data, device);
    if constexpr (!std::is_void_v<typename T::TargetType>) move_batch(value.target, device);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::apply([&](auto&... parts) { (move_batch(parts, device), ...); }, value);
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    if (value.has_value()) move_batch(*value, device);
  } else if constexpr (!std::is_const_v<T> && requires { value.begin() != value.end(); }) {
    for (auto& element : value) move_batch(element, device);
  }
}

/// Returns the number of examples of a batch: the first size of its data, else 1.
template <class T>
std::int64_t batch_size(const T& batch) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return batch.defined() && batch.dim() > 0 ? batch.size(0) : 1;
  } else if constexpr (requires { typename T::TargetType; }) {
    return batch_size(batch.data);
  } else {
    return 1;
  }
}

}  // namespace detail

/// A loader of any class whose begin() and end() give the batches of an epoch: a DataLoader, the
/// pointer that make_data_loader() returns, a std::vector of batches. A loader that is a variable
/// is referred to and must outlive the Loader; a temporary is moved into it.
class Loader {
 public:
  /// Makes no loader.
  Loader() = default;
  /// Refers to a loader or takes over a temporary one.
  template <detail::LoaderLike L>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no Loader is a range.
  Loader(L&& loader) {
    using Given = std::remove_reference_t<L>;
    if constexpr (detail::LoaderPointer<Given>) {
      using Own = std::remove_reference_t<decltype(*loader)>;
      TERN_CHECK(loader, Error, "the loader is a null pointer");
      std::shared_ptr<Given> owner;
      if constexpr (std::is_rvalue_reference_v<L&&>) {
        owner = std::make_shared<Given>(std::forward<L>(loader));
      }
      Own* const pointer = owner ? &**owner : &*loader;
      batches_ = std::make_shared<detail::BatchesOf<Own>>(std::shared_ptr<Own>(owner, pointer));
    } else if constexpr (std::is_rvalue_reference_v<L&&>) {
      batches_ = std::make_shared<detail::BatchesOf<Given>>(
          std::make_shared<Given>(std::forward<L>(loader)));
    } else {
      batches_ = std::make_shared<detail::BatchesOf<Given>>(
          std::shared_ptr<Given>(std::shared_ptr<void>(), &loader));
    }
  }

  /// Reports a dataset, or anything else that is no loader.
  template <class L>
  requires(!detail::LoaderLike<L> && !std::is_same_v<std::remove_cvref_t<L>, Loader>)
      Loader(L&& /*loader*/) {  // NOLINT(bugprone-forwarding-reference-overload): of no Loader
    static_assert(std::is_void_v<L>,
                  "A loader has begin() and end(). Make one of a dataset with "
                  "data::make_data_loader(dataset.map(data::transforms::Stack<>()), batch_size).");
  }

  /// Returns false if there is no loader.
  explicit operator bool() const noexcept { return batches_ != nullptr; }
  /// Returns the batches; null if there is no loader. For fit().
  detail::Batches* batches() const noexcept { return batches_.get(); }

 private:
  std::shared_ptr<detail::Batches> batches_;
};

namespace detail {

/// Returns an object of the type of the loader's batches, void if it is no loader. Never called.
template <class L>
auto batch_of(L& loader) {
  if constexpr (LoaderPointer<L>) {
    return std::type_identity<
        typename BatchesOf<std::remove_reference_t<decltype(*loader)>>::Batch>();
  } else if constexpr (LoaderRange<L>) {
    return std::type_identity<typename BatchesOf<L>::Batch>();
  } else {
    return std::type_identity<void>();
  }
}

/// The type of the batches of a loader; void if L is no loader.
template <class L>
using BatchOf = typename decltype(batch_of(std::declval<std::remove_reference_t<L>&>()))::type;

/// Refers to a loader. Returns no loader if L is none, which a static_assert reports.
template <class L>
Loader loader_of(L& loader) {
  if constexpr (std::is_void_v<BatchOf<L>>) {
    return {};
  } else {
    return loader;
  }
}

}  // namespace detail
}  // namespace tern::train
