#pragma once

// Functions of libtorch that tern has under another name or in another form.

#include <tern/compat/names/ops/factories.h>
#include <tern/compat/names/ops/forms.h>
#include <tern/compat/names/ops/losses.h>
#include <tern/compat/names/ops/names.h>
#include <tern/compat/names/ops/upsampling.h>
