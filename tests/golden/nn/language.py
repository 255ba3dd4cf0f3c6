#!/usr/bin/env python3
"""Makes the folders language/*, small language models of random weights, and language.json, what transformers computes with them.
Needs transformers 5.24. Run in this folder: PYTHONPATH=.. python3 language.py"""
import copy
import json
import os
import shutil

import torch
import transformers as hf

from lines import write

torch.set_num_threads(1)
entries = {"transformers": hf.__version__}


def rounded(tensor):
    """The elements with nine digits, and the shape."""
    values = [float(f"{value:.9g}") for value in tensor.detach().double().flatten().tolist()]
    return {"dtype": "float64", "shape": list(tensor.shape), "data": values}


def randomize(model, seed):
    """Draws all tensors so that biases and norms matter, too, and tokens differ clearly."""
    generator = torch.Generator().manual_seed(seed)
    for name, tensor in model.named_parameters():
        noise = torch.randn(tensor.shape, generator=generator)
        is_norm = "norm" in name.lower() or ".ln_" in name
        if is_norm and name.endswith("weight"):
            tensor.data = 1 + 0.2 * noise
        elif tensor.dim() == 1:
            tensor.data = 0.2 * noise
        else:
            tensor.data = noise * (1.0 if "emb" in name or "wte" in name else 0.4)
    if getattr(model.config, "pad_token_id", None) is not None:
        model.get_input_embeddings().weight.data[model.config.pad_token_id] = 0
    model.tie_weights()


def save(name, model, **options):
    folder = os.path.join("language", name)
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, **options)
    generation = os.path.join(folder, "generation_config.json")
    if os.path.exists(generation):
        os.remove(generation)


def gradients(loss, model):
    """Three numbers of each gradient: the sum, the sum of squares and the product with cos(i)."""
    loss.backward()
    result = {}
    for name, tensor in model.named_parameters():
        gradient = tensor.grad.double().flatten()
        wave = torch.cos(torch.arange(gradient.numel(), dtype=torch.float64))
        numbers = torch.stack([gradient.sum(), gradient.square().sum(), gradient @ wave])
        result[name] = rounded(numbers)["data"]
    return result


def ids_of(rows, vocab=61):
    return torch.tensor([[(7 * i * i + 11 * i + 5 * b + 3) % (vocab - 1) + 1 for i in range(rows)] for b in range(2)])


def record_decoder(name, model, rows, tokens=0, grads=False):
    ids = ids_of(rows)
    exact = copy.deepcopy(model).double().eval()
    with torch.no_grad():
        out = exact(ids, output_hidden_states=True)
    entries[name + " logits"] = rounded(out.logits[:, ::4])
    entries[name + " hidden"] = [rounded(state[:, ::4]) for state in out.hidden_states]
    if grads:
        loss = exact(ids, labels=ids).loss
        entries[name + " loss"] = float(f"{loss.item():.12g}")
        entries[name + " gradients"] = gradients(loss, exact)
    if tokens:
        model.eval()
        prompt = ids[:1, :5]
        with torch.no_grad():
            text = model.generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=False,
                                  max_new_tokens=tokens, eos_token_id=None, pad_token_id=0)
            logits = model(text).logits[0, 4:-1].sort(-1).values
        gap = (logits[:, -1] - logits[:, -2]).min().item()
        assert text.shape[1] == 5 + tokens and gap > 0.002, gap
        assert len(set(text[0].tolist())) > 10
        entries[name + " greedy"] = text[0].tolist()


def gpt2():
    for seed in range(100):
        model = hf.GPT2LMHeadModel(hf.GPT2Config(
            vocab_size=61, n_positions=128, n_embd=12, n_layer=2, n_head=3, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
            bos_token_id=0, eos_token_id=0))
        randomize(model, seed)
        try:
            record_decoder("gpt2", model, 9, tokens=100, grads=True)
        except AssertionError:
            continue
        return save("gpt2", model)
    raise AssertionError


def llama():
    for seed in range(100):
        model = hf.LlamaForCausalLM(hf.LlamaConfig(
            vocab_size=61, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=8, max_position_embeddings=128, rms_norm_eps=1e-5, tie_word_embeddings=True,
            bos_token_id=1, eos_token_id=2, pad_token_id=None,
            rope_parameters={"rope_type": "llama3", "rope_theta": 1000.0, "factor": 8.0, "low_freq_factor": 1.0,
                             "high_freq_factor": 4.0, "original_max_position_embeddings": 32}))
        randomize(model, seed)
        try:
            record_decoder("llama", model, 9, tokens=100, grads=True)
        except AssertionError:
            continue
        return save("llama", model)
    raise AssertionError


def mistral():
    """In bfloat16, in several files, and with a window."""
    model = hf.MistralForCausalLM(hf.MistralConfig(
        vocab_size=61, hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=64, sliding_window=4, tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0}))
    randomize(model, 1)
    for tensor in model.parameters():
        tensor.data = tensor.data.bfloat16().float()
    record_decoder("mistral", model, 13)
    save("mistral", model.bfloat16(), max_shard_size=2000)


def qwen2():
    """With the names of older files in config.json."""
    model = hf.Qwen2ForCausalLM(hf.Qwen2Config(
        vocab_size=61, hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=64, use_sliding_window=False, tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0}))
    randomize(model, 2)
    record_decoder("qwen2", model, 9)
    save("qwen2", model)
    path = "language/qwen2/config.json"
    with open(path) as file:
        config = json.load(file)
    config["rope_theta"] = config.pop("rope_parameters")["rope_theta"]
    config["rope_scaling"] = None
    config["torch_dtype"] = config.pop("dtype")
    with open(path, "w") as file:
        json.dump(config, file, indent=2)


def bert():
    model = hf.BertModel(hf.BertConfig(
        vocab_size=61, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20,
        max_position_embeddings=32, hidden_dropout_prob=0, attention_probs_dropout_prob=0))
    randomize(model, 3)
    ids = ids_of(9)
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    ids[1, 6:] = 0
    types = torch.zeros_like(ids)
    types[:, 4:] = 1
    exact = copy.deepcopy(model).double().eval()
    with torch.no_grad():
        plain = exact(ids_of(9))
        out = exact(ids, attention_mask=mask, token_type_ids=types, output_hidden_states=True)
    entries["bert plain"] = rounded(plain.last_hidden_state[:, ::4])
    entries["bert hidden"] = [rounded(state[:1, ::4]) for state in out.hidden_states]
    entries["bert padded"] = rounded(out.last_hidden_state[1, :6:2])
    entries["bert pooled"] = rounded(out.pooler_output)
    out = exact(ids, attention_mask=mask, token_type_ids=types)
    loss = (out.last_hidden_state[0].square().sum() + out.last_hidden_state[1, :6].sin().sum() +
            out.pooler_output.sum())
    entries["bert loss"] = float(f"{loss.item():.12g}")
    entries["bert gradients"] = gradients(loss, exact)
    save("bert", model)


for make in gpt2, llama, mistral, qwen2, bert:
    make()
write("language.json", entries)
