#pragma once

// Includes the headers for images, other files and chunks, which tern.h does not include.

#include <tern/nn/data/datasets/chunk.h>
