#pragma once

#include <string>

#include <tern/core/tensor/tensor.h>
#include <tern/train/tensorboard/detail/proto.h>

// The messages of TensorFlow that event files hold: Summary.Value with its parts. The numbers of
// the fields are those of summary.proto, tensor.proto and tensor_shape.proto.

namespace tern::train::detail {

/// Returns a value that has a tag and a content, for Summary.value.
Message scalar_value(const std::string& tag, float value);
/// Encodes a picture [C, H, W] as PNG.
Message image_value(const std::string& tag, const Tensor& picture);
/// Counts the finite elements in bins that grow by a tenth. Throws Error if there is none.
Message histogram_value(const std::string& tag, const Tensor& values);
Message text_value(const std::string& tag, const std::string& text);
/// Returns a value for a plug-in of TensorBoard, which reads `content`.
Message plugin_value(const std::string& tag, const std::string& plugin, const Message& content);

/// Returns an Event with one Summary.Value.
Message summary_event(const Message& value, std::int64_t step, double time);

}  // namespace tern::train::detail
