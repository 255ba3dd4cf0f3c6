#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/tensor/state.h>
#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// A dataset that decides itself which examples come next. get_batch(count) returns nullopt at the
/// end of an epoch; reset() starts the next epoch. make_data_loader(dataset, options) needs no
/// sampler.
///
/// All workers of a loader share one object, so get_batch() must be thread-safe if there is more
/// than one worker.
///
/// Example:
///   struct Lines : datasets::StatefulDataset<Lines, std::vector<std::string>> {
///     std::optional<std::vector<std::string>> get_batch(std::size_t count) override { ... }
///     std::optional<std::size_t> size() const override { return std::nullopt; }
///     void reset() override { file.seek(0); }
///   };
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = std::size_t>
class StatefulDataset : public BatchDataset<Self, std::optional<Batch>, BatchRequest> {
 public:
  /// Starts an epoch.
  virtual void reset() = 0;
  /// Returns the position in the epoch. Throws NotImplementedError unless overridden.
  virtual State state_dict() const {
    tern::detail::raise<NotImplementedError>("state_dict: this dataset has no state");
  }
  /// Continues from a result of state_dict(): the next reset() keeps the position. Throws
  /// NotImplementedError unless overridden.
  virtual void load_state_dict(const State& /*state*/) {
    tern::detail::raise<NotImplementedError>("load_state_dict: this dataset has no state");
  }
};

}  // namespace tern::data::datasets

namespace tern::data {
using datasets::StatefulDataset;
}  // namespace tern::data
