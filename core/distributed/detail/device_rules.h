#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <tern/core/tensor/device.h>

namespace tern::distributed::detail {

/// What a rank has called before in the groups with the same members.
struct Order {
  std::int64_t hash = 0;  // of the number of collectives of each other group
  std::string before;     // the last collective
  bool is_counted = false;
};

/// What NCCL asks of collectives on devices, and does not check: each rank has a device of its own,
/// which stays the same, and the ranks of several groups call their collectives in one order. The
/// rules hold on simulated devices, too, so that a program that breaks them fails without a GPU.
class DeviceRules {
 public:
  /// Makes the rules of a group of all ranks.
  DeviceRules();

  /// Returns whether the rules hold: between linked devices, and on simulated ones, but not for
  /// TERN_NCCL=0, which sends tensors over host memory.
  static bool hold(bool is_linked);

  /// Counts a collective, in the order of the program, and returns what came before.
  Order next(std::string call);
  /// Undoes the count of a collective that failed: other ranks may not have counted theirs.
  void forget();
  /// Returns the rules of a part. `has_all`: it has the members of this group.
  DeviceRules of_part(int color, bool has_all);

  /// The device of the group's collectives; -1 before the first one.
  DeviceIndex device = -1;

 private:
  // The collectives that a rank has called, by group. All ranks give a group the same key.
  struct Counts {
    std::mutex mutex;
    std::map<std::string, std::int64_t> groups;
    std::string last;
  };

  std::shared_ptr<Counts> counts_;  // of the groups with these members
  std::string key_;
  std::int64_t parts_ = 0;
};

}  // namespace tern::distributed::detail
