#pragma once

#include <tern/compat/names/functional/layers.h>
#include <tern/compat/names/functional/losses.h>
