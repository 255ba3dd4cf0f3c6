#include <tern/backends/sim/host_access.h>

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include <tern/backends/sim/simulator.h>

namespace tern::sim {
namespace {

struct sigaction previous;

// Builds a text without the standard library: a signal handler may call almost nothing.
class Story {
 public:
  Story& text(const char* part) {
    while (*part != '\0') put(*part++);
    return *this;
  }
  Story& number(std::uint64_t value, unsigned base = 10) {
    char digits[24];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  void tell() const {
    for (std::size_t told = 0; told < size_;) {
      const ssize_t step = write(STDERR_FILENO, text_ + told, size_ - told);
      if (step <= 0) return;
      told += static_cast<std::size_t>(step);
    }
  }

 private:
  void put(char c) {
    if (size_ < sizeof(text_)) text_[size_++] = c;
  }
  char text_[512];
  std::size_t size_ = 0;
};

bool is_write([[maybe_unused]] const void* context) {
#ifdef __x86_64__
  const auto error = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return (error & 2) != 0;
#else
  return false;
#endif
}

void tell_story(std::int32_t device, const void* address, bool wrote) {
  Story story;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  story.text("tern: the host ").text(wrote ? "wrote to" : "read").text(" memory of cuda:");
  story.number(static_cast<std::uint64_t>(device)).text(" at 0x").number(number, 16);
  kernels::PluginBlock block{};
  const auto& host = Simulator::get().host();
  if (host.find_block != nullptr && host.find_block(device, address, &block) != 0) {
    const auto offset = number - reinterpret_cast<std::uintptr_t>(block.start);
    story.text(", ").number(offset).text(" bytes into a block of ");
    story.number(static_cast<std::uint64_t>(block.bytes));
    story.text(block.live != 0 ? " bytes, allocation number "
                               : " bytes that was freed, allocation ");
    story.number(static_cast<std::uint64_t>(block.serial)).text(" of that device");
  }
  story.text("; copy it with .cpu() or .item() first\n").tell();
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const std::int32_t device = Simulator::get().owner(info->si_addr);
  if (device >= 0) {
    tell_story(device, info->si_addr, is_write(context));
  } else if ((previous.sa_flags & SA_SIGINFO) != 0) {
    return previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    return previous.sa_handler(signal);
  }
  // When the handler returns, the access runs again and then ends the program.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &plain, nullptr);
}

}  // namespace

void watch_host_accesses() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previous);
}

}  // namespace tern::sim
