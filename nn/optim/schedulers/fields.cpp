#include <algorithm>
#include <type_traits>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/fields.h>

namespace tern::optim {

namespace {

template <class T>
void visit_scheduler_field(SchedulerFields& fields, const char* name, T& value) {
  if (fields.mode() == SchedulerFields::Mode::Save) {
    fields.state().set(name, value);
    return;
  }
  const State& saved = fields.state()[name];
  T loaded;
  if constexpr (std::is_same_v<T, double>) {
    loaded = detail::saved_number(saved, name);
  } else {
    loaded = saved.to<T>(name);
  }
  if (fields.mode() == SchedulerFields::Mode::Load) value = std::move(loaded);
}

}  // namespace

void SchedulerFields::operator()(const char* name, double& value) {
  visit_scheduler_field(*this, name, value);
}
void SchedulerFields::operator()(const char* name, bool& value) {
  visit_scheduler_field(*this, name, value);
}
void SchedulerFields::operator()(const char* name, std::string& value) {
  visit_scheduler_field(*this, name, value);
}
void SchedulerFields::operator()(const char* name, std::int64_t& value, std::int64_t least) {
  visit_scheduler_field(*this, name, value);
  if (mode_ == Mode::Save) return;
  const auto loaded = state_[name].to<std::int64_t>(name);
  TERN_CHECK(loaded >= least, Error, "loaded state dict has ", name, " ", loaded,
             ", expected at least ", least);
}

void SchedulerFields::check_choice(const char* name,
                                   std::initializer_list<std::string_view> choices) const {
  if (mode_ == Mode::Save || !state_.contains(name)) return;
  const auto loaded = state_.get<std::string>(name);
  if (std::ranges::find(choices, loaded) != choices.end()) return;
  std::string expected;
  for (const std::string_view choice : choices) {
    expected.append(expected.empty() ? "'" : ", '").append(choice).append("'");
  }
  tern::detail::raise<Error>("loaded state dict has ", name, " '", loaded, "', expected one of ",
                             expected);
}

void SchedulerFields::operator()(const char* name, std::vector<double>& values) {
  if (mode_ == Mode::Save) {
    return state_.set(name, State::list({values.begin(), values.end()}));
  }
  const std::vector<State>& saved = state_[name].elements();
  TERN_CHECK(saved.size() == values.size(), Error, "loaded state dict has ", saved.size(),
             " numbers in ", name, ", the optimizer has ", values.size(), " parameter groups");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = detail::saved_number(saved[i], name);
    if (mode_ == Mode::Load) values[i] = value;
  }
}

}  // namespace tern::optim
