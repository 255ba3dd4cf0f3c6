#pragma once

/// Tokenizers, texts to the numbers that language models read, and back; and generation, texts that
/// language models write. A library of its own: link tern::text (CMake) or tern-text (pkg-config).

#include <tern/text/decode_stream.h>
#include <tern/text/encoding.h>
#include <tern/text/generation/chat_template.h>
#include <tern/text/generation/generation.h>
#include <tern/text/generation/language_model.h>
#include <tern/text/generation/logits.h>
#include <tern/text/generation/options.h>
#include <tern/text/generation/prompt_cache.h>
#include <tern/text/tokenizer.h>
