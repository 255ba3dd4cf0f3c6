#include <tern/backends/cuda/device/cudnn/attention.h>

#include <limits>
#include <memory>
#include <vector>

#include <tern/backends/cuda/device/cudnn/attention_graph.h>
#include <tern/backends/cuda/device/cudnn/plans.h>
#include <tern/backends/cuda/device/support/launch.h>

namespace tern::cuda::device {
namespace {

__device__ void copy_number(float& to, double from) { to = static_cast<float>(from); }
/// Adds less than the last digit of a float: for weight_limit() a logsumexp that is a float belongs
/// to a query with one key.
__device__ void copy_number(double& to, float from) {
  constexpr double kStep = 1.0 / (std::int64_t{1} << 45), kLeast = 1e-300;
  to = double{from} * (1 + kStep) + kLeast;
}

template <class To, class From>
__global__ void __launch_bounds__(kThreads)
    copy_logsumexp_kernel(To* to, const From* from, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    copy_number(to[i], from[i]);
  }
}

template <class To, class From>
void copy_logsumexp(To* to, const From* from, std::int64_t count, KernelContext& context) {
  launch(context, copy_logsumexp_kernel<To, From>, blocks_for(count, kThreads), kThreads, to, from,
         count);
}

}  // namespace

namespace cudnn {
namespace {

constexpr std::int64_t kFloatSize = sizeof(float), kNarrowSize = 2;  // bytes

/// One call, with what cuDNN reads and writes beside the operands.
class Attention {
 public:
  Attention(const AttentionArgs& args, KernelContext& context)
      : args_(args), context_(context), scale_(static_cast<float>(args.scale)) {}

  bool run() {
    const auto make_call = [this] {
      return Call{attention_key(args_), [this] { return std::make_shared<AttentionGraph>(args_); },
                  [this](std::vector<Buffer>& buffers) { return list_buffers(buffers); }, false,
                  "attention without cuDNN: no memory for its workspace"};
    };
    if (!cudnn::run(make_call, context_)) return false;
    if (is_forward() && logsumexp_ != nullptr) {
      copy_logsumexp(args_.logsumexp, logsumexp_, rows(), context_);
    }
    return true;
  }

 private:
  bool is_forward() const { return args_.op == AttentionOp::kForward; }
  std::int64_t rows() const { return args_.batch * args_.heads * args_.queries; }
  static void* read(const void* data) { return const_cast<void*>(data); }

  bool list_buffers(std::vector<Buffer>& buffers) {
    const std::int64_t logsumexp_at = extra_.add(rows() * kFloatSize);
    buffers = {{kQueryId, read(args_.q)},
               {kKeyId, read(args_.k)},
               {kValueId, read(args_.v)},
               {kOutId, args_.out},
               {kScaleId, &scale_}};
    if (args_.is_causal != 0) buffers.push_back({kForbiddenId, &forbidden_});
    if (!(is_forward() ? extra_.allocate(context_) : list_gradients(buffers))) return false;
    logsumexp_ = static_cast<float*>(extra_.at(logsumexp_at));
    buffers.push_back({kLogsumexpId, logsumexp_});
    if (!is_forward()) copy_logsumexp(logsumexp_, args_.logsumexp, rows(), context_);
    return context_.status == StatusCode::kOk;
  }

  bool list_gradients(std::vector<Buffer>& buffers) {
    const std::int64_t keys = args_.batch * (args_.heads / args_.group) * args_.keys;
    struct Place {
      std::int64_t id, at;
      void* wanted;  // null for what is in the block
    };
    std::vector<Place> places{
        {kDotsId, extra_.add(rows() * kFloatSize), nullptr},
        {kGradQueryFloatId, extra_.add(rows() * args_.size * kFloatSize), nullptr}};
    // Engines compute all gradients.
    const auto add = [&](std::int64_t id, void* wanted, std::int64_t count) {
      places.push_back({id, wanted != nullptr ? 0 : extra_.add(count * kNarrowSize), wanted});
    };
    add(kGradQueryId, args_.grad_q, rows() * args_.size);
    add(kGradKeyId, args_.grad_k, keys * args_.size);
    add(kGradValueId, args_.grad_v, keys * args_.value_size);
    if (!extra_.allocate(context_)) return false;
    for (const Place& place : places) {
      buffers.push_back({place.id, place.wanted != nullptr ? place.wanted : extra_.at(place.at)});
    }
    buffers.push_back({kGradId, read(args_.grad)});
    buffers.push_back({kOneId, &one_});
    return true;
  }

  const AttentionArgs& args_;
  KernelContext& context_;
  float scale_, one_ = 1, forbidden_ = -std::numeric_limits<float>::infinity();
  Extra extra_;
  float* logsumexp_ = nullptr;
};

}  // namespace

bool attend(const AttentionArgs& args, KernelContext& context) {
  return is_for_cudnn(args) && Attention(args, context).run();
}

}  // namespace cudnn
}  // namespace tern::cuda::device
