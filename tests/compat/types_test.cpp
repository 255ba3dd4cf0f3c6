#include <tern/compat/torch/torch.h>

#include <unistd.h>

#include <error_of.h>
#include <gtest/gtest.h>

// Small types of c10, at and caffe2. The values and texts are libtorch 2.15's.

namespace {

using tern::error_of;

struct Collect : c10::WarningHandler {
  std::vector<std::string> texts;
  void process(const c10::Warning& warning) override { texts.push_back(warning.msg()); }
};

TEST(CompatWarnings, ReachTheHandler) {
  Collect handler;
  {
    const c10::WarningUtils::WarningHandlerGuard guard(&handler);
    TORCH_WARN("hey ", 3);
    for (int i = 0; i < 2; ++i) TORCH_WARN_ONCE("once");
    c10::warn(c10::Warning(c10::UserWarning(), {"f", "g", 1}, "made", false));
    const c10::WarningUtils::WarnAlways always(true);
    for (int i = 0; i < 2; ++i) TORCH_WARN_ONCE("always");
  }
  EXPECT_EQ(handler.texts, (std::vector<std::string>{"hey 3", "once", "made", "always", "always"}));
  EXPECT_EQ(c10::WarningUtils::get_warning_handler(), nullptr);
  EXPECT_FALSE(c10::WarningUtils::get_warnAlways());
}

TEST(CompatWarnings, OfTheLibraryReachTheHandler) {
  Collect handler;
  {
    const c10::WarningUtils::WarningHandlerGuard guard(&handler);
    const torch::Tensor x = torch::ones({2}).requires_grad_();
    (x * 2).grad();
    torch::nn::functional::mse_loss(x, torch::ones({1}));
    (x * x).sum().backward({}, true, /*create_graph=*/true);
    x.mutable_grad().reset();  // ends the cycle of which the library warns
    const torch::autograd::DetectAnomalyGuard anomaly;
  }
  ASSERT_EQ(handler.texts.size(), 4U);
  const char* const begins[] = {
      "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",
      "Using a target size ([1]) that is different to the input size ([2]).",
      "Using backward() with create_graph=True will create a reference cycle",
      "This mode should be enabled only for debugging"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(handler.texts[i].find(begins[i]), 0U) << i;
}

TEST(CompatError, HasContext) {
  try {
    TORCH_CHECK(false, "a");
  } catch (c10::Error& error) {
    error.add_context("first");
    EXPECT_EQ(error.msg(), "a");
    EXPECT_EQ(std::string(error.what_without_backtrace()), "a (first)");
    error.add_context("second");
    EXPECT_EQ(error.context(), (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(std::string(error.what_without_backtrace()), "a\n  first\n  second");
  }
  EXPECT_EQ(error_of([] {
              throw c10::Error(c10::SourceLocation{"f", "g.cpp", 3}, "hello");
            }),
            "hello");
}

TEST(CompatTypeMeta, NamesTypes) {
  using caffe2::TypeMeta;
  EXPECT_EQ(TypeMeta().name(), "nullptr (uninitialized)");
  EXPECT_EQ(TypeMeta().itemsize(), 0U);
  EXPECT_EQ(TypeMeta::Make<int64_t>().name(), "long int");
  EXPECT_EQ(c10::scalarTypeToTypeMeta(torch::kHalf).name(), "c10::Half");
  const TypeMeta type = torch::ones({1}).dtype();
  EXPECT_TRUE(type == torch::kFloat && type != TypeMeta::Make<double>() && type.Match<float>());
  EXPECT_EQ(type.itemsize(), 4U);
  EXPECT_EQ(c10::typeMetaToScalarType(type), torch::kFloat);
  EXPECT_EQ(torch::typeMetaToScalarType(torch::ones({1}).dtype()), torch::kFloat);
  std::ostringstream out;
  out << type << TypeMeta::Make<uint8_t>();
  EXPECT_EQ(out.str(), "floatunsigned char");
}

TEST(CompatDtypes, HaveTheirFunctions) {
  EXPECT_STREQ(toString(torch::kFloat), "Float");  // found through the argument
  EXPECT_TRUE(c10::isFloatingType(torch::kHalf) && !c10::isComplexType(torch::kFloat));
  EXPECT_TRUE(c10::isIntegralType(torch::kBool, /*includeBool=*/true));
  EXPECT_FALSE(c10::isIntegralType(torch::kBool, /*includeBool=*/false));
  EXPECT_FALSE(c10::isSignedType(torch::kByte));
  EXPECT_EQ(c10::elementSize(torch::kLong), 8U);
  EXPECT_EQ(c10::promoteTypes(torch::kInt, torch::kHalf), torch::kHalf);
  EXPECT_FALSE(c10::canCast(torch::kFloat, torch::kInt));
  EXPECT_EQ(c10::CppTypeToScalarType<float>::value, torch::kFloat);
}

TEST(CompatOptions, HaveALayout) {
  std::ostringstream out;
  out << torch::ones({1}).layout() << torch::kSparse;
  EXPECT_EQ(out.str(), "StridedSparse");
  EXPECT_EQ(torch::ones({1}, torch::TensorOptions().layout(torch::kStrided)).options().layout(),
            torch::kStrided);
  EXPECT_EQ(error_of([] { torch::zeros({2}, torch::kSparse); }),
            "the layout Sparse is not supported: tern has no sparse tensors");
  const auto options = torch::TensorOptions().dtype<double>();
  EXPECT_TRUE(options.has_dtype() && !options.has_device() && !options.has_memory_format());
  EXPECT_EQ(options.merge_in(torch::kInt).dtype(), torch::kInt);
  EXPECT_EQ(options.merge_in(torch::kCPU).dtype(), torch::kDouble);
  const torch::Device::Type type = torch::kCPU;
  EXPECT_EQ(c10::DeviceTypeName(type), "CPU");
  EXPECT_EQ(c10::DeviceTypeName(torch::kCUDA, /*lower_case=*/true), "cuda");
}

TEST(CompatIrange, CountsUp) {
  std::vector<int64_t> seen;
  for (const auto i : c10::irange(3)) seen.push_back(i);
  for (const auto i : c10::irange(2, 5)) seen.push_back(i);
  for (const auto i : c10::irange(-1)) seen.push_back(i);
  for (const auto i : c10::irange(5, 2)) seen.push_back(i);
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 2, 3, 4}));
}

TEST(CompatTempFile, IsRemoved) {
  std::string name;
  {
    const auto file = c10::make_tempfile("tern-");
    name = file.name;
    EXPECT_GE(file.fd, 0);
    EXPECT_EQ(access(name.c_str(), F_OK), 0);
    const auto directory = c10::try_make_tempdir();
    EXPECT_TRUE(directory && access(directory->name.c_str(), F_OK) == 0);
  }
  EXPECT_NE(access(name.c_str(), F_OK), 0);
}

struct Counted : c10::intrusive_ptr_target {
  explicit Counted(int number) : value(number) {}
  int value;
};

TEST(CompatIntrusivePtr, CountsOwners) {
  auto a = c10::make_intrusive<Counted>(3);
  EXPECT_TRUE(a.defined() && a.unique());
  const c10::intrusive_ptr<Counted> b = a;
  EXPECT_EQ(a.use_count(), 2U);
  a.reset();
  EXPECT_FALSE(a.defined());
  EXPECT_EQ(b->value, 3);
}

TEST(CompatParallel, ThrowsWhatARangeThrows) {
  const int threads = torch::get_num_threads();
  torch::set_num_threads(4);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(tern::error_of<c10::Error>([] {
                at::parallel_for(0, 1000, 1,
                                 [](std::int64_t, std::int64_t) { throw c10::Error("inside"); });
              }),
              "inside");
  }
  torch::set_num_threads(threads);
}

TEST(CompatParallel, ReducesInOrder) {
  std::vector<int> values(100);
  at::parallel_for(0, 100, 10, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) values[static_cast<size_t>(i)] = static_cast<int>(i);
  });
  const auto part = [&](int64_t begin, int64_t end, int sum) {
    for (auto i = begin; i < end; ++i) sum += values[static_cast<size_t>(i)];
    return sum;
  };
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_EQ(at::parallel_reduce(0, 100, 10, 0, part, add), 4950);
  EXPECT_EQ(at::parallel_reduce(3, 3, 10, 7, part, add), 7);
  EXPECT_GT(at::get_num_threads(), 0);
  EXPECT_EQ(at::divup(7, 2), 4);
}

TEST(CompatCuda, HasItsNames) {
  EXPECT_EQ(torch::cuda::is_available(), torch::cuda::device_count() > 0);
  torch::cuda::manual_seed(1);
  torch::cuda::manual_seed_all(1);
  if (!torch::cuda::is_available()) {
    EXPECT_FALSE(torch::cuda::cudnn_is_available());
  }
  const at::cuda::OptionalCUDAGuard guard;
  EXPECT_FALSE(guard.current_device());
  const c10::cuda::OptionalCUDAStreamGuard stream;
  EXPECT_FALSE(stream.current_stream());
}

TEST(CompatDims, AreCounted) {
  EXPECT_EQ(c10::maybe_wrap_dim(-1, 3), 2);
  EXPECT_EQ(c10::maybe_wrap_dim(-1, 0), 0);
  EXPECT_EQ(error_of([] { c10::maybe_wrap_dim(3, 3); }),
            "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
  EXPECT_EQ(error_of([] { c10::maybe_wrap_dim(0, 0, false); }),
            "Dimension specified as 0 but tensor has no dimensions");
  EXPECT_EQ(error_of([] { c10::maybe_wrap_dim(0, -1); }), "Rank cannot be negative but got -1");
  std::vector<int64_t> dims = {-1, 0};
  at::maybe_wrap_dims(dims, 2);
  EXPECT_EQ(dims, (std::vector<int64_t>{1, 0}));
  const std::vector<int> sizes = {4, 5, 6};
  EXPECT_EQ(c10::sum_integers(sizes), 15);
  EXPECT_EQ(c10::multiply_integers(sizes), 120);
  EXPECT_EQ(c10::multiply_integers(sizes.begin(), sizes.begin()), 1);
  EXPECT_EQ(c10::numelements_from_dim(1, sizes), 30);
  EXPECT_EQ(c10::numelements_from_dim(7, sizes), 1);
  EXPECT_EQ(c10::numelements_to_dim(2, sizes), 20);
  EXPECT_EQ(c10::numelements_between_dim(2, 1, sizes), 5);
  EXPECT_TRUE(at::are_expandable({2, 1}, {3, 1, 4}) && !at::are_expandable({2}, {3}));
  EXPECT_TRUE(at::is_expandable_to({1}, {3, 4}) && !at::is_expandable_to({3, 4}, {4}));
  EXPECT_EQ(at::sum_to(torch::ones({3, 2}), {1, 2}).sizes(), (torch::IntArrayRef{1, 2}));
  EXPECT_EQ(at::detail::defaultStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
}

TEST(CompatOptions, PrintAsInLibtorch) {
  const auto text = [](const torch::TensorOptions& options) {
    std::ostringstream out;
    out << options;
    return out.str().substr(out.str().find(", device"));
  };
  EXPECT_EQ(text(torch::TensorOptions()),
            ", device=cpu (default), layout=Strided (default), requires_grad=false (default), "
            "pinned_memory=false (default), memory_format=(nullopt))");
  EXPECT_EQ(text(torch::dtype(torch::kLong)
                     .device("cuda:1")
                     .layout(torch::kStrided)
                     .requires_grad(true)
                     .pinned_memory(false)
                     .memory_format(torch::MemoryFormat::ChannelsLast)),
            ", device=cuda:1, layout=Strided, requires_grad=true, pinned_memory=false, "
            "memory_format=ChannelsLast)");
}

TEST(CompatIValue, HasTuplesAndPrints) {
  const auto text = [](const c10::IValue& value) { return c10::str(value); };
  EXPECT_EQ(text(3), "3");
  EXPECT_EQ(text(2.0), "2.");
  EXPECT_EQ(text(-0.0), "-0.");
  EXPECT_EQ(text(1e20), "1e+20");
  EXPECT_EQ(text(true), "True");
  EXPECT_EQ(text("hi"), "hi");
  EXPECT_EQ(text(c10::IValue()), "None");
  EXPECT_EQ(text(std::vector<double>{1, 2.5}), "[1., 2.5]");
  EXPECT_EQ(text(std::vector<bool>{true, false}), "[True, False]");
  EXPECT_EQ(text(std::make_tuple(1, 2.5, "s")), "(1, 2.5, s)");
  EXPECT_EQ(text(std::make_tuple(1)), "(1,)");
  const c10::IValue value(c10::ivalue::Tuple::create(1, "x"));
  EXPECT_TRUE(value.isTuple() && !value.isInt());
  EXPECT_STREQ(value.tagKind(), "Tuple");
  EXPECT_EQ(value.toTuple()->elements()[1].toStringRef(), "x");
  EXPECT_EQ(value.toTupleRef().size(), 2U);
  EXPECT_STREQ(c10::IValue(std::vector<int64_t>{}).tagKind(), "GenericList");
  EXPECT_EQ(error_of([] { c10::IValue(1).toTuple(); }),
            "saved_data: expected a tuple but the saved value is an int");
  EXPECT_EQ(error_of([&] { torch::pickle_save(value); }), "an archive takes no tuples");
}

}  // namespace
