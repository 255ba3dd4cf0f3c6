#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/core/tensor/tensor.h>

namespace tern::nn::parallel {

/// Divides a tensor along `dim` into one piece per device and moves each piece to its device. All
/// pieces have the same size, but the last may be smaller. A short tensor gives fewer pieces than
/// devices. Differentiable.
TERN_API std::vector<Tensor> scatter(const Tensor& tensor, const std::vector<Device>& devices,
                                     std::int64_t dim = 0);

/// Joins pieces along `dim` on `device`, the inverse of scatter(). 0-d pieces become the elements
/// of a 1-d tensor; tuples and vectors of tensors are joined member by member. Differentiable.
TERN_API Tensor gather(const std::vector<Tensor>& pieces, Device device, std::int64_t dim = 0);
template <class... T>
std::tuple<T...> gather(const std::vector<std::tuple<T...>>& pieces, Device device,
                        std::int64_t dim = 0);
template <class T>
std::vector<T> gather(const std::vector<std::vector<T>>& pieces, Device device,
                      std::int64_t dim = 0);

template <class... T>
std::tuple<T...> gather(const std::vector<std::tuple<T...>>& pieces, Device device,
                        std::int64_t dim) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    const auto member = [&](auto index) {
      std::vector<std::tuple_element_t<index(), std::tuple<T...>>> members;
      for (const auto& piece : pieces) members.push_back(std::get<index()>(piece));
      return gather(members, device, dim);
    };
    return std::tuple<T...>(member(std::integral_constant<std::size_t, k>())...);
  }
  (std::index_sequence_for<T...>());
}

template <class T>
std::vector<T> gather(const std::vector<std::vector<T>>& pieces, Device device, std::int64_t dim) {
  std::vector<T> result;
  for (std::size_t k = 0; k < pieces.front().size(); ++k) {
    std::vector<T> members;
    for (const auto& piece : pieces) {
      TERN_CHECK(piece.size() == pieces.front().size(), Error,
                 "gather: replicas returned lists of different lengths, ", pieces.front().size(),
                 " and ", piece.size());
      members.push_back(piece[k]);
    }
    result.push_back(gather(members, device, dim));
  }
  return result;
}

}  // namespace tern::nn::parallel
