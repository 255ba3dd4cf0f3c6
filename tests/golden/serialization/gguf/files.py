"""Writes types.gguf, with each kind of value and each type of tensors that tern reads, and types.safetensors with
what they hold; and llama.gguf, a tiny Llama model, with llama.safetensors and llama.json, which are what transformers
reads in it (with accelerate). Run in this folder: python3 files.py"""
import json
import os
import tempfile

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type
from gguf import GGUFValueType as Kind
from gguf import quants
from safetensors.torch import save_file

rng = np.random.default_rng(11)


def numbers(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def random_blocks(name, rows, halves):
    """Any bytes are valid blocks; the halves at these positions are kept finite."""
    blocks = rng.integers(0, 256, (rows, gguf.GGML_QUANT_SIZES[Type[name]][1]), dtype=np.uint8)
    for at in halves:
        blocks[:, at:at + 2] = rng.standard_normal((rows, 1)).astype(np.float16).view(np.uint8)
    return blocks


def write_types():
    writer = gguf.GGUFWriter("types.gguf", "test")
    writer.add_custom_alignment(64)
    for kind, value in ((Kind.UINT8, 255), (Kind.INT8, -128), (Kind.UINT16, 65535), (Kind.INT16, -32768),
                        (Kind.UINT32, 2**32 - 1), (Kind.INT32, -2**31), (Kind.FLOAT32, 0.1), (Kind.BOOL, True),
                        (Kind.STRING, "na\u00efve"), (Kind.UINT64, 2**64 - 1), (Kind.INT64, -2**63), (Kind.FLOAT64, 0.1)):
        writer.add_key_value("kind." + kind.name.lower(), value, kind)
    writer.add_array("array.int32", [1, -2, 3])
    writer.add_array("array.bool", [True, False])
    writer.add_array("array.float32", [0.5, -1.5])
    writer.add_array("array.string", ["", "a", "two words"])
    writer.add_array("array.array", [[1, 2], [3]])

    held = {}

    def add(name, data, kind=None):
        writer.add_tensor(name, data, raw_dtype=kind)
        held[name] = torch.from_numpy(quants.dequantize(data, kind).astype(np.float32)) if kind else torch.from_numpy(data)

    add("f32", numbers(2, 3))
    add("f16", numbers(3).astype(np.float16))
    bf16 = quants.quantize(numbers(2, 4), Type.BF16)
    writer.add_tensor("bf16", bf16, raw_dtype=Type.BF16)
    held["bf16"] = torch.from_numpy(bf16.view(np.int16)).view(torch.bfloat16)
    add("f64", numbers(2, 1, 2).astype(np.float64))
    for bits in 8, 16, 32, 64:
        add(f"i{bits}", np.array([-1, 7], dtype=f"int{bits}"))
    for name in "Q8_0", "Q4_0", "Q4_1":
        add(name.lower(), quants.quantize(numbers(2, 3, 64), Type[name]), Type[name])
    add("q4_k", random_blocks("Q4_K", 2, (0, 2)), Type.Q4_K)
    add("q6_k", random_blocks("Q6_K", 2, (208,)), Type.Q6_K)
    finish(writer)
    save_file({name: tensor.contiguous() for name, tensor in held.items()}, "types.safetensors")


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def permuted(rows, heads):
    """The rows of each head, halves to neighbours, as llama.cpp's converter orders them."""
    size = rows.shape[0] // heads // 2
    return np.ascontiguousarray(rows.reshape(heads, 2, size, -1).swapaxes(1, 2).reshape(rows.shape))


def write_llama():
    hidden, heads, kv_heads, inner, vocabulary, layers = 32, 2, 1, 32, 6, 2
    writer = gguf.GGUFWriter("llama.gguf", "llama")
    writer.add_block_count(layers)
    writer.add_context_length(128)
    writer.add_embedding_length(hidden)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_freq_base(50000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(vocabulary)
    writer.add_rope_dimension_count(hidden // heads)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list([chr(ord("a") + i) for i in range(vocabulary - 1)] + ["ab"])
    writer.add_token_types([1] * vocabulary)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def add(name, data, kind):
        writer.add_tensor(name, data if kind == Type.F32 else quants.quantize(data, kind), raw_dtype=kind)

    add("token_embd.weight", numbers(vocabulary, hidden), Type.Q8_0)
    for i in range(layers):
        block = f"blk.{i}."
        add(block + "attn_norm.weight", numbers(hidden), Type.F32)
        add(block + "ffn_down.weight", numbers(hidden, inner), Type.Q4_1)
        add(block + "ffn_gate.weight", numbers(inner, hidden), Type.Q4_1)
        add(block + "ffn_up.weight", numbers(inner, hidden), Type.Q4_0)
        add(block + "ffn_norm.weight", numbers(hidden), Type.F32)
        add(block + "attn_k.weight", permuted(numbers(kv_heads * hidden // heads, hidden), kv_heads), Type.Q8_0)
        add(block + "attn_output.weight", numbers(hidden, hidden), Type.Q4_0)
        add(block + "attn_q.weight", permuted(numbers(hidden, hidden), heads), Type.Q4_1)
        add(block + "attn_v.weight", numbers(kv_heads * hidden // heads, hidden), Type.Q4_1)
    add("output_norm.weight", numbers(hidden), Type.F32)
    finish(writer)


def read_llama():
    """Reads llama.gguf with transformers. It needs no tokenizer for the model alone."""
    from transformers import AutoModelForCausalLM
    model = AutoModelForCausalLM.from_pretrained(os.getcwd(), gguf_file="llama.gguf", dtype=torch.float32)
    state = {name: tensor for name, tensor in model.state_dict().items() if name != "lm_head.weight"}  # tied
    save_file(state, "llama.safetensors")
    config = model.config.to_dict()
    kept = ["num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads",
            "head_dim", "vocab_size", "max_position_embeddings", "rms_norm_eps", "tie_word_embeddings", "bos_token_id",
            "eos_token_id", "hidden_act", "model_type"]
    result = {name: config[name] for name in kept}
    result["rope_theta"] = config["rope_parameters"]["rope_theta"]
    with open("llama.json", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


write_types()
write_llama()
read_llama()
