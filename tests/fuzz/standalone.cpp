#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "input.h"

// Runs a fuzz target without libFuzzer: first on every file of a folder, then on changed copies of
// them, the same ones each time.
//
//   fuzz_json FOLDER RUNS      (TERN_TEST_FULL: 50 times as many runs)

namespace {

using Bytes = std::vector<std::uint8_t>;

volatile long run = 0;

/// Says which run it was; the same command gets there again.
void report(int signal) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "\nsignal %d in run %ld\n", signal, run);
  (void)!::write(2, text, static_cast<std::size_t>(size));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void try_one(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  run = run + 1;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& corpus) : corpus_(corpus) {}

  Bytes next() {
    Bytes bytes = corpus_[below(corpus_.size())];
    for (std::size_t i = 1 + below(6); i > 0; --i) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  void change(Bytes& bytes) {
    static constexpr std::uint8_t kOdd[] = {0x00, 0xff, 0x7f, 0x80, '0', '9', '-', '"',
                                            '[',  ']',  '{',  '}',  ',', ':', '.', 'e'};
    if (bytes.empty()) bytes.push_back(0);
    const std::size_t at = below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count =
        static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(bytes.size() - at, 16)) + 1);
    switch (below(7)) {
      case 0:
        *place = static_cast<std::uint8_t>(*place ^ (1 << below(8)));
        break;
      case 1:
        *place = kOdd[below(std::size(kOdd))];
        break;
      case 2:
        std::fill_n(place, count, kOdd[below(4)]);  // numbers of several bytes
        break;
      case 3:
        bytes.erase(place, place + count);
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5: {
        const Bytes part(place, place + count);
        bytes.insert(place, part.begin(), part.end());
        break;
      }
      default: {
        const Bytes& other = corpus_[below(corpus_.size())];
        if (other.empty()) break;
        const std::size_t from = below(other.size());
        const std::size_t size = std::min<std::size_t>(other.size() - from, 1 + below(32));
        const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
        bytes.insert(place, begin, begin + static_cast<std::ptrdiff_t>(size));
      }
    }
  }

  const std::vector<Bytes>& corpus_;
  std::mt19937_64 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER RUNS\n", argv[0]);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, report);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry);
  std::ranges::sort(files);
  std::vector<Bytes> corpus(1);  // nothing at all
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  for (const Bytes& bytes : corpus) try_one(bytes);
  const long runs = std::atol(argv[2]) * (std::getenv("TERN_TEST_FULL") != nullptr ? 50 : 1);
  Mutator mutator(corpus);
  for (long i = 0; i < runs; ++i) try_one(mutator.next());
  std::printf("%ld runs, no finding\n", run);
  return 0;
}
