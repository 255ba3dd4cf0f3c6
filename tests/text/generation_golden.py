"""Records what transformers' generate() makes of a tiny GPT-2 with random weights.

Needs torch 2.15.0, transformers 5.24 and safetensors. Usage: python generation_golden.py, which writes
golden_generation/generation.safetensors: per case NAME the tensors NAME.input_ids, NAME.mask, NAME.logits [steps, rows, vocabulary] (the
model's, before any change), NAME.sequences and, of a beam search, NAME.scores. generation_golden_test.cpp has the options of each case.
"""

import os

import torch
import transformers
from safetensors.torch import save_file

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden_generation")
PROMPT = [[3, 17, 29, 5]]
BATCH = [[46, 46, 3, 17, 29], [11, 2, 40, 8, 21], [46, 46, 46, 46, 9]]
PADDING = 46
CASES = {
    "greedy": dict(),
    "greedy_penalty": dict(repetition_penalty=1.7),
    "greedy_batch": dict(batch=True, eos_token_id=[30, 16]),
    "sample": dict(do_sample=True, top_k=0),
    "sample_default": dict(do_sample=True, top_k=20, temperature=0.7),
    "sample_ties": dict(do_sample=True, top_k=4, step=0.5),
    "sample_top_p": dict(do_sample=True, top_k=0, top_p=0.8, temperature=1.3),
    "sample_min_p": dict(do_sample=True, top_k=0, min_p=0.15, temperature=2.0),
    "sample_all": dict(do_sample=True, top_k=12, top_p=0.9, min_p=0.02, temperature=1.5, repetition_penalty=1.2),
    "sample_batch": dict(batch=True, do_sample=True, top_k=10, temperature=1.2, eos_token_id=[13, 4, 30, 7, 22]),
    "sample_one": dict(do_sample=True, top_k=0, top_p=0.0, temperature=3.0),
    "beams": dict(num_beams=3, eos_token_id=[13]),
    "beams_batch": dict(batch=True, num_beams=4, eos_token_id=[13, 4, 30], length_penalty=0.5),
    "beams_early": dict(num_beams=3, eos_token_id=[13, 4, 30, 7, 22], early_stopping=True, length_penalty=2.0),
    "beams_never": dict(num_beams=2, eos_token_id=[13, 4, 30, 7], early_stopping="never", repetition_penalty=1.3),
    "beams_shorter": dict(batch=True, num_beams=3, eos_token_id=[13, 4, 30, 7, 22], length_penalty=-1.0),
}


class Model(transformers.GPT2LMHeadModel):
    """Rounds its logits to multiples of `step`, if there is one, so that many are equal."""
    step = None

    def forward(self, *args, **kwargs):
        out = super().forward(*args, **kwargs)
        if self.step:
            out.logits = (out.logits / self.step).round() * self.step
        return out


def main():
    torch.manual_seed(5)
    model = Model(transformers.GPT2Config(
        vocab_size=48, n_positions=32, n_embd=32, n_layer=2, n_head=2, initializer_range=0.35, bos_token_id=None, eos_token_id=None))
    model.eval()
    tensors = {}
    for name, options in CASES.items():
        options = dict(options)
        model.step = options.pop("step", None)
        ids = torch.tensor(BATCH if options.pop("batch", False) else PROMPT)
        mask = ids != PADDING
        torch.manual_seed(7)
        out = model.generate(ids, attention_mask=mask.long(), max_new_tokens=12, pad_token_id=PADDING, return_dict_in_generate=True,
                             output_logits=True, output_scores=True, **options)
        tensors[name + ".input_ids"] = ids
        tensors[name + ".mask"] = mask
        tensors[name + ".logits"] = torch.stack(out.logits)
        tensors[name + ".sequences"] = out.sequences.clone()
        if "num_beams" in options:
            tensors[name + ".scores"] = out.sequences_scores
        print(name, out.sequences.tolist(), len(out.logits))
    save_file({key: value.contiguous() for key, value in tensors.items()}, os.path.join(FOLDER, "generation.safetensors"))


main()
