#include <tern/nn/module/member_link.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include <tern/nn/module.h>

namespace tern::nn::detail {

bool MemberLinks::is_inside(const MemberLink& holder) const {
  // Nothing tells the size of a module. A holder this close behind its beginning is a data member:
  // local variables and elements of vectors are elsewhere.
  constexpr std::uintptr_t kLargestModule = 1 << 16;
  const auto begin = reinterpret_cast<std::uintptr_t>(dynamic_cast<const void*>(&module_));
  return reinterpret_cast<std::uintptr_t>(&holder) - begin < kLargestModule;
}

std::vector<MemberLinks::Link>::iterator MemberLinks::find(const MemberLink& holder) noexcept {
  // From the end, because members are destroyed in reverse order.
  auto link = links_.end();
  while (link != links_.begin() && (--link)->holder != &holder) continue;
  return link;
}

void MemberLinks::link_member(const MemberLink& holder, const std::string& name,
                              const HolderAccess& access) {
  if (is_inside(holder)) const_cast<MemberLink&>(holder).link(*this, &access, name, true);
}

void MemberLinks::clear() noexcept {
  for (const Link& link : links_) link.holder->links_ = nullptr;
  links_.clear();
}

void MemberLinks::clear(const std::string& name) noexcept {
  std::erase_if(links_, [&](const Link& link) {
    if (link.name != name) return false;
    link.holder->links_ = nullptr;
    return true;
  });
}

MemberLink::MemberLink(MemberLinks& links, const std::string& name) {
  link(links, nullptr, name, false);
}

void MemberLink::take(const MemberLink& registered, const HolderAccess& access) {
  if (registered.links_ == nullptr) return;
  MemberLinks& links = *registered.links_;
  link(links, &access, links.find(registered)->name, links.is_inside(*this));
}

void MemberLink::follow(const MemberLink& other) noexcept {
  const MemberLinks::Link& from = *other.links_->find(other);
  if (from.is_member || !other.links_->is_inside(*this)) return;
  try {
    link(*other.links_, from.access, from.name, true);
  } catch (const std::bad_alloc&) {
    // The member stays without a link.
  }
}

void MemberLink::link(MemberLinks& links, const HolderAccess* access, std::string name,
                      bool is_member) {
  if (links_ != nullptr) unlink();
  links.links_.push_back({this, access, std::move(name), is_member});
  links_ = &links;
}

void MemberLink::unlink() noexcept {
  links_->links_.erase(links_->find(*this));
  links_ = nullptr;
}

}  // namespace tern::nn::detail
