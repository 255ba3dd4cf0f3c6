#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <tern/core/kernels/operand.h>

namespace tern::testing {

/// What the oracle wrote in calls of the present test, so that it computes each result once and not
/// again for each instruction set. Those runs of a test follow each other and make the same calls.
class OracleResults {
 public:
  /// Calls `compute`, which fills the written operands of `args`, or copies there what it wrote
  /// before for the same arguments and the same contents of all operands.
  template <class Args, class Compute>
  void fill(Args& args, const Compute& compute) {
    forget_other_tests();
    const kernels::Operands list = operands(args);
    const std::string key = key_of(args, list);
    const auto known = results_.find(key);
    if (known != results_.end()) {
      const char* from = known->second.data();
      for_each_written(list, [&](char* to, std::size_t size) {
        std::memcpy(to, from, size);
        from += size;
      });
      return;
    }
    compute();
    std::vector<char>& result = results_[key];
    for_each_written(list, [&](const char* from, std::size_t size) {
      result.insert(result.end(), from, from + size);
    });
  }

 private:
  // The name of a test without its parameter: "Sets/Gemm.Batches".
  void forget_other_tests() {
    const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info == nullptr ? "" : info->name();
    name = std::string(info == nullptr ? "" : info->test_suite_name()) + '.' +
           name.substr(0, name.find('/'));
    if (name == test_) return;
    results_.clear();
    test_ = name;
  }

  // The bytes of the arguments, with each operand's pointer replaced by the number of the first
  // operand that has it, and the hash of what the operands hold.
  template <class Args>
  static std::string key_of(Args args, const kernels::Operands& original) {
    static_assert(std::is_trivially_copyable_v<Args>);
    std::size_t hash = sizeof(Args);
    const kernels::Operands list = operands(args);
    for (const kernels::Operand& operand : list) {
      std::size_t number = 0;
      for (const kernels::Operand& other : original) {
        if (other.pointer == operand.pointer) break;
        ++number;
      }
      std::memcpy(operand.field, &number, sizeof(number));
      const std::string_view bytes(static_cast<const char*>(operand.pointer) + operand.first,
                                   static_cast<std::size_t>(operand.last - operand.first));
      hash = hash * 31 + std::hash<std::string_view>()(bytes);
    }
    std::string key(sizeof(args) + sizeof(hash), '\0');
    std::memcpy(key.data(), &args, sizeof(args));
    std::memcpy(key.data() + sizeof(args), &hash, sizeof(hash));
    return key;
  }

  template <class Visit>
  static void for_each_written(const kernels::Operands& list, const Visit& visit) {
    for (const kernels::Operand& operand : list) {
      if (!operand.is_written) continue;
      auto* const pointer = static_cast<char*>(const_cast<void*>(operand.pointer));
      visit(pointer + operand.first, static_cast<std::size_t>(operand.last - operand.first));
    }
  }

  std::string test_;
  std::unordered_map<std::string, std::vector<char>> results_;
};

}  // namespace tern::testing
