#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>

// Every benchmark is one source against <torch/torch.h>, compiled once with tern and once with
// libtorch. It prints one line per figure: name, tab, nanoseconds. Names within a program are
// unique.
//
// If the environment has BENCH_TURNS, a program waits for a driver (turns.py) instead, so that two
// programs can take turns at each figure. Before a figure it prints "line", tab, name. Then it
// reads lines from stdin: for each "time" it measures for one turn and prints "time", tab,
// nanoseconds, tab, the share of Timing::waited. Any other line, or the end of stdin, makes it
// continue with the next figure.

namespace bench {

/// How long to measure. A driver decides itself how many turns it needs.
struct Effort {
  double turn_ns = 1e7;
  int turns = 20;
};

/// Returns the nanoseconds that `fn` takes.
template <class Fn>
double nanoseconds(const Fn& fn) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  fn();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Returns the nanoseconds for which the threads of this process were ready to run while other
/// processes had the cores, since the threads started. 0 if the system does not tell.
inline double waited_ns() {
  double waited = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    double ran_ns = 0, waited_ns = 0;
    if (std::ifstream(thread.path() / "schedstat") >> ran_ns >> waited_ns) waited += waited_ns;
  }
  return waited;
}

/// What one turn measures.
struct Timing {
  double ns;      // of one call, in the shortest batch
  double waited;  // waited_ns() over wall time, in the batch that waited least
};

/// Measures calls for a turn. `run(calls)` makes that many calls and returns their nanoseconds.
template <class Run>
class Turn {
 public:
  Turn(Run run, double turn_ns) : run_(run), turn_ns_(turn_ns) {}

  /// Returns the smallest time of a few batches, after a warm-up. Short batches are more likely to
  /// find a moment when no other process needs the processor.
  Timing operator()() {
    if (!is_long_) run_(calls_ / 2 + 1);
    if (calls_ == 0) choose_calls();
    Timing best = batch();
    is_long_ = calls_ == 1 && best.ns > turn_ns_;
    for (double spent = best.ns; spent < 0.9 * turn_ns_;) {
      const Timing next = batch();
      best = {std::min(best.ns, next.ns), std::min(best.waited, next.waited)};
      spent += next.ns;
    }
    best.ns /= static_cast<double>(calls_);
    return best;
  }

 private:
  /// The time is that of all calls.
  Timing batch() {
    Timing timing{};
    const double waited = waited_ns();
    const double wall = nanoseconds([&] { timing.ns = run_(calls_); });
    timing.waited = std::max(waited_ns() - waited, 0.0) / wall;  // a thread may have ended
    return timing;
  }

  /// Chooses a batch that takes a quarter of the turn, or one call.
  void choose_calls() {
    const double batch_ns = turn_ns_ / 4;
    calls_ = 1;
    double spent = run_(calls_);
    while (spent < batch_ns / 4) spent = run_(calls_ *= 4);
    calls_ = std::max(1L, static_cast<long>(static_cast<double>(calls_) * batch_ns / spent));
  }

  Run run_;
  double turn_ns_;
  long calls_ = 0;
  bool is_long_ = false;  // one call exceeds a turn: no more warm-up
};

/// Returns a function that makes a given number of calls of `fn` and returns their nanoseconds.
template <class Fn>
auto repeat(const Fn& fn) {
  return [&fn](long calls) {
    return nanoseconds([&] {
      for (long i = 0; i < calls; ++i) fn();
    });
  };
}

/// Returns the smallest time of `measure`, which measures for one turn.
template <class Measure>
double smallest(Measure measure, int turns) {
  double best = measure().ns;
  for (int i = 1; i < turns; ++i) best = std::min(best, measure().ns);
  return best;
}

/// Returns the nanoseconds of one call of `fn`: the smallest of several turns.
template <class Fn>
double time_of(const Fn& fn, const Effort& effort = {}) {
  return smallest(Turn(repeat(fn), effort.turn_ns), effort.turns);
}

/// Reports the figure `name`. `measure()` measures for one turn and returns a Timing.
template <class Measure>
void report_measured(const char* name, Measure measure, int turns) {
  if (std::getenv("BENCH_TURNS") == nullptr) {
    std::printf("%s\t%.2f\n", name, smallest(measure, turns));
    std::fflush(stdout);
    return;
  }
  std::printf("line\t%s\n", name);
  std::fflush(stdout);
  char command[16];
  while (std::fgets(command, sizeof command, stdin) != nullptr &&
         std::strcmp(command, "time\n") == 0) {
    const Timing timing = measure();
    std::printf("time\t%.2f\t%.4f\n", timing.ns, timing.waited);
    std::fflush(stdout);
  }
}

/// Reports the time of one call of `fn`.
template <class Fn>
void report(const char* name, const Fn& fn, const Effort& effort = {}) {
  report_measured(name, Turn(repeat(fn), effort.turn_ns), effort.turns);
}

/// Reports the time of one call of `fn` divided by `parts`. Each call follows one of `prepare`,
/// which is not timed.
template <class Prepare, class Fn>
void report_prepared(const char* name, const Prepare& prepare, const Fn& fn, int parts) {
  const auto run = [&](long calls) {
    double spent = 0;
    for (long i = 0; i < calls; ++i) {
      prepare();
      spent += nanoseconds(fn);
    }
    return spent / parts;
  };
  const Effort effort;
  report_measured(name, Turn(run, effort.turn_ns / parts), effort.turns);
}

/// The arguments of a program. --help prints them and ends the program with code 0; wrong arguments
/// end it with code 2 and a line that says how to call it.
class Arguments {
 public:
  /// `form` shows the arguments, such as "[THREADS [copy]]"; `least` to `most` of them are allowed.
  Arguments(int argc, char** argv, const char* form, int most, int least = 0)
      : argc_(argc), argv_(argv), form_(form) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--help" || first == "-h") {
      std::printf("usage: %s %s\n", argv_[0], form_);
      std::puts("A benchmark that prints a line per figure; benchmarks/README.md describes it.");
      std::exit(0);
    }
    if (argc - 1 < least || argc - 1 > most) refuse("the number of arguments");
  }

  /// Returns an argument, or an empty text if there are fewer.
  std::string_view text(int index) const { return index < argc_ ? argv_[index] : ""; }
  /// Returns an argument as a whole number from `least` to `most`, or `otherwise` if there are
  /// fewer arguments.
  int number(int index, int otherwise, int least, int most) const {
    if (index >= argc_) return otherwise;
    const std::string_view digits = text(index);
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
    if (!is_whole || value < least || value > most) refuse(argv_[index]);
    return value;
  }
  /// Returns the number of threads to use: the argument, at most four for each processor, or 2.
  int threads(int index = 1, int least = 1) const {
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    return number(index, 2, least, 4 * std::max(processors, 1));
  }
  /// Returns true if the argument is `word`, and false if there are fewer arguments.
  bool is(int index, std::string_view word) const {
    if (index < argc_ && text(index) != word) refuse(argv_[index]);
    return index < argc_;
  }

 private:
  [[noreturn]] void refuse(const char* what) const {
    std::fprintf(stderr, "%s is wrong; usage: %s %s\n", what, argv_[0], form_);
    std::exit(2);
  }

  int argc_;
  char** argv_;
  const char* form_;
};

/// Returns the number of threads to use, the only argument of most programs.
inline int threads(int argc, char** argv) {
  return Arguments(argc, argv, "[THREADS]", 1).threads();
}

}  // namespace bench
