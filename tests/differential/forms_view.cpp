#include "differential/form.h"

namespace tern::testing::differential {

std::vector<Form> view_forms() {
  using MaybeInt = std::optional<StrictInt>;
  return {
      SAME((T a, const Sizes& b), a.view(b)),
      SAME((T a, T b), a.view_as(b)),
      SAME((T a, const Sizes& b), a.reshape(b)),
      SAME((T a, T b), a.reshape_as(b)),
      SAME((T a, Dim b, Dim c), a.flatten(b, c)),
      SAME((T a, Dim b, Dim c), a.transpose(b, c)),
      SAME((T a), a.t()),
      FORM("a.mT", (T a), a.mT()),
      SAME((T a, const Dims& b), a.permute(b)),
      SAME((T a, Dim b, Index c), a.select(b, c)),
      FORM("a[b]", (T a, Index b), a[b]),
      FORM("torch.ops.aten.slice(a, b, c, d, e)",
           (T a, Dim b, std::optional<Index> c, std::optional<Index> d, Int e),
           a.slice(b, c ? MaybeInt(c->value) : std::nullopt, d ? MaybeInt(d->value) : std::nullopt,
                   e)),
      SAME((T a, Dim b, Index c, Int d), a.narrow(b, c, d)),
      SAME((T a, const Sizes& b), a.expand(b)),
      SAME((T a, T b), a.expand_as(b)),
      SAME((T a), a.squeeze()),
      SAME((T a, Dim b), a.squeeze(b)),
      SAME((T a, Dim b), a.unsqueeze(b)),
      FORM("a.as_strided(b, c, d)", (T a, const Sizes& b, const Ints& c, std::optional<Int> d),
           a.as_strided(b, c, d ? MaybeInt(*d) : std::nullopt)),
      SAME((T a, Int b, Dim c), a.split(b, c)),
      SAME((T a, Int b, Dim c), a.chunk(b, c)),
      SAME((T a, Dim b), a.unbind(b)),
      SAME((T a, const Sizes& b), a.sum_to_size(b)),
      FORM("torch.cat(a, b)", (const Tensors& a, Dim b), cat(a, b)),
      FORM("torch.stack(a, b)", (const Tensors& a, Dim b), stack(a, b)),
      SAME((T a, Dim b, const Indices& c), a.index_select(b, c)),
      SAME((T a, Dim b, const Indices& c, T d), a.index_add(b, c, d)),
      SAME((T a, Dim b, const Indices& c), a.gather(b, c)),
      SAME((T a, Dim b, const Indices& c, T d), a.scatter_add(b, c, d)),
      SAME((T a), a.clone()),
      SAME((T a), a.contiguous()),
      SAME((Tensor & a, T b), a.copy_(b)),
      SAME((Tensor & a, S b), a.fill_(b)),
      FORM("a.fill_(b) #1", (Tensor & a, T b), a.fill_(b)),
      SAME((Tensor & a), a.zero_()),
      SAME((T a, ScalarType b), a.to(b)),
      FORM("a.to(b, copy=c)", (T a, ScalarType b, bool c), a.to(b, false, c)),
      FORM("a.to(b) #1", (T a, T b), a.to(b)),
      SAME((T a, ScalarType b), a.type(b)),
      FORM("a.type(b) #1", (T a, ScalarType b), a.toType(b)),
      SAME((T a, T b), a.type_as(b)),
  };
}

}  // namespace tern::testing::differential
