#pragma once

// Includes the headers for images, other files and chunks, which tern.h does not include.

#include <tern/nn/data/datasets/chunk.h>
#include <tern/nn/data/transforms/functional.h>
#include <tern/nn/data/transforms/image.h>
