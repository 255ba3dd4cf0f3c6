#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/checkpoint.h>
#include <tern/train/detail/ranks.h>
#include <tern/train/fit.h>
#include <tern/train/grad_scaler.h>

// What a checkpoint of a training holds.

namespace tern::train {
namespace {

/// Loads each object's state. After an error all of them have the states from before.
template <class T>
void load_each(const std::vector<T*>& objects, const State& states) {
  std::vector<State> before;
  try {
    for (T* object : objects) {
      State state = object->state_dict();
      before.push_back(std::move(state));
      object->load_state_dict(states[before.size() - 1]);
    }
  } catch (...) {
    for (std::size_t i = 0; i < before.size(); ++i) objects[i]->load_state_dict(before[i]);
    throw;
  }
}

State state_of(detail::Batches& batches) {
  try {
    return batches.state_dict();
  } catch (const Error&) {
    return {};
  }
}

void load_if_it_fits(detail::Batches& batches, const State& state) {
  try {
    if (!state.empty()) batches.load_state_dict(state);
  } catch (const Error&) {  // which changed nothing
  }
}

}  // namespace

/// One entry of a checkpoint. With several ranks the top of the checkpoint has that of rank 0, and
/// the entry "ranks" has for each rank those that are its own.
struct Run::Part {
  const char* name;
  bool is_own;
  std::function<State()> save;
  std::function<void(const State&)> load;
};

std::vector<Run::Part> Run::parts() const {
  Run& run = const_cast<Run&>(*this);  // load() is called by a member that is not const
  std::vector<Part> parts = {
      {"model", false, [&run] { return run.model_->state_dict(); },
       [&run](const State& state) { run.model_->load_state_dict(state); }},
      {"optimizer", false, [&run] { return run.optimizer_.state_dict(); },
       [&run](const State& state) { run.optimizer_.load_state_dict(state); }},
      {"callbacks", false, [&run] { return run.callback_states(); },
       [&run](const State& state) { run.load_callback_states(state); }}};
  if (amp::GradScaler* const scaler = options_.scaler) {
    parts.push_back({"scaler", false, [scaler] { return scaler->state_dict(); },
                     [scaler](const State& state) { scaler->load_state_dict(state); }});
  }
  if (loader_.has_state()) {
    parts.push_back({"loader", true, [&run] { return run.loader_.state_dict(); },
                     [&run](const State& state) { run.loader_.load_state_dict(state); }});
  }
  if (options_.validation && options_.validation.batches()->has_state()) {
    // The number of the epoch seeds what the data draws. A loader that keeps no order has no state,
    // and another validation set than that of the checkpoint begins afresh.
    detail::Batches& validation = *options_.validation.batches();
    parts.push_back({"validation", true, [&validation] { return state_of(validation); },
                     [&validation](const State& state) { load_if_it_fits(validation, state); }});
  }
  parts.push_back({"progress", true, [&run] { return run.progress(); },
                   [&run](const State& state) { run.load_progress(state); }});
  // Last, because the parts before may draw.
  parts.push_back({"generators", true, [] { return generator_states(); },
                   [](const State& state) { set_generator_states(state); }});
  return parts;
}

bool Run::has_loader_state() const { return loader_.has_state(); }

State Run::state_dict() const {
  TERN_CHECK(!in_epoch_ || loader_.has_state(), Error,
             "the training cannot be saved within an epoch, because the loader has no "
             "state_dict(); save at the end of an epoch");
  State state, own;
  for (const Part& part : parts()) {
    state.insert(part.name, part.save());
    if (part.is_own) own.insert(part.name, state[part.name]);
  }
  if (process_group().size() > 1) {
    State ranks = State::list();
    for (State& each : ranks_->gather(own)) ranks.push_back(std::move(each));
    state.insert("ranks", std::move(ranks));
  }
  return state;
}

void Run::load_state_dict(const State& state) {
  TERN_CHECK(state.is_dict() && state.contains("progress"), Error,
             "this is no checkpoint of a training; load the weights of a model by "
             "tern::load(model, path)");
  const State* const ranks = state.find("ranks");
  const auto saved_ranks = static_cast<std::int64_t>(ranks == nullptr ? 1 : ranks->size());
  const bool is_same_size = saved_ranks == process_group().size();
  TERN_CHECK(is_same_size || !state["progress"].get<bool>("in_epoch"), Error,
             "the checkpoint was saved within an epoch by ", saved_ranks, " ranks, these are ",
             process_group().size(), "; only those of complete epochs fit any number");
  std::vector<std::pair<Part, State>> undo;  // of the parts that are loaded
  try {
    for (Part& part : parts()) {
      const bool is_per_rank = part.is_own && part.name != std::string_view("progress");
      if (is_per_rank && !is_same_size) continue;  // the next epoch begins afresh
      const State& from = part.is_own && ranks != nullptr && is_same_size
                              ? (*ranks)[static_cast<std::size_t>(process_group().rank())]
                              : state;
      State before = part.save();
      if (part.name == std::string_view("model")) {  // load() writes into these tensors
        State copies;
        for (const auto& [name, tensor] : before) copies.insert(name, tensor.tensor().clone());
        before = std::move(copies);
      }
      try {
        const State* saved = from.find(part.name);
        // Older checkpoints lack it.
        if (saved == nullptr && part.name == std::string_view("validation")) continue;
        TERN_CHECK(saved != nullptr, Error, "the checkpoint has no entry of this name");
        part.load(*saved);
      } catch (const Error& error) {
        tern::detail::raise<Error>("the ", part.name,
                                   " of the checkpoint does not fit: ", error.what());
      }
      undo.emplace_back(std::move(part), std::move(before));
    }
  } catch (...) {  // a callback or loader of a program may throw anything
    for (; !undo.empty(); undo.pop_back()) undo.back().first.load(undo.back().second);
    throw;
  }
}

State Run::progress() const {
  State state;
  state.insert("epoch", epoch_);
  state.insert("step", step_);
  state.insert("batch", batch_);
  state.insert("skipped", skipped_);
  state.insert("total", total_);
  state.insert("weight", weight_);
  state.insert("in_epoch", in_epoch_);
  History logged;
  logged.add(numbers_);
  state.insert("numbers", logged.state_dict());
  state.insert("history", history_.state_dict());
  State sums = State::list();
  for (const NamedMetric& named : options_.metrics) sums.push_back(named.metric->state_dict());
  state.insert("metrics", sums);
  return state;
}

void Run::load_progress(const State& state) {
  const State& sums = state["metrics"];
  TERN_CHECK(sums.size() == options_.metrics.size(), Error, "it has ", sums.size(),
             " metrics, the options of fit() have ", options_.metrics.size());
  History logged, history;
  logged.load_state_dict(state["numbers"]);
  history.load_state_dict(state["history"]);
  const auto integer = [&](const char* key) { return state.get<std::int64_t>(key); };
  const std::int64_t epoch = integer("epoch"), step = integer("step"), batch = integer("batch");
  const std::int64_t skipped = integer("skipped");
  const auto total = state.get<double>("total"), weight = state.get<double>("weight");
  const bool in_epoch = state.get<bool>("in_epoch");
  Numbers numbers = logged.back();
  TERN_CHECK(!in_epoch || loader_.has_state(), Error,
             "it was saved within an epoch, and the loader has no state_dict()");
  std::vector<metrics::TargetMetric*> metrics;
  for (const NamedMetric& named : options_.metrics) metrics.push_back(named.metric.get());
  load_each(metrics, sums);
  epoch_ = epoch;
  step_ = step;
  batch_ = batch;
  skipped_ = skipped;
  total_ = total;
  weight_ = weight;
  in_epoch_ = in_epoch;
  numbers_ = std::move(numbers);
  history_ = std::move(history);
}

State Run::callback_states() const {
  State states = State::list();
  for (const AnyCallback& callback : options_.callbacks) {
    if (State state = callback->state_dict(); !state.empty()) states.push_back(std::move(state));
  }
  return states;
}

void Run::load_callback_states(const State& state) {
  std::vector<Callback*> with_state;
  for (const AnyCallback& callback : options_.callbacks) {
    if (!callback->state_dict().empty()) with_state.push_back(&*callback);
  }
  TERN_CHECK(state.size() == with_state.size(), Error, "it has ", state.size(),
             " callbacks with a state, the options of fit() have ", with_state.size());
  load_each(with_state, state);
}

}  // namespace tern::train
