#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <tern/compat/names/c10.h>

namespace torch::data {

namespace detail {

/// What the copies of an iterator share.
template <class Batch>
struct IteratorImpl {
  /// Frees the batch.
  virtual ~IteratorImpl() = default;
  /// Fetches the next batch. Throws Error at the end.
  virtual void next() = 0;
  /// Returns the batch. Throws Error at the end.
  virtual Batch& get() = 0;
  /// Returns true if there are no more batches.
  virtual bool is_end() = 0;
  /// Returns true for the end of every epoch.
  virtual bool is_sentinel() const { return false; }
};

/// An iterator over one epoch, which fetches its first batch when that is needed.
template <class Batch>
struct ValidIterator : IteratorImpl<Batch> {
  /// Returns the next batch; nullopt at the end.
  using BatchProducer = std::function<std::optional<Batch>()>;

  /// Iterates over the batches of `next_batch`.
  explicit ValidIterator(BatchProducer next_batch) : next_batch_(std::move(next_batch)) {}

  void next() override {
    TERN_CHECK(!is_end(), ::tern::Error, "Attempted to increment iterator past the end");
    batch_ = next_batch_();
  }
  Batch& get() override {
    TERN_CHECK(!is_end(), ::tern::Error, "Attempted to dereference iterator that was past the end");
    return *batch_;
  }
  bool is_end() override {
    if (!initialized_) {
      batch_ = next_batch_();
      initialized_ = true;
    }
    return !batch_;
  }

  /// Where the batches come from.
  BatchProducer next_batch_;
  /// The batch; nullopt at the end.
  std::optional<Batch> batch_;
  /// True once the first batch was fetched.
  bool initialized_ = false;
};

/// The end of every epoch.
template <class Batch>
struct SentinelIterator : IteratorImpl<Batch> {
  void next() override { fail("Incrementing"); }
  Batch& get() override { fail("Dereferencing"); }
  bool is_end() override { return true; }
  bool is_sentinel() const override { return true; }

 private:
  [[noreturn]] static void fail(const char* what) {
    ::tern::detail::raise<::tern::Error>(what,
                                         " the DataLoader's past-the-end iterator is not allowed");
  }
};

}  // namespace detail

/// An input iterator over one epoch. Copies share the batch and the position.
template <class Batch>
class Iterator {
 public:
  /// Types for std::iterator_traits.
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  /// Takes over an iterator.
  explicit Iterator(std::unique_ptr<detail::IteratorImpl<Batch>> impl) : impl_(std::move(impl)) {}

  /// Fetches the next batch. Throws Error at the end.
  Iterator& operator++() {
    impl_->next();
    return *this;
  }
  /// Returns the batch. Throws Error at the end.
  Batch& operator*() { return impl_->get(); }
  /// Accesses the batch. Throws Error at the end.
  Batch* operator->() { return &impl_->get(); }

  /// Returns true for copies of one iterator, for two ends, and for the end and an iterator that
  /// has no more batches.
  bool operator==(const Iterator& other) const {
    if (impl_ == other.impl_) return true;
    if (!impl_->is_sentinel() && !other.impl_->is_sentinel()) return false;
    return impl_->is_end() && other.impl_->is_end();
  }

 private:
  std::shared_ptr<detail::IteratorImpl<Batch>> impl_;
};

}  // namespace torch::data
