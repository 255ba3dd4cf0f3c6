#pragma once

// Written by draws.py with PyTorch 2.15.0.

#include <cstdint>
#include <limits>

#include <tern/core/kernels/families/random.h>

namespace tern::golden {

using kernels::RandomOp;
constexpr std::int64_t kMaxLong = std::numeric_limits<std::int64_t>::max();

struct Draw {
  RandomOp op;
  ScalarType dtype;
  std::int64_t count;
  bool contiguous;
  double a, b;
  std::int64_t low, high;
  std::uint64_t hash;  // FNV-1a of the bytes
};

// One after the other from seed 2024.
constexpr Draw kDraws[] = {
    {RandomOp::kUniform, kFloat, 1, true, 0.0, 1.0, 0, 0, 0xd0f0bded2592e3b2u},
    {RandomOp::kNormal, kFloat, 1, true, 0.0, 1.0, 0, 0, 0xd085251a15aab1f8u},
    {RandomOp::kUniform, kFloat, 3, true, 0.0, 1.0, 0, 0, 0xb9896836b31143ddu},
    {RandomOp::kNormal, kFloat, 3, true, 0.0, 1.0, 0, 0, 0x3c3f7967b27f16b2u},
    {RandomOp::kUniform, kFloat, 5, true, 0.0, 1.0, 0, 0, 0xf50d7b7c5e26445fu},
    {RandomOp::kNormal, kFloat, 5, true, 0.0, 1.0, 0, 0, 0x7728b4ca09aad12cu},
    {RandomOp::kUniform, kFloat, 15, true, 0.0, 1.0, 0, 0, 0x2cb57b1e0983c8fcu},
    {RandomOp::kNormal, kFloat, 15, true, 0.0, 1.0, 0, 0, 0x4ff7bda4982f48a7u},
    {RandomOp::kUniform, kFloat, 16, true, 0.0, 1.0, 0, 0, 0x2528131f43e14721u},
    {RandomOp::kNormal, kFloat, 16, true, 0.0, 1.0, 0, 0, 0x887e3cb1e5b3ef07u},
    {RandomOp::kUniform, kFloat, 17, true, 0.0, 1.0, 0, 0, 0x3c75ae7f9bd491c5u},
    {RandomOp::kNormal, kFloat, 17, true, 0.0, 1.0, 0, 0, 0x25daccb7ada97ab6u},
    {RandomOp::kUniform, kFloat, 31, true, 0.0, 1.0, 0, 0, 0x702e9a7137d4a9cbu},
    {RandomOp::kNormal, kFloat, 31, true, 0.0, 1.0, 0, 0, 0xe9e853734ab07a2eu},
    {RandomOp::kUniform, kFloat, 40, true, 0.0, 1.0, 0, 0, 0x5f587e4d2a04096au},
    {RandomOp::kNormal, kFloat, 40, true, 0.0, 1.0, 0, 0, 0xdccf765d7233ff29u},
    {RandomOp::kUniform, kFloat, 623, true, 0.0, 1.0, 0, 0, 0x4073c51e853cbd08u},
    {RandomOp::kNormal, kFloat, 623, true, 0.0, 1.0, 0, 0, 0x8939fd97fe8d5c14u},
    {RandomOp::kUniform, kFloat, 1024, true, 0.0, 1.0, 0, 0, 0xdd6720c523421bb7u},
    {RandomOp::kNormal, kFloat, 1024, true, 0.0, 1.0, 0, 0, 0xc17c2651047507f4u},
    {RandomOp::kUniform, kFloat, 1039, true, 0.0, 1.0, 0, 0, 0xe6bb0e70c96fc680u},
    {RandomOp::kNormal, kFloat, 1039, true, 0.0, 1.0, 0, 0, 0x5343ee2793cf78c6u},
    {RandomOp::kUniform, kFloat, 5000, true, 0.0, 1.0, 0, 0, 0x6eb4e97bddcb0c5eu},
    {RandomOp::kNormal, kFloat, 5000, true, 0.0, 1.0, 0, 0, 0xadebc3869c79a2feu},
    {RandomOp::kUniform, kFloat, 100003, true, 0.0, 1.0, 0, 0, 0x677ff6b96009f3d0u},
    {RandomOp::kNormal, kFloat, 100003, true, 0.0, 1.0, 0, 0, 0xdeca4bd53309e5eau},
    {RandomOp::kUniform, kFloat, 1000, true, -0.03125, 0.1, 0, 0, 0xdd4b5b3c0215b23u},
    {RandomOp::kUniform, kFloat, 1000, true, 1.0, 1.000000238418579, 0, 0, 0x6b4fcfa5689edb05u},
    {RandomOp::kUniform, kDouble, 5001, true, 0.0, 1.0, 0, 0, 0xd2ea51502ed51ff1u},
    {RandomOp::kUniform, kDouble, 1000, true, -100000000.0, 0.1, 0, 0, 0x406b914c7150b1c0u},
    {RandomOp::kNormal, kFloat, 1001, true, 0.1, 2.5, 0, 0, 0x16fc1ac56502d0beu},
    {RandomOp::kNormal, kFloat, 2000, false, 1.5, 0.3, 0, 0, 0xc223cb157210813u},
    {RandomOp::kUniform, kFloat, 2000, false, 0.0, 1.0, 0, 0, 0xfd6b981003e41067u},
    {RandomOp::kBernoulli, kFloat, 1001, true, 0.0, 0.0, 0, 0, 0x169572b3d20b2475u},
    {RandomOp::kBernoulli, kFloat, 1001, true, 0.1, 0.0, 0, 0, 0x734a0be1e4ccf705u},
    {RandomOp::kBernoulli, kFloat, 1001, true, 0.5, 0.0, 0, 0, 0x50c9bc89239c6228u},
    {RandomOp::kBernoulli, kFloat, 1001, true, 0.8, 0.0, 0, 0, 0xd5c9fb5248196ed8u},
    {RandomOp::kBernoulli, kFloat, 1001, true, 1.0, 0.0, 0, 0, 0xc8cc79d9746fced8u},
    {RandomOp::kRandint, kFloat, 1001, true, 0.0, 0.0, 0, 2, 0xbdc20f40863cede5u},
    {RandomOp::kBernoulli, kDouble, 1001, true, 0.0, 0.0, 0, 0, 0xa56e1ecc3b7e2ac5u},
    {RandomOp::kBernoulli, kDouble, 1001, true, 0.1, 0.0, 0, 0, 0xd09c561484a6a258u},
    {RandomOp::kBernoulli, kDouble, 1001, true, 0.5, 0.0, 0, 0, 0x2f9d4d63b25d2698u},
    {RandomOp::kBernoulli, kDouble, 1001, true, 0.8, 0.0, 0, 0, 0x22b4382f6fd08198u},
    {RandomOp::kBernoulli, kDouble, 1001, true, 1.0, 0.0, 0, 0, 0x4d116e8c1064bb38u},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, 0, 2, 0xbf516859ba79fce5u},
    {RandomOp::kBernoulli, kLong, 1001, true, 0.0, 0.0, 0, 0, 0xa56e1ecc3b7e2ac5u},
    {RandomOp::kBernoulli, kLong, 1001, true, 0.1, 0.0, 0, 0, 0xdbe338d7c922e924u},
    {RandomOp::kBernoulli, kLong, 1001, true, 0.5, 0.0, 0, 0, 0xab265b051cbe68a4u},
    {RandomOp::kBernoulli, kLong, 1001, true, 0.8, 0.0, 0, 0, 0x90d839ec266b7404u},
    {RandomOp::kBernoulli, kLong, 1001, true, 1.0, 0.0, 0, 0, 0x48c061936fb90a24u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, 0, 2, 0x3dc5df954b9182c4u},
    {RandomOp::kBernoulli, kBool, 1001, true, 0.0, 0.0, 0, 0, 0x5644ae0159313a3fu},
    {RandomOp::kBernoulli, kBool, 1001, true, 0.1, 0.0, 0, 0, 0x7937ec19276ee823u},
    {RandomOp::kBernoulli, kBool, 1001, true, 0.5, 0.0, 0, 0, 0xb8c71d54a4bd3692u},
    {RandomOp::kBernoulli, kBool, 1001, true, 0.8, 0.0, 0, 0, 0xeb84d4ea614e17a7u},
    {RandomOp::kBernoulli, kBool, 1001, true, 1.0, 0.0, 0, 0, 0xa440183ffa1cfc44u},
    {RandomOp::kRandint, kBool, 1001, true, 0.0, 0.0, 0, 2, 0x2c486d6b66714704u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, -5, 7, 0xde22bdbe5b37af0bu},
    {RandomOp::kRandint, kLong, 10, true, 0.0, 0.0, 3, 4, 0xfd15eb03321de005u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, 0, 16777216, 0x759f25108c9da857u},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, -5, 7, 0xd893b6d006cc0040u},
    {RandomOp::kRandint, kDouble, 10, true, 0.0, 0.0, 3, 4, 0x3e333f8b68c44465u},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, 0, 16777216, 0xe1fe76771d48c4eau},
    {RandomOp::kRandint, kFloat, 1001, true, 0.0, 0.0, -5, 7, 0x5404d06496366b98u},
    {RandomOp::kRandint, kFloat, 10, true, 0.0, 0.0, 3, 4, 0x5e7a6732e2f3d2c5u},
    {RandomOp::kRandint, kFloat, 1001, true, 0.0, 0.0, 0, 16777216, 0x8e613ccdb4295399u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, -7, 268435448, 0x271c8d3dcc910d1u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, -7, 268435449, 0x3baddee2af61f3fcu},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, -1099511627776, 1125899906842624,
     0x15bdec5155377119u},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, -7, 268435448, 0xdd9b3744df4a179u},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, -7, 268435449, 0x1b8aca2412a6623au},
    {RandomOp::kRandint, kDouble, 1001, true, 0.0, 0.0, -1099511627776, 1125899906842624,
     0x5d090bdaf16b8d45u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, 0, -kMaxLong - 1, 0xf1e9b2fffa075f90u},
    {RandomOp::kRandint, kLong, 1001, true, 0.0, 0.0, -kMaxLong - 1, -kMaxLong - 1,
     0x1379a782c1e9f383u},
};
constexpr std::uint64_t kStateAfterDraws = 0x3246b2297bebd098u;

// From seed -1: at once, after 5 uniform numbers, and after one normal number more.
constexpr std::uint64_t kStates[] = {0x6c31680f074856a2u, 0xedad45741019f7bbu, 0xcbe9745c1152a46u};

// From seed 0 each.
constexpr float kRand5[] = {0.49625659f, 0.768221796f, 0.0884774327f, 0.132030487f, 0.307422817f};
constexpr float kRandn5[] = {1.54099607f, -0.293428898f, -2.17878938f, 0.568431258f, -1.08452237f};
constexpr float kRandn20[] = {-1.12583983f, -1.1523602f,   -0.250578582f, -0.433878809f,
                              0.598839462f, -1.55509508f,  -0.34136039f,  1.85300612f,
                              0.468096405f, -0.157712445f, 1.44366014f,   0.266049415f,
                              1.38936615f,  1.58633423f,   0.946298361f,  -0.843676746f,
                              0.931826591f, 1.25900924f,   2.00498056f,   0.0537369028f};
constexpr double kRandnDouble5[] = {1.5409961082440433, -0.29342890576094638, -2.1787893820745574,
                                    0.56843127728066778, -1.0845223424240209};
constexpr double kRandnDouble20[] = {
    -2.310411800234176,    -0.3732508612577643, -1.0608166785462863,  0.99950935478117608,
    -0.019964750907762653, 0.2102998901016947,  0.17718935139366584,  -0.83051005100844899,
    0.23871805816817063,   0.73352836852728409, -1.3218818291421377,  1.3148113651971234,
    -0.68700369404354633,  1.4880743158106724,  -0.44841580471145109, -0.89100303517073753,
    0.67485754359400385,   1.0468653769814655,  0.15429517864658948,  -0.74989152283919414};
constexpr std::int64_t kRandperm10[] = {4, 1, 7, 5, 3, 9, 0, 8, 6, 2};
constexpr std::uint64_t kRandperm1000 = 0x1f56afb98c57ed9u;

}  // namespace tern::golden
