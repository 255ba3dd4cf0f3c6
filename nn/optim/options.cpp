#include <algorithm>
#include <string_view>
#include <type_traits>

#include <tern/core/base/detail/type_name.h>
#include <tern/core/base/error.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/options.h>
#include <tern/nn/optim/param_state.h>

namespace tern::optim {

namespace detail {

void FieldList::add(const void* field) {
  const auto offset = static_cast<const char*>(field) - reinterpret_cast<const char*>(this);
  TERN_CHECK(size_ < std::size(offsets_), Error, "options and states of an optimizer have at most ",
             std::size(offsets_), " entries of TERN_OPTIM_ARG or TERN_OPTIM_STATE");
  TERN_CHECK(offset <= UINT16_MAX, Error, "an entry of TERN_OPTIM_ARG or TERN_OPTIM_STATE lies ",
             offset, " bytes behind the start of its object, but at most ", UINT16_MAX,
             " are possible: declare large members behind it");
  offsets_[size_++] = static_cast<std::uint16_t>(offset);
}

void save_option(State& group, const char* name, double value) { group.insert(name, value); }
void save_option(State& group, const char* name, bool value) { group.insert(name, value); }
void save_option(State& group, const char* name, std::int64_t value) { group.insert(name, value); }
void save_option(State& group, const char* name, const std::string& value) {
  group.insert(name, value);
}
void load_option(const State& group, const char* name, double& value) {
  value = saved_number(group[name], name);
}
void load_option(const State& group, const char* name, bool& value) {
  value = group.get<bool>(name);
}
void load_option(const State& group, const char* name, std::int64_t& value) {
  value = group.get<std::int64_t>(name);
}
void load_option(const State& group, const char* name, std::string& value) {
  value = group.get<std::string>(name);
}
const std::vector<State>& option_list(const State& group, const char* name, std::size_t size) {
  const State& state = group[name];
  TERN_CHECK(state.is_list() && state.size() == size, Error, name, " should be a list of ", size,
             " numbers, found ", kind_name(state.kind()),
             state.is_list() ? tern::detail::text_of(" of ", state.size()) : "");
  return state.elements();
}
State number_state(const std::optional<double>& number) {
  return number ? State(*number) : State(nullptr);
}
void load_number(const State& state, const char* name, double& number) {
  number = saved_number(state, name);
}
void load_number(const State& state, const char* name, std::optional<double>& number) {
  number.reset();
  if (!state.is_null()) number = saved_number(state, name);
}

void add_option(RuleArguments& rule, const char* name, double value) {
  if (std::string_view(name) == "lr" || rule.number_count == RuleArguments::kMostNumbers) return;
  rule.numbers[rule.number_count++] = value;
}
void add_option(RuleArguments& rule, const char* name, const std::tuple<double, double>& value) {
  add_option(rule, name, std::get<0>(value));
  add_option(rule, name, std::get<1>(value));
}
void add_option(RuleArguments& rule, const char* name, bool value) {
  const std::string_view text = name;
  if (text == "capturable") {
    rule.capturable = value;
  } else {
    const int bit = text == "maximize" ? 0 : ++rule.flag_count;
    rule.form |= (value ? 1U : 0U) << bit;
  }
}

RuleArguments::RuleArguments(const OptimizerOptions& options) {
  const FieldList& fields = options.fields_;
  for (std::size_t i = 0; i < fields.size(); ++i) fields.at<OptionBase>(i).add_to(*this);
}

template class OptionField<double>;
template class OptionField<bool>;
template class OptionField<std::int64_t>;
template class OptionField<std::optional<std::int64_t>>;
template class OptionField<std::optional<std::string>>;
template class OptionField<std::tuple<double, double>>;
template class OptionField<std::tuple<double, double, double>>;
template class OptionField<std::tuple<std::optional<double>, double>>;

}  // namespace detail

OptimizerOptions::~OptimizerOptions() = default;

namespace {

using detail::OptionBase;

/// Returns the option of type T with this name; null if there is none.
template <class T, class List>
auto* find_option(List& fields, std::string_view name) {
  using Field = std::conditional_t<std::is_const_v<List>, const detail::OptionField<T>,
                                   detail::OptionField<T>>;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto& option = fields.template at<OptionBase>(i);
    if (option.traits().key == name) return dynamic_cast<Field*>(&option);
  }
  return static_cast<Field*>(nullptr);
}

using Pair = std::tuple<double, double>;

}  // namespace

double OptimizerOptions::get_lr() const { return find_option<double>(fields_, "lr")->value; }
void OptimizerOptions::set_lr(double lr) { find_option<double>(fields_, "lr")->set(lr); }

std::optional<double> OptimizerOptions::get_momentum() const {
  if (const auto* momentum = find_option<double>(fields_, "momentum")) return momentum->value;
  if (const auto* betas = find_option<Pair>(fields_, "betas")) {
    return std::get<0>(betas->value);
  }
  return std::nullopt;
}
void OptimizerOptions::set_momentum(double momentum) {
  if (auto* option = find_option<double>(fields_, "momentum")) {
    option->set(momentum);
  } else if (auto* betas = find_option<Pair>(fields_, "betas")) {
    std::get<0>(betas->value) = momentum;
  }
}

void OptimizerOptions::check() const {
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_.at<OptionBase>(i).check();
}

void OptimizerOptions::inherit(const OptimizerOptions& defaults) {
  const auto first = [](const detail::FieldList& list) { return &list.at<OptionBase>(0).traits(); };
  // A class that derives from the same options has them, too.
  TERN_CHECK(first(fields_) == first(defaults.fields_), Error,
             "the options of a parameter group must have the class ",
             tern::detail::type_name(typeid(defaults)), ", got ",
             tern::detail::type_name(typeid(*this)));
  for (std::size_t i = 0; i < std::min(fields_.size(), defaults.fields_.size()); ++i) {
    fields_.at<OptionBase>(i).inherit(defaults.fields_.at<OptionBase>(i));
  }
}

void OptimizerOptions::save(State& group) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_.at<OptionBase>(i).save(group);
}

void OptimizerOptions::load(const State& group) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    auto& option = fields_.at<OptionBase>(i);
    // This one depends on the program, not on the training.
    if (std::string_view(option.traits().key) != "capturable") option.load(group);
  }
}

bool detail::are_equal(const OptimizerOptions& a, const OptimizerOptions& b) {
  State of_a, of_b;
  a.save(of_a);
  b.save(of_b);
  return typeid(a) == typeid(b) && identical(of_a, of_b);
}

bool detail::are_equal(const OptimizerParamState& a, const OptimizerParamState& b) {
  return typeid(a) == typeid(b) && identical(a.save(), b.save());
}

}  // namespace tern::optim
