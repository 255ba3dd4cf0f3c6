#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "golden/golden.h"
#include "ops/record_files.h"
#include "ops/record_functions.h"
#include "ops/record_value.h"

// Reads the records in tests/ops/cases, and joins them with the code that `make generate` made of
// them.

namespace tern::testing {
namespace {

using nlohmann::json;
using Sizes = std::vector<std::int64_t>;

FunctionTable& compiled_functions() {
  static auto* const table = new FunctionTable;
  return *table;
}

ScalarType read_dtype(const RecordValue& value) {
  const auto name = value.as<std::string>();
  try {
    return golden_dtype(name);
  } catch (const Error& error) {
    value.fail(error.what());
  }
}

kernels::Slot read_slot(const RecordValue& value) {
  const auto name = value.as<std::string>();
  for (std::size_t i = 0; i < kernels::kSlots; ++i) {
    const auto slot = static_cast<kernels::Slot>(i);
    if (kernels::slot_name(slot) == name) return slot;
  }
  value.fail("no kernel slot is called " + name);
}

void read_range(const RecordValue& value, Input* input) {
  const auto range = value.as<std::vector<double>>();
  if (range.size() != 2) value.fail("must be [low, high]");
  input->low = range[0];
  input->high = range[1];
}

/// An argument is a shape, or an object if it says more.
Input read_input(const RecordValue& value) {
  Input input;
  if (value.data().is_array()) {
    input.sizes = value.as<Sizes>();
    return input;
  }
  value.allow({"sizes", "range", "dtype", "integers", "requires_grad"});
  input.sizes = value["sizes"].as<Sizes>();
  if (value.has("range")) read_range(value["range"], &input);
  if (value.has("dtype")) input.dtype = read_dtype(value["dtype"]);
  value.read("integers", &input.integers);
  value.read("requires_grad", &input.requires_grad);
  return input;
}

Sample read_sample(const RecordValue& value) {
  Sample sample;
  for (const RecordValue& argument : value.elements()) sample.push_back(read_input(argument));
  return sample;
}

/// Adds the samples with the given shapes of their arguments.
void add_shapes(const std::vector<std::vector<Sizes>>& shapes, const Input& range,
                std::vector<Sample>* samples) {
  for (const std::vector<Sizes>& arguments : shapes) {
    Sample sample;
    for (const Sizes& sizes : arguments) sample.push_back({sizes, range.low, range.high});
    samples->push_back(std::move(sample));
  }
}

/// Adds a set of samples: "unary", or {"unary": [low, high]}.
void add_set(const RecordValue& value, std::vector<Sample>* samples) {
  static const std::map<std::string, std::vector<std::vector<Sizes>>> sets = {
      // Shapes that every elementwise op meets: ordinary, 0-d, empty, one element, 3 dimensions.
      {"unary", {{{3, 4}}, {{}}, {{0, 3}}, {{1}}, {{2, 3, 2}}, {{37}}}},
      // The same, and broadcasting in both directions.
      {"binary",
       {{{3, 4}, {3, 4}},
        {{}, {}},
        {{3, 4}, {}},
        {{0, 3}, {0, 3}},
        {{0, 3}, {3}},
        {{3, 4}, {4}},
        {{3, 1}, {4}},
        {{2, 1, 3}, {2, 1}},
        {{1}, {3}},
        {{}, {2, 2}}}},
      {"matrices", {{{3, 4}}, {{5, 1}}, {{2, 3, 4}}, {{37, 19}}}},
      // Batches too, and matrices without elements.
      {"square",
       {{{3, 3}},
        {{1, 1}},
        {{2, 3, 3}},
        {{5, 5}},
        {{0, 0}},
        {{0, 3, 3}},
        {{2, 0, 0}},
        {{2, 1, 4, 4}}}},
  };
  Input range;
  std::string name;
  if (value.data().is_object() && value.data().size() == 1) {
    name = value.data().begin().key();
    read_range(value[name.c_str()], &range);
  } else {
    name = value.as<std::string>();
  }
  const auto found = sets.find(name);
  if (found == sets.end()) value.fail("no set of samples is called " + name);
  add_shapes(found->second, range, samples);
}

/// Samples are a set, or a list of sets and samples.
std::vector<Sample> read_samples(const RecordValue& value) {
  std::vector<Sample> samples;
  if (!value.data().is_array()) {
    add_set(value, &samples);
    return samples;
  }
  for (const RecordValue& element : value.elements()) {
    if (element.data().is_array()) {
      samples.push_back(read_sample(element));
    } else {
      add_set(element, &samples);
    }
  }
  return samples;
}

Rejection read_rejection(const RecordValue& value) {
  value.allow({"sample", "text", "gpu_text"});
  Rejection rejection;
  rejection.sample = read_sample(value["sample"]);
  rejection.text = value["text"].as<std::string>();
  if (value.has("gpu_text")) rejection.gpu_text = value["gpu_text"].as<std::string>();
  return rejection;
}

void check_golden(const RecordValue& value) {
  for (const RecordValue& entry : value.elements()) {
    entry.allow({"inputs", "float32", "float64", "float16", "bfloat16", "int32", "int16", "int8",
                 "uint8", "shares"});
    if (entry["inputs"].data().is_string() || !entry.has("float32") || !entry.has("float64")) {
      entry.fail("lacks PyTorch's numbers: run make golden");
    }
    for (const RecordValue& input : entry["inputs"].elements()) {
      input.allow({"dtype", "shape", "data"});
    }
    for (const char* dtype : {"float32", "float64"}) {
      entry[dtype].allow({"dtype", "shape", "data", "node", "grads"});
    }
  }
}

/// Sets the functions to those that were compiled from the texts of `value`.
void find_functions(const RecordValue& value, const std::string& file, FunctionTable* functions,
                    OpCase* op) {
  const auto found = functions->find({file, op->name});
  if (found == functions->end())
    value.fail("was not compiled: run make generate and build ops_test");
  const RecordFunctions compiled = found->second;
  functions->erase(found);  // what remains has no record
  std::string cpp = value["cpp"].as<std::string>(), in_place;
  value.read("in_place", &in_place);
  if (cpp != compiled.cpp || in_place != compiled.in_place_cpp) {
    value.fail("was changed after it was compiled: run make generate and build ops_test");
  }
  op->function = compiled.function;
  if (compiled.in_place != nullptr) op->in_place = compiled.in_place;
  if (compiled.out != nullptr) op->out = compiled.out;
}

OpCase read_case(const RecordValue& value, const std::string& file, const std::string& op_name,
                 FunctionTable* functions) {
  value.allow({"name",         "comment",      "cpp",          "python",        "in_place",
               "node",         "samples",      "dtypes",       "mixes_devices", "numbers_join",
               "meta",         "second_order", "tolerance",    "golden_factor", "other_node",
               "kernel",       "optional",     "calls_before", "rejections",    "golden",
               "in_place_node"});
  OpCase op;
  op.name = value["name"].as<std::string>();
  op.op = op_name;
  find_functions(value, file, functions, &op);
  value.read("node", &op.node);
  op.in_place_node = op.node;
  value.read("in_place_node", &op.in_place_node);
  op.samples = read_samples(value["samples"]);
  if (op.samples.empty()) value["samples"].fail("must not be empty");
  if (value.has("dtypes")) {
    op.dtypes.clear();
    for (const RecordValue& dtype : value["dtypes"].elements()) {
      op.dtypes.push_back(read_dtype(dtype));
    }
  }
  value.read("mixes_devices", &op.mixes_devices);
  value.read("numbers_join", &op.numbers_join);
  value.read("meta", &op.meta);
  value.read("second_order", &op.second_order);
  value.read("tolerance", &op.tolerance);
  value.read("golden_factor", &op.golden_factor);
  value.read("other_node", &op.other_node);
  if (value.has("kernel")) op.kernel = read_slot(value["kernel"]);
  value.read("optional", &op.optional);
  value.read("calls_before", &op.calls_before);
  if (value.has("rejections")) {
    for (const RecordValue& rejection : value["rejections"].elements()) {
      op.rejections.push_back(read_rejection(rejection));
    }
  }
  check_golden(value["golden"]);
  op.golden = std::make_shared<const json>(value["golden"].data());
  return op;
}

struct Records {
  std::vector<OpCase> cases;
  std::vector<std::string> problems;
};

const Records& records() {
  static const Records all = [] {
    Records records;
    FunctionTable functions = compiled_functions();
    for (const std::string& file : record_files()) {
      try {
        std::ifstream in(record_folder() / file);
        read_record(file, in, &functions, &records.cases);
      } catch (const Error& error) {
        records.problems.push_back(error.what());
      }
    }
    for (const auto& [key, function] : functions) {
      records.problems.push_back(key.first + ": the case " + key.second + " cannot be read");
    }
    return records;
  }();
  return all;
}

}  // namespace

void read_record(const std::string& file, std::istream& in, FunctionTable* functions,
                 std::vector<OpCase>* cases) {
  json data;
  try {
    data = json::parse(in);
  } catch (const json::exception& error) {
    throw Error(file + ": " + error.what());
  }
  const RecordValue record(data, file + ": ");
  record.allow({"op", "traits", "sampler", "forms", "cases"});
  for (const char* name : {"traits", "sampler"}) {
    if (record.has(name) && !record.has("forms")) record[name].fail("is about forms");
  }
  const auto op = record["op"].as<std::string>();
  if (std::filesystem::path(file).stem() != op) record["op"].fail("the file is not called " + op);
  if (!record.has("forms") && !record.has("cases")) record.fail("has neither forms nor cases");
  if (record.has("forms")) {
    for (const RecordValue& form : record["forms"].elements()) {
      form.allow({"cpp", "python", "parameters"});
    }
  }
  if (!record.has("cases")) return;
  for (const RecordValue& value : record["cases"].elements()) {
    cases->push_back(read_case(value, file, op, functions));
  }
}

const Tensor& argument(const std::vector<Tensor>& in, std::size_t index) {
  static const Tensor undefined;
  return index < in.size() ? in[index] : undefined;
}

bool add_functions(const std::vector<RecordFunctions>& more) {
  for (const RecordFunctions& entry : more) {
    compiled_functions()[{entry.file, entry.name}] = entry;
  }
  return true;
}

const std::vector<OpCase>& all_cases() { return records().cases; }

const std::vector<std::string>& record_problems() { return records().problems; }

}  // namespace tern::testing
