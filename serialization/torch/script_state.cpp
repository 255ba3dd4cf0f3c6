#include <unordered_map>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/serialization/torch/detail/script.h>

// The tree of an archive of libtorch's C++ frontend, and the state dictionary that it stands for.

namespace tern::detail {
namespace {

// An optimizer's archive, for two parameters:
//   pytorch_version: "1.5.0"
//   state: {"<name>": {"step": 3, "exp_avg": tensor, ..}, ..}
//   param_groups: {"param_groups/size": 1,
//                  "param_groups/0": {"params/size": 2, "params/0": "<name>", "params/1": "<name>",
//                                     "options": {"lr": 0.1, "betas": (0.9, 0.999), ..}}}
// The sizes are tensors. libtorch takes the addresses of the parameters as their names.
const char* const kGroups = "param_groups";
const char* const kSize = "/size";

std::string item(const char* list, std::size_t index) {
  return list + ("/" + std::to_string(index));
}

std::int64_t size_of(const State& dict, const char* list) {
  const State& size = dict[std::string(list) + kSize];
  TERN_CHECK(size.is_tensor() && size.tensor().dtype() == kLong && size.tensor().numel() == 1,
             Error, "'", list, kSize, "' must be a tensor with an integer");
  return size.tensor().item<std::int64_t>();
}

void flatten_into(State& flat, const State& tree, const std::string& prefix) {
  for (const auto& [key, value] : tree) {
    const std::string name = prefix.empty() ? key : std::string(prefix).append(".").append(key);
    if (value.is_dict()) {
      flatten_into(flat, value, name);
    } else {
      flat.insert(name, value.is_tensor() ? State(value.tensor().detach()) : value);
    }
  }
}

ScriptAttribute plain(std::string name, State value) {
  std::string type = script_type(value);
  return {.name = std::move(name), .type = std::move(type), .value = std::move(value)};
}

ScriptAttribute inner(std::string name, ScriptModule module) {
  return {.name = std::move(name),
          .type = "",
          .module = std::make_shared<ScriptModule>(std::move(module))};
}

ScriptAttribute size_entry(const char* list, std::size_t size) {
  ScriptAttribute entry =
      plain(std::string(list) + kSize, full({}, static_cast<std::int64_t>(size), kLong));
  entry.role = ScriptAttribute::Role::kParameter;
  return entry;
}

/// Returns the entries of a parameter's state with the step count as an integer.
ScriptModule script_of_entries(const State& entries) {
  ScriptModule module;
  for (const auto& [key, value] : entries) {
    if (value.is_null()) continue;
    const bool is_count = key == "step" && value.is_tensor() && value.tensor().numel() == 1;
    module.attributes.push_back(is_count ? plain(key, value.tensor().to(kLong).item<std::int64_t>())
                                         : plain(key, value));
  }
  if (entries.contains("func_evals") && !entries.contains("d")) {  // LBFGS before its first step
    for (const char* const number : {"t", "prev_loss"})
      module.attributes.push_back(plain(number, 0.0));
    for (const char* const list : {"old_dirs", "old_stps"}) {
      module.attributes.push_back(plain(list, State::list()));
    }
  }
  return module;
}

}  // namespace

bool is_script_optimizer(const State& tree) {
  const State* const groups = tree.find(kGroups);
  const State* const state = tree.find("state");
  return groups != nullptr && groups->is_dict() && state != nullptr && state->is_dict() &&
         groups->contains(std::string(kGroups) + kSize);
}

State optimizer_of_script(const State& tree) {
  State states, groups = State::list();
  std::unordered_map<std::string, std::int64_t> numbers;
  const auto size = static_cast<std::size_t>(size_of(tree[kGroups], kGroups));
  for (std::size_t i = 0; i < size; ++i) {
    const State& saved = tree[kGroups][item(kGroups, i)];
    State group = saved["options"], params = State::list();
    const auto count = static_cast<std::size_t>(size_of(saved, "params"));
    for (std::size_t j = 0; j < count; ++j) {
      const auto number = static_cast<std::int64_t>(numbers.size());
      const std::string& name = saved[item("params", j)].string();
      TERN_CHECK(numbers.emplace(name, number).second, Error, "parameter '", name,
                 "' is twice in the parameter groups");
      params.push_back(number);
    }
    group.set("params", std::move(params));
    groups.push_back(std::move(group));
  }
  for (const auto& [name, entries] : tree["state"]) {
    const auto found = numbers.find(name);
    TERN_CHECK(found != numbers.end(), Error, "parameter '", name, "' is in no parameter group");
    states.insert(std::to_string(found->second), entries);
  }
  State result;
  result.insert("state", std::move(states));
  result.insert(kGroups, std::move(groups));
  return result;
}

ScriptModule script_of_optimizer(const State& state) {
  ScriptModule states, groups;
  for (const auto& [number, entries] : state["state"]) {
    if (!entries.empty()) states.attributes.push_back(inner(number, script_of_entries(entries)));
  }
  const std::vector<State>& saved_groups = state[kGroups].elements();
  groups.attributes.push_back(size_entry(kGroups, saved_groups.size()));
  for (std::size_t i = 0; i < saved_groups.size(); ++i) {
    ScriptModule group, options;
    for (const auto& [key, value] : saved_groups[i]) {
      if (key == "params") continue;
      // libtorch's LBFGS cannot step without a number here.
      const bool is_unset =
          key == "max_eval" && value.is_null() && saved_groups[i].contains("max_iter");
      options.attributes.push_back(plain(
          key, is_unset ? State(saved_groups[i].get<std::int64_t>("max_iter") * 5 / 4) : value));
      if (value.is_list()) options.attributes.back().type = tuple_type(value);  // such as betas
    }
    const std::vector<State>& params = saved_groups[i]["params"].elements();
    group.attributes.push_back(size_entry("params", params.size()));
    for (std::size_t j = 0; j < params.size(); ++j) {
      group.attributes.push_back(
          plain(item("params", j), std::to_string(params[j].to<std::int64_t>("params"))));
    }
    group.attributes.push_back(inner("options", std::move(options)));
    groups.attributes.push_back(inner(item(kGroups, i), std::move(group)));
  }
  ScriptModule result;
  result.attributes.push_back(plain("pytorch_version", "1.5.0"));
  result.attributes.push_back(inner("state", std::move(states)));
  result.attributes.push_back(inner(kGroups, std::move(groups)));
  return result;
}

State flat_script(const State& tree) {
  if (is_script_optimizer(tree)) return optimizer_of_script(tree);
  State flat;
  flatten_into(flat, tree, "");
  return flat;
}

}  // namespace tern::detail
