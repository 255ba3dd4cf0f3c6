// Looks into state files of every format that tern reads.
//
//   tern-state info FILE                   what it holds: metadata, tensors, sizes
//   tern-state convert A B                 writes B, as its suffix says, with the content of A
//   tern-state diff A B [--tolerance X]    what differs
//   tern-state validate FILE...            reads and checks all of each file
//
// Exit codes: 0; 1 when diff finds a difference or validate an invalid file; 2 when something else
// is wrong, which is said on standard error.

#include <string>
#include <vector>

#include <tern/tern.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "support/program.h"

int main(int argc, char** argv) {
  std::string from, to;
  std::vector<std::string> paths;
  double tolerance = 0;
  tern::SaveOptions options;
  bool is_good = true;

  CLI::App app("Looks into state files.", "tern-state");
  app.require_subcommand(1);
  CLI::App* info = app.add_subcommand("info", "Prints what a file holds.");
  info->add_option("FILE", from)->required();

  CLI::App* convert = app.add_subcommand("convert", "Writes B with the content of A.");
  convert->add_option("A", from)->required();
  convert->add_option("B", to)->required();
  convert->add_flag("--base64", options.base64, "JSON: elements in base64");
  convert
      ->add_option("--max-shard-size", options.max_shard_size,
                   "safetensors: several files of at most so many bytes")
      ->check(support::positive());

  CLI::App* diff = app.add_subcommand("diff", "Prints what differs between A and B.");
  diff->add_option("A", from)->required();
  diff->add_option("B", to)->required();
  diff->add_option("--tolerance", tolerance, "differences of numbers up to this are none");

  CLI::App* check = app.add_subcommand("validate", "Reads and checks all of each file.");
  check->add_option("FILE", paths)->required();

  const int code = support::run_program(app, argc, argv, [&] {
    if (*info) show_info(from);
    if (*convert) convert_file(from, to, options);
    if (*diff) is_good = show_difference(from, to, tolerance);
    if (*check) is_good = validate(paths);
  });
  if (code != 0) return 2;
  return is_good ? 0 : 1;
}
