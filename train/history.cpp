#include <tern/train/history.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

namespace tern::train {
namespace {

/// The number in four significant digits at least: "0.1204", "123", "1e-05".
std::string short_number(double value) { return tern::detail::number_text(value, 'g', 4); }

std::string names_in(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : text;
}

}  // namespace

double Numbers::operator[](std::string_view name) const {
  if (const double* value = find(name)) return *value;
  std::vector<std::string> names;
  for (const Item& item : items_) names.push_back(item.first);
  tern::detail::raise<IndexError>("there is no number '", name, "'; there are: ", names_in(names));
}

const double* Numbers::find(std::string_view name) const {
  for (const Item& item : items_) {
    if (item.first == name) return &item.second;
  }
  return nullptr;
}

void Numbers::set(std::string_view name, double value) {
  for (Item& item : items_) {
    if (item.first != name) continue;
    item.second = value;
    return;
  }
  items_.emplace_back(name, value);
}

std::ostream& operator<<(std::ostream& out, const Numbers& numbers) {
  std::string text;
  for (const auto& [name, value] : numbers) {
    text += (text.empty() ? "" : "  ") + name + ' ' + short_number(value);
  }
  return out << text;
}

const Numbers& History::operator[](std::size_t index) const {
  TERN_CHECK(index < size(), IndexError, "History: the index ", static_cast<std::int64_t>(index),
             " is out of range, there are ", size(), " epochs");
  return epochs_[index];
}

const Numbers& History::back() const {
  TERN_CHECK(!empty(), IndexError, "History: no epoch has ended");
  return epochs_.back();
}

Numbers& History::back() { return const_cast<Numbers&>(std::as_const(*this).back()); }

std::vector<std::string> History::names() const {
  std::vector<std::string> names;
  for (const Numbers& epoch : epochs_) {
    for (const Numbers::Item& item : epoch) {
      if (std::ranges::find(names, item.first) == names.end()) names.push_back(item.first);
    }
  }
  return names;
}

std::vector<double> History::operator[](std::string_view name) const {
  const std::vector<std::string> all = names();
  TERN_CHECK(std::ranges::find(all, name) != all.end(), IndexError, "History: no epoch has '", name,
             "'; there are: ", names_in(all));
  std::vector<double> column;
  for (const Numbers& epoch : epochs_) {
    const double* value = epoch.find(name);
    column.push_back(value != nullptr ? *value : std::numeric_limits<double>::quiet_NaN());
  }
  return column;
}

State History::state_dict() const {
  State epochs = State::list();
  for (const Numbers& numbers : epochs_) {
    State epoch;
    for (const auto& [name, value] : numbers) epoch.insert(name, value);
    epochs.push_back(epoch);
  }
  return epochs;
}

void History::load_state_dict(const State& state) {
  std::vector<Numbers> epochs;
  for (const State& saved : state.elements()) {
    Numbers& epoch = epochs.emplace_back();
    for (const auto& [name, value] : saved) epoch.set(name, value.to<double>(name));
  }
  epochs_ = std::move(epochs);
}

std::ostream& operator<<(std::ostream& out, const History& history) {
  const std::vector<std::string> names = history.names();
  const auto cell = [](const std::string& text, std::size_t width) {
    return "  " + std::string(width - std::min(width, text.size()), ' ') + text;
  };
  std::string text = "epoch";
  for (const std::string& name : names) text += cell(name, std::max<std::size_t>(name.size(), 9));
  for (std::size_t i = 0; i < history.size(); ++i) {
    text += '\n' + cell(std::to_string(i + 1), 5).substr(2);
    for (const std::string& name : names) {
      const double* value = history[i].find(name);
      text += cell(value != nullptr ? short_number(*value) : "-",
                   std::max<std::size_t>(name.size(), 9));
    }
  }
  return out << text << '\n';
}

}  // namespace tern::train
