#pragma once

namespace tern::cuda::device {

/// Records a point with this name, a string literal, in the profiles of libtern: something that the
/// user should know and that is no error.
void note(const char* text);

}  // namespace tern::cuda::device
