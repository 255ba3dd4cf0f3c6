#pragma once

// The computations of the modules, as functions that take the parameters as arguments.

#include <tern/nn/functional/activation.h>
#include <tern/nn/functional/batch_norm.h>
#include <tern/nn/functional/conv.h>
#include <tern/nn/functional/distance.h>
#include <tern/nn/functional/dropout.h>
#include <tern/nn/functional/embedding.h>
#include <tern/nn/functional/fold.h>
#include <tern/nn/functional/layer_norm.h>
#include <tern/nn/functional/linear.h>
#include <tern/nn/functional/loss.h>
#include <tern/nn/functional/margin_loss.h>
#include <tern/nn/functional/normalization.h>
#include <tern/nn/functional/padding.h>
#include <tern/nn/functional/pixel_shuffle.h>
#include <tern/nn/functional/pooling.h>
#include <tern/nn/functional/upsampling.h>
#include <tern/nn/functional/vision.h>
