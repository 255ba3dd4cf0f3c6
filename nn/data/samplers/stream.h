#pragma once

#include <cstddef>
#include <optional>

#include <tern/nn/data/samplers.h>

namespace tern::data::samplers {

/// A base class for requests of one's own.
struct TERN_API CustomBatchRequest {
  /// For deriving classes.
  CustomBatchRequest() = default;
  /// For deriving classes.
  CustomBatchRequest(const CustomBatchRequest&) = default;
  /// For deriving classes.
  CustomBatchRequest& operator=(const CustomBatchRequest&) = default;
  /// Frees the request.
  virtual ~CustomBatchRequest();
  /// Returns the number of examples that are requested.
  virtual std::size_t size() const = 0;
};

/// A request for so many examples, whichever come next.
struct TERN_API BatchSize : CustomBatchRequest {
  /// Requests `size` examples.
  explicit BatchSize(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  /// Returns the number of examples.
  operator std::size_t() const { return size_; }
  /// The number of examples.
  std::size_t size_;
};

/// Requests examples of a stream, without indices, until an epoch has `epoch_size` of them.
///
/// Example:
///   auto loader = make_data_loader(stream, samplers::StreamSampler(10000), 64);
class TERN_API StreamSampler : public Sampler<BatchSize> {
 public:
  /// Requests `epoch_size` examples in an epoch.
  explicit StreamSampler(std::size_t epoch_size);

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<BatchSize> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  std::size_t epoch_size_;
  std::size_t index_ = 0;
};

}  // namespace tern::data::samplers
