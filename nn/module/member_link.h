#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/visibility.h>

// A holder that is a data member of a module knows this module, so that the module notices an
// assignment: after `net->fc = nn::Linear(8, 2)` forward() would use the new layer, while
// parameters() and state_dict() have the registered layer.

namespace tern::nn {

class Module;

namespace detail {

class MemberLink;

/// How a module reaches the module in a holder.
struct HolderAccess {
  /// Returns the module in the holder, or null.
  const Module* (*module_of)(const MemberLink& holder);
  /// Stores a module in the holder if `commit` is true. Returns false if the holder is of another
  /// class. Null: only an assignment can do it.
  bool (*set)(MemberLink& holder, const std::shared_ptr<Module>& module, bool commit);
};

/// The links of a module: its members that are holders, and results of register_module() on their
/// way into a member.
class TERN_API MemberLinks {
 public:
  /// A holder and the registered name of its module.
  struct Link {
    MemberLink* holder;
    const HolderAccess* access;
    std::string name;
    bool is_member;
  };

  explicit MemberLinks(const Module& module) : module_(module) {}
  MemberLinks(const MemberLinks&) = delete;
  MemberLinks& operator=(const MemberLinks&) {
    note_change();
    return *this;
  }
  ~MemberLinks() { clear(); }

  /// Returns true if a member may have been assigned since the last check.
  bool may_differ() const noexcept { return may_differ_.load(std::memory_order_relaxed); }
  /// Requests a check of the members, or notes that they were checked.
  void note_change(bool may_differ = true) const noexcept {
    may_differ_.store(may_differ, std::memory_order_relaxed);
  }
  /// Returns the links.
  const std::vector<Link>& all() const noexcept { return links_; }
  /// Links a holder that was given to register_module(), if it is a data member of the module.
  void link_member(const MemberLink& holder, const std::string& name, const HolderAccess& access);
  /// Forgets all links, or those of a name.
  void clear() noexcept;
  void clear(const std::string& name) noexcept;

 private:
  friend class MemberLink;

  bool is_inside(const MemberLink& holder) const;
  std::vector<Link>::iterator find(const MemberLink& holder) noexcept;

  const Module& module_;
  std::vector<Link> links_;
  mutable std::atomic<bool> may_differ_{false};
};

/// Base class of holders.
class TERN_API MemberLink {
 public:
  MemberLink() noexcept = default;
  /// Copies no link. A member of the registering module that is made from the result of
  /// register_module() is linked.
  MemberLink(const MemberLink& other) noexcept {
    if (other.links_ != nullptr) [[unlikely]]
      follow(other);
  }
  // NOLINTNEXTLINE(performance-move-constructor-init): the other member stays linked.
  MemberLink(MemberLink&& other) noexcept : MemberLink(other) { other.note_change(); }
  /// Keeps the link. The module checks the member before it is used.
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): then only a check comes too often.
  MemberLink& operator=(const MemberLink& other) noexcept {
    note_change();
    if (other.links_ != nullptr) [[unlikely]]
      follow(other);
    return *this;
  }
  MemberLink& operator=(MemberLink&& other) noexcept {
    other.note_change();
    return *this = other;
  }
  ~MemberLink() {
    if (links_ != nullptr) [[unlikely]]
      unlink();
  }

 protected:
  /// Links the result of register_module().
  MemberLink(MemberLinks& links, const std::string& name);
  /// Links a holder that is made from the result of register_module().
  void take(const MemberLink& registered, const HolderAccess& access);

 private:
  friend class MemberLinks;

  void note_change() const noexcept {
    if (links_ != nullptr) links_->note_change();
  }
  void follow(const MemberLink& other) noexcept;
  void link(MemberLinks& links, const HolderAccess* access, std::string name, bool is_member);
  void unlink() noexcept;

  MemberLinks* links_ = nullptr;
};

/// What register_module() returns: a shared pointer. A holder that is a data member of the
/// registering module and is set to it is linked.
template <class M>
class Registered : public std::shared_ptr<M>, public MemberLink {
 public:
  Registered(MemberLinks& links, const std::string& name, std::shared_ptr<M> module)
      : std::shared_ptr<M>(std::move(module)), MemberLink(links, name) {}
};

template <class T>
inline constexpr bool kIsRegistered = false;
template <class M>
inline constexpr bool kIsRegistered<Registered<M>> = true;

}  // namespace detail
}  // namespace tern::nn
