"""Writes the .safetensors files of this folder with the reference library. Run with PyTorch 2.x and
safetensors 0.8 in this folder: python3 safetensors_files.py"""

import torch
from safetensors.torch import save_file, save_model
from torch import nn

# The names have the order of the data, and there is one string of metadata, so that tern writes the
# same bytes.
values = torch.arange(-3, 3)
state = {
    "a.long": values * 2**40,
    "b.double": values.double() / 7,
    "c.float": (values.float() / 7).reshape(2, 3),
    "d.bool": values > 0,
    "e.bool": torch.tensor(True),
    "f.bool": torch.zeros(2, 0, 3, dtype=torch.bool),
}
save_file(state, "reference.safetensors", metadata={"format": "pt"})

# Every dtype that PyTorch saves, also those that tern has no tensors for.
dtypes = [
    torch.bool, torch.uint8, torch.int8, torch.float8_e5m2, torch.float8_e4m3fn, torch.int16,
    torch.uint16, torch.float16, torch.bfloat16, torch.int32, torch.uint32, torch.float32,
    torch.complex64, torch.float64, torch.int64, torch.uint64,
]
save_file({str(d).removeprefix("torch."): torch.arange(4).to(d) for d in dtypes},
          "dtypes.safetensors")


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3, bias=False)
        self.decoder = nn.Linear(3, 3, bias=False)
        self.decoder.weight = self.encoder.weight
        with torch.no_grad():
            self.encoder.weight.copy_(torch.arange(9).reshape(3, 3))


save_model(Tied(), "tied.safetensors")
