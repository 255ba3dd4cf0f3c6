// Inspects state files of every format that tern reads.
//
//   tern-state info FILE                   prints metadata, tensors and sizes
//   tern-state convert A B [--skip]        writes the content of A to B; B's suffix is the format
//   tern-state diff A B [--tolerance X]    prints the differences
//   tern-state validate FILE...            reads and checks each file completely
//
// Exit codes: 0 for success; 1 if diff finds a difference or validate an invalid file; 2 for any
// other error, which is printed on standard error.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "commands.h"
#include "support/command_line.h"

int main(int argc, char** argv) {
  const char* const kSkip = "leaves out what a state cannot hold, with a warning for each value";
  std::string from, to;
  std::vector<std::string> paths;
  double tolerance = 0;
  tern::SaveOptions options;
  bool skip = false, is_good = true;

  support::CommandLine line("Shows, converts, compares and checks state files.", "tern-state");
  support::CommandLine info = line.command("info", "Prints the content of a file.");
  info.option("FILE", from).required();

  support::CommandLine convert = line.command("convert", "Writes B with the content of A.");
  convert.option("A", from).required();
  convert.option("B", to).required().check(
      support::output_file({".json", ".safetensors", ".npy", ".npz", ".pt", ".pth"}));
  convert.flag("--base64", options.base64, "JSON: elements in base64");
  convert
      .option(
          "--max-shard-size", options.max_shard_size,
          "safetensors: largest size of one file in bytes; a larger state becomes several files")
      .check(support::whole(1, std::numeric_limits<std::int64_t>::max()));
  convert.flag("--skip", skip, kSkip);

  support::CommandLine diff = line.command("diff", "Prints the differences between A and B.");
  diff.option("A", from).required();
  diff.option("B", to).required();
  diff.option("--tolerance", tolerance, "ignores differences of numbers up to this")
      .check(support::not_negative());
  diff.flag("--skip", skip, kSkip);

  support::CommandLine check = line.command("validate", "Reads and checks each file completely.");
  check.option("FILE", paths).required();

  const int code = line.run(argc, argv, [&] {
    if (info.is_given()) show_info(from);
    if (convert.is_given()) convert_file(from, to, options, skip);
    if (diff.is_given()) is_good = show_difference(from, to, tolerance, skip);
    if (check.is_given()) is_good = validate(paths);
  });
  if (code != 0) return 2;
  return is_good ? 0 : 1;
}
