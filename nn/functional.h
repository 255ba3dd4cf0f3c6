#pragma once

// What modules compute, as functions that get their parameters as arguments.

#include <tern/nn/functional/activation.h>
#include <tern/nn/functional/batchnorm.h>
#include <tern/nn/functional/dropout.h>
#include <tern/nn/functional/linear.h>
#include <tern/nn/functional/loss.h>
#include <tern/nn/functional/normalization.h>
