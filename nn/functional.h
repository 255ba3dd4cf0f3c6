#pragma once

// The computations of the modules, as functions that take the parameters as arguments.

#include <tern/nn/functional/activation.h>
#include <tern/nn/modules/attention/multihead_attention.h>
#include <tern/nn/modules/attention/positional_encoding.h>
#include <tern/nn/modules/attention/rotary_embedding.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/distance.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/fold.h>
#include <tern/nn/modules/layer_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/modules/loss.h>
#include <tern/nn/modules/margin_loss.h>
#include <tern/nn/modules/normalization.h>
#include <tern/nn/modules/padding.h>
#include <tern/nn/modules/pixel_shuffle.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/modules/upsampling.h>
