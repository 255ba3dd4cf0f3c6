#pragma once

// Modules, functional forms, initialisation and utilities.

#include <tern/nn/any_module.h>
#include <tern/nn/containers/functional_module.h>
#include <tern/nn/containers/module_dict.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/containers/parameter_dict.h>
#include <tern/nn/containers/parameter_list.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/functional.h>
#include <tern/nn/init.h>
#include <tern/nn/module.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module/summary.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/adaptive.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/distance.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/embedding.h>
#include <tern/nn/modules/fold.h>
#include <tern/nn/modules/layer_norm.h>
#include <tern/nn/modules/lazy.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/modules/loss.h>
#include <tern/nn/modules/margin_loss.h>
#include <tern/nn/modules/normalization.h>
#include <tern/nn/modules/padding.h>
#include <tern/nn/modules/pixel_shuffle.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/modules/upsampling.h>
#include <tern/nn/parallel/data_parallel.h>
#include <tern/nn/utils.h>
