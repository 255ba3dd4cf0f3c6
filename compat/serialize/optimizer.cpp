#include <tern/nn/optim/optimizer.h>

#include <tern/core/base/error.h>
#include <tern/serialization/archive.h>

namespace tern::optim {

void Optimizer::save(serialize::OutputArchive& archive) const {
  archive.write_optimizer(state_dict());
}

void Optimizer::load(serialize::InputArchive& archive) {
  const State state = archive.optimizer_state();
  TERN_CHECK(state.contains("state") && state.contains("param_groups"), Error,
             "the archive is not that of an optimizer: it needs 'state' and 'param_groups'");
  const std::vector<State>& groups = state["param_groups"].elements();
  TERN_CHECK(groups.size() == param_groups_.size(), Error,
             "loaded state dict has a different number of parameter groups: ", groups.size(),
             ", the optimizer has ", param_groups_.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t saved = groups[i]["params"].size(), own = param_groups_[i].params().size();
    TERN_CHECK(saved == own, Error,
               "loaded state dict contains a parameter group that has a different size than the "
               "optimizer's parameter group: ",
               saved, " parameters in group ", i, ", the optimizer has ", own);
  }
  load_state_dict(state);
}

}  // namespace tern::optim
