#pragma once

#include <tern/nn/utils/clip_grad.h>
#include <tern/nn/utils/convert_parameters.h>
#include <tern/nn/utils/freeze.h>
#include <tern/nn/utils/fusion.h>
#include <tern/nn/utils/lora.h>
#include <tern/nn/utils/parametrizations.h>
#include <tern/nn/utils/parametrize.h>
#include <tern/nn/utils/rnn.h>
