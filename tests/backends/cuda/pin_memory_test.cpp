#include <tern/tern.h>

#include "backends/cuda/simulated.h"

namespace tern {
namespace {

cuda::detail::PinnedAllocator& pinned() { return *cuda::cuda_backend().pinned_allocator(); }

TEST(PinMemory, CopiesOnceAndKeepsTheLayout) {
  const Tensor a = arange(6, kFloat).view({2, 3}).t();
  EXPECT_FALSE(a.is_pinned());
  const Tensor b = a.pin_memory();
  EXPECT_TRUE(b.is_pinned());
  EXPECT_TRUE(b.is_cpu());
  EXPECT_TRUE(b.equal(a));
  EXPECT_EQ(b.strides(), a.strides());
  EXPECT_TRUE(b.pin_memory().is_same(b));
  EXPECT_TRUE(b.t().is_pinned());  // a view
  EXPECT_TRUE(b.data().is_pinned() && b.detach().is_pinned());
  EXPECT_FALSE(b.clone().is_pinned());
  EXPECT_FALSE(empty_like(b).is_pinned());
  EXPECT_TRUE(zeros({0, 3}).pin_memory().is_pinned());
}

TEST(PinMemory, IsDifferentiable) {
  const Tensor a = ones({3}).requires_grad_();
  const Tensor b = a.pin_memory();
  EXPECT_EQ(b.grad_fn()->name(), "PinMemoryBackward0");
  (b * 2).sum().backward();
  EXPECT_TRUE(a.grad().equal(full({3}, 2.0)));
}

TEST(PinMemory, IsForTheHostOnly) {
  EXPECT_EQ(error_of<DeviceError>([] { ones({1}, kCUDA).pin_memory(); }),
            "pin_memory: cannot pin 'CUDAFloatType' only dense CPU tensors can be pinned");
  EXPECT_EQ(error_of<DeviceError>([] { ones({1}, kMeta).pin_memory(); }),
            "pin_memory: cannot pin 'MetaFloatType' only dense CPU tensors can be pinned");
  EXPECT_EQ(error_of<DeviceError>([] { zeros({1}, device(1).pinned_memory(true)); }),
            "zeros: Only dense CPU tensors can be pinned, got device cuda:1");
  EXPECT_TRUE(zeros({1}, device(kMeta).pinned_memory(true)).is_meta());
}

TEST(PinMemory, EveryFactoryCanPin) {
  const TensorOptions options = TensorOptions().pinned_memory(true);
  const Tensor like = ones({2, 2});
  for (const Tensor& tensor :
       {empty({2}, options),          empty_strided({2, 2}, {1, 2}, options),
        zeros({2}, options),          ones({2}, options),
        full({2}, 3, options),        eye(2, options),
        arange(3, options),           arange(3, options.dtype(kHalf)),
        linspace(0, 1, 3, options),   scalar_tensor(1, options),
        rand({2}, options),           randn({2}, options),
        randint(5, {2}, options),     randperm(3, options),
        tensor({1.0, 2.0}, options),  tensor(std::vector<float>{1, 2}, options),
        empty_like(like, options),    zeros_like(like, options),
        ones_like(like, options),     full_like(like, 2, options),
        rand_like(like, options),     randn_like(like, options),
        like.new_empty({2}, options), like.new_zeros({2}, options),
        like.new_ones({2}, options),  like.new_full({2}, 1, options)}) {
    EXPECT_TRUE(tensor.is_pinned()) << tensor;
    EXPECT_EQ(tensor._version(), 0);
  }
  EXPECT_TRUE(ones({2}, options.requires_grad(true)).is_leaf());
}

TEST(PinMemory, IsToldByTheStorage) {
  const Tensor pinned_tensor = ones({4}).pin_memory();
  EXPECT_TRUE(pinned_tensor.storage().is_pinned());
  EXPECT_TRUE(pinned_tensor[1].storage().is_pinned());
  EXPECT_FALSE(ones({4}).storage().is_pinned());
  EXPECT_FALSE(ones({4}, "cuda").storage().is_pinned());
}

TEST(PinMemory, GivesItsMemoryBack) {
  const std::int64_t before = pinned().stats(-1).live_bytes;
  const auto allocations = pinned().stats(-1).allocations;
  {
    const Tensor a = ones({1000}).pin_memory();
    EXPECT_EQ(pinned().stats(-1).live_bytes, before + 4096);
    EXPECT_EQ(pinned().stats(-1).allocations, allocations + 1);
  }
  EXPECT_EQ(pinned().stats(-1).live_bytes, before);
}

TEST(PinMemory, NonBlockingCopiesToTheDeviceRunLate) {
  TERN_NEEDS_SIMULATOR();
  for (const bool transposed : {false, true}) {
    Tensor source = zeros({2, 3}, TensorOptions().pinned_memory(true));
    if (transposed) source = source.t();
    const Tensor copy = source.to(Device("cuda:1"), /*non_blocking=*/true);
    source.fill_(2);  // overwrites the source before the copy ran, as non_blocking allows
    EXPECT_TRUE(copy.cpu().equal(source)) << transposed;
  }
  Tensor source = zeros({2}).pin_memory();
  const Tensor copy = source.to("cuda:1");
  source.fill_(2);
  EXPECT_TRUE(copy.cpu().equal(zeros({2})));
}

TEST(PinMemory, CudaTakesNonBlocking) {
  TERN_NEEDS_SIMULATOR();
  const auto is_late = [](const auto& move) {
    Tensor source = zeros({2}).pin_memory();
    const Tensor copy = move(source);
    source.fill_(2);
    return copy.device() == Device("cuda:1") && copy.cpu().equal(source);
  };
  EXPECT_TRUE(is_late([](const Tensor& x) { return x.cuda(1, /*non_blocking=*/true); }));
  EXPECT_TRUE(is_late([](const Tensor& x) { return x.cuda("cuda:1", /*non_blocking=*/true); }));
  EXPECT_TRUE(is_late([](const Tensor& x) { return x.to(1, kFloat, /*non_blocking=*/true); }));
  EXPECT_TRUE(is_late([](const Tensor& x) {
    nn::Module module;
    Tensor& buffer = module.register_buffer("x", x.detach());
    module.cuda("cuda:1", /*non_blocking=*/true);
    return buffer;
  }));
  EXPECT_FALSE(is_late([](const Tensor& x) { return x.cuda(1); }));
}

TEST(PinMemory, NonBlockingCopiesToTheHostArriveLateInPinnedMemory) {
  TERN_NEEDS_SIMULATOR();
  const Tensor source = full({2, 3}, 5.0, Device("cuda:1")).t();
  const Tensor copy = source.to(kCPU, /*non_blocking=*/true);
  EXPECT_TRUE(copy.is_pinned());
  copy.data_ptr<float>()[0] = 7;
  cuda::synchronize(1);
  EXPECT_TRUE(copy.equal(full({3, 2}, 5.0)));
  EXPECT_FALSE(source.cpu().is_pinned());
  Tensor pageable = zeros({3, 2});
  pageable.copy_(source, /*non_blocking=*/true);  // pageable memory: the copy is finished on return
  EXPECT_TRUE(pageable.equal(copy));
}

TEST(PinMemory, ACopyToOrdinaryMemoryWaitsAndTellsWhatWentWrong) {
  const Tensor rows = ones({2, 2}, kCUDA);
  const Tensor picked = rows.index_select(0, tensor({5}, kCUDA));
  Tensor pageable = zeros({1, 2});
  EXPECT_THROW(pageable.copy_(picked, /*non_blocking=*/true), IndexError);
}

// A copy keeps its memory: the program may drop both tensors at once.
TEST(PinMemory, FreedBlocksWaitForTheirCopies) {
  TERN_NEEDS_SIMULATOR();
  for (const int index : {0, 1}) cuda::synchronize(index);
  pinned().empty_cache();
  Tensor there;
  const void* first = nullptr;
  {
    const Tensor a = full({1000}, 3.0).pin_memory();
    first = a.data_ptr();
    there = a.to("cuda:0", /*non_blocking=*/true);
  }
  const Tensor b = full({1000}, 4.0).pin_memory();  // must not get the block of `a`
  EXPECT_NE(b.data_ptr(), first);
  EXPECT_TRUE(there.cpu().equal(full({1000}, 3.0)));
  EXPECT_EQ(zeros({1000}).pin_memory().data_ptr(), first);
}

TEST(PinMemory, ABufferThatIsSentAgainAndAgainNeedsOneMark) {
  Tensor buffer = zeros({4}).pin_memory();
  Tensor target = zeros({4}, kCUDA);
  for (int step = 0; step < 100; ++step) {
    buffer.fill_(step);
    target.copy_(buffer, /*non_blocking=*/true);
    cuda::synchronize();
  }
  EXPECT_TRUE(target.cpu().equal(buffer));
}

// The op saves the old elements, which get other memory: the pinned block stays with the tensor.
TEST(PinMemory, InPlaceOpsThatSaveTheOldElementsKeepTheBlock) {
  const Tensor leaf = full({4}, 2.0).requires_grad_();
  {
    Tensor x = leaf.pin_memory();
    const void* const block = x.data_ptr();
    x.pow_(3);
    EXPECT_TRUE(x.is_pinned());
    EXPECT_EQ(x.data_ptr(), block);
    x.sum().backward();
  }
  EXPECT_TRUE(leaf.grad().equal(full({4}, 12.0)));
}

TEST(PinMemory, OutOfPinnedMemoryIsATypedError) {
  TERN_NEEDS_SIMULATOR();
  pinned().empty_cache();
  cuda::detail::plugin().inject(kernels::PluginFault::kAllocateHost, -1);
  EXPECT_THROW(ones({5000}).pin_memory(), OutOfMemoryError);
  cuda::detail::plugin().inject(kernels::PluginFault::kAllocateHost, 0);
  EXPECT_TRUE(ones({5000}).pin_memory().is_pinned());
}

TEST(PinMemoryDeathTest, WithoutCudaTheReasonIsTold) {
  EXPECT_EXIT(
      {
        setenv("TERN_CUDA", "0", 1);
        const bool good = error_of<DeviceError>([] { ones({1}).pin_memory(); }) ==
                              "CUDA is not available: TERN_CUDA=0 switches it off" &&
                          !ones({1}).is_pinned();
        std::exit(good ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// Memory that a side stream still reads must not be handed out to the stream that owns it.
class RecordStream : public ::testing::Test {
 protected:
  // Drops a tensor right after `use` was called with it on the side stream.
  template <class Use>
  void drop_after(const Use& use) {
    cuda::empty_cache();
    const Tensor a = full({1000}, 1.0, Device("cuda:0"));
    cuda::Event ready;
    ready.record();
    ready.block(side);
    const cuda::StreamGuard guard(side);
    use(a);
  }
  const cuda::Stream side = cuda::getStreamFromPool(false, 0);
};

TEST_F(RecordStream, KeepsMemoryUntilTheStreamIsPastIt) {
  TERN_NEEDS_SIMULATOR();
  Tensor result;
  drop_after([&](const Tensor& a) {
    result = a * 2;
    a.record_stream(side);
  });
  const Tensor b = full({1000}, 9.0, Device("cuda:0"));
  cuda::getDefaultCUDAStream(0).synchronize();
  const cuda::StreamGuard guard(side);
  EXPECT_EQ(result.cpu()[0].item<float>(), 2.0f);
}

TEST_F(RecordStream, KeepsMemoryUntilAllStreamsArePastIt) {
  TERN_NEEDS_SIMULATOR();
  const cuda::Stream other = cuda::getStreamFromPool(false, 0);
  for (const cuda::Stream& late : {side, other}) {
    cuda::synchronize(0);
    const void* block = nullptr;
    drop_after([&](const Tensor& a) {
      block = a.data_ptr();
      a.record_stream(side);
      a.record_stream(other);
      const cuda::StreamGuard guard(late);
      const Tensor result = a * 2;
    });
    (late == side ? other : side).synchronize();
    EXPECT_NE(full({1000}, 9.0, Device("cuda:0")).data_ptr(), block);
  }
  cuda::synchronize(0);
}

TEST_F(RecordStream, IsMissedByTheSimulator) {
  TERN_NEEDS_SIMULATOR();
  Tensor result;
  drop_after([&](const Tensor& a) { result = a * 2; });
  EXPECT_EQ(error_of<DeviceError>([] { full({1000}, 9.0, Device("cuda:0")); }),
            "full: race: the output of kernel fill on cuda:0 is memory that was handed out again "
            "while work of another stream still uses it; the tensor that was there needed "
            "record_stream()");
  cuda::synchronize(0);
  EXPECT_EQ(full({1000}, 9.0, Device("cuda:0"))[0].item<float>(), 9.0f);  // now the block is free
}

TEST_F(RecordStream, IsNotNeededWhereTheOwnerWaits) {
  Tensor result;
  cuda::Event done;
  drop_after([&](const Tensor& a) {
    result = a * 2;
    done.record();
  });
  done.block(cuda::getDefaultCUDAStream(0));
  const Tensor b = full({1000}, 9.0, Device("cuda:0"));
  cuda::getDefaultCUDAStream(0).synchronize();
  EXPECT_EQ(result.cpu()[0].item<float>(), 2.0f);
}

TEST_F(RecordStream, CopiesAreSeenToo) {
  TERN_NEEDS_SIMULATOR();
  const Tensor pinned = zeros({1000}).pin_memory();
  Tensor target = pinned;
  drop_after([&](const Tensor& a) { target.copy_(a, /*non_blocking=*/true); });
  EXPECT_NE(error_of<DeviceError>([] { full({1000}, 9.0, Device("cuda:0")); }).find("race: "),
            std::string::npos);
  cuda::synchronize(0);
}

TEST_F(RecordStream, ViewsRecordTheirWholeBlock) {
  TERN_NEEDS_SIMULATOR();
  cuda::empty_cache();
  Tensor a = zeros({1000}, Device("cuda:0"));
  const void* block = a.data_ptr();
  a.narrow(0, 500, 10).record_stream(cuda::getStreamFromPool(false, 0));
  a.reset();
  EXPECT_NE(zeros({1000}, Device("cuda:0")).data_ptr(), block);
  cuda::synchronize(0);
}

TEST_F(RecordStream, WantsACudaTensorAndAStreamOfItsDevice) {
  const cuda::Stream stream = cuda::getStreamFromPool(false, 1);
  EXPECT_EQ(error_of<DeviceError>([&] { ones({1}).record_stream(stream); }),
            "Could not run 'record_stream' with a tensor on cpu: only memory of CUDA devices "
            "belongs to streams");
  EXPECT_EQ(error_of<DeviceError>([&] { ones({1}, kCUDA).record_stream(stream); }),
            "record_stream: expected a stream of cuda:0, the tensor's device, but got one of "
            "cuda:1");
  zeros({0}, Device("cuda:1")).record_stream(stream);
}

}  // namespace
}  // namespace tern
