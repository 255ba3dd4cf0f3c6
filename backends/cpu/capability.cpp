#include <tern/backends/cpu/capability.h>

#include <string>

#ifdef TERN_CPU_HAS_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <tern/core/base/error.h>

// The build defines TERN_CPU_HAS_<SET> for each instruction set that it contains.
extern "C" {
void tern_cpu_register_baseline(tern::kernels::KernelTable* table);
void tern_cpu_register_avx2(tern::kernels::KernelTable* table);
void tern_cpu_register_avx512(tern::kernels::KernelTable* table);
void tern_cpu_register_avx512_bf16(tern::kernels::KernelTable* table);
void tern_cpu_register_amx(tern::kernels::KernelTable* table);
void tern_cpu_register_native(tern::kernels::KernelTable* table);
}

namespace tern::cpu {
namespace {

[[maybe_unused]] bool always() { return true; }

// The features of x86-64-v3 and v4 that compilers use.
#ifdef __x86_64__
[[maybe_unused]] bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
[[maybe_unused]] bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
[[maybe_unused]] bool has_avx512_bf16() {
  return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
#ifdef TERN_CPU_HAS_AMX
/// Asks Linux for permission to use the AMX tiles, for the whole process. Linux grants it from 5.16
/// on.
bool has_amx() {
  constexpr unsigned kTile = 1u << 24, kBfloat16 = 1u << 22;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!has_avx512_bf16() || __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kTile) == 0 || (edx & kBfloat16) == 0) return false;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // <asm/prctl.h> of that kernel
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif
#endif

constexpr Capability kCapabilities[] = {
#ifdef TERN_CPU_HAS_NATIVE
    {"native", always, tern_cpu_register_native},
#endif
#ifdef TERN_CPU_HAS_BASELINE
    {"baseline", always, tern_cpu_register_baseline},
#endif
#ifdef TERN_CPU_HAS_AVX2
    {"avx2", has_avx2, tern_cpu_register_avx2},
#endif
#ifdef TERN_CPU_HAS_AVX512
    {"avx512", has_avx512, tern_cpu_register_avx512},
#endif
#ifdef TERN_CPU_HAS_AVX512_BF16
    {"avx512_bf16", has_avx512_bf16, tern_cpu_register_avx512_bf16},
#endif
#ifdef TERN_CPU_HAS_AMX
    {"amx", has_amx, tern_cpu_register_amx},
#endif
    {nullptr, nullptr, nullptr},
};

}  // namespace

const Capability* capabilities() { return kCapabilities; }

const Capability& choose_capability(const char* name) {
  const bool best = name == nullptr || *name == '\0';
  const Capability* chosen = nullptr;
  std::string choices;
  for (const Capability* c = kCapabilities; c->name != nullptr; ++c) {
    if (!c->runs_here()) continue;
    choices += choices.empty() ? "" : ", ";
    choices += c->name;
    if (best || std::string(c->name) == name) chosen = c;
  }
  TERN_CHECK(chosen != nullptr, Error, "TERN_CPU_CAPABILITY: '", best ? "" : name,
             "' is not an instruction set that this machine and this build have; choose from ",
             choices);
  return *chosen;
}

}  // namespace tern::cpu
