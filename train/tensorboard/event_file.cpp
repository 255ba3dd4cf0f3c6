#include <tern/train/tensorboard/detail/event_file.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/little_endian.h>
#include <tern/train/tensorboard/detail/proto.h>

namespace tern::train::detail {
namespace {

using tern::detail::append_little;

constexpr std::array<std::uint32_t, 256> make_castagnoli_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCastagnoli = make_castagnoli_table();

/// Creates the folder and those above it.
void make_folders(const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    struct stat found;
    if (::mkdir(part.c_str(), 0777) == 0 || ::stat(part.c_str(), &found) == 0) continue;
    tern::detail::raise<FileError>("SummaryWriter: cannot create the folder '", part,
                                   "': ", tern::detail::system_reason(errno));
  }
}

/// Returns a name in TensorBoard's form that no other file of this process has.
std::string event_file_name(const std::string& folder, const std::string& suffix) {
  static std::atomic<unsigned> counter{0};
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  char start[64];
  std::snprintf(start, sizeof start, "events.out.tfevents.%010lld.",
                static_cast<long long>(wall_time()));
  return tern::detail::text_of(folder, folder.ends_with('/') ? "" : "/", start, host, ".",
                               ::getpid(), ".", counter.fetch_add(1), suffix);
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  std::uint32_t rest = ~0u;
  for (const char byte : bytes) {
    rest = (rest >> 8) ^ kCastagnoli[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  rest = ~rest;
  return (rest >> 15 | rest << 17) + 0xA282EAD8u;
}

std::string framed_record(std::string_view data) {
  std::string record;
  append_little<std::uint64_t>(record, data.size());
  append_little<std::uint32_t>(record, masked_crc32c(record));
  record += data;
  append_little<std::uint32_t>(record, masked_crc32c(data));
  return record;
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventFile::EventFile(const std::string& folder, const std::string& suffix)
    : file_("SummaryWriter", (make_folders(folder), event_file_name(folder, suffix)),
            /*must_be_new=*/true) {
  write(Message().real(1, wall_time()).text(3, "brain.Event:2").bytes());
}

void EventFile::write(std::string_view event) {
  const std::string record = framed_record(event);
  const std::lock_guard lock(mutex_);
  file_.append(record);
}

void EventFile::sync() {
  const std::lock_guard lock(mutex_);
  file_.sync();
}

}  // namespace tern::train::detail
