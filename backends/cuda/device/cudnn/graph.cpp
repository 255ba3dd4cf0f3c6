#include <tern/backends/cuda/device/cudnn/graph.h>

#include <algorithm>
#include <iterator>

namespace tern::cuda::device::cudnn {

bool Graph::finish(Handle handle, std::span<const Descriptor> operations) {
  graph_ = Node(kGraph);
  return graph_.set(kGraphHandle, kHandleType, handle)
      .set(kGraphOperations, kDescriptorType, static_cast<std::int64_t>(operations.size()),
           operations.data())
      .finalize();
}

std::vector<Node> Graph::configs(Mode mode) const {
  std::vector<Node> found;
  Node heuristics(kHeuristics);
  heuristics.set(kHeuristicsGraph, graph_).set(kHeuristicsMode, kHeuristicsModeType, mode);
  if (!heuristics.finalize()) return found;
  const std::int64_t most = heuristics.get(kHeuristicsResults, kDescriptorType, 0, nullptr);
  std::vector<Descriptor> list;
  for (std::int64_t i = 0; i < most; ++i) {
    list.push_back(found.emplace_back(kEngineConfig).descriptor());
  }
  const std::int64_t count = heuristics.get(kHeuristicsResults, kDescriptorType, most, list.data());
  found.resize(static_cast<std::size_t>(std::min(count, most)));
  return found;
}

bool Graph::is_permitted(const Node& config) const {
  const Node engine(kEngine);
  Descriptor target = engine.descriptor();
  if (config.get(kEngineConfigEngine, kDescriptorType, 1, &target) != 1) return false;
  Note notes[16];
  const std::int64_t count = engine.get(kEngineNotes, kNoteType, std::size(notes), notes);
  return std::all_of(notes, notes + std::min<std::int64_t>(count, std::size(notes)),
                     [this](Note note) { return permits(note); });
}

}  // namespace tern::cuda::device::cudnn
