"""Writes the .pt files that the tests read. Run with PyTorch 2.x in this folder:
python3 torch_files.py"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.125)
net(torch.arange(8.0).reshape(2, 4)).sum().backward()
optimizer.step()
with torch.no_grad():  # numbers that the tests can know
    for i, tensor in enumerate(net.state_dict().values()):
        tensor.copy_(torch.arange(tensor.numel()).reshape(tensor.shape) + i)

base = torch.arange(24.0).reshape(4, 6)
odd = {
    "base": base,
    "column": base[:, 2],
    "transposed": base.t(),
    "stepped": base[1:3, ::2],
    "scalar": torch.tensor(0.1, dtype=torch.float64),
    "empty": torch.zeros(2, 0, 3),
    "expanded": torch.tensor([7.0]).expand(2, 3),
    "mask": torch.tensor([True, False]),
    "long": torch.tensor([2**60, -1]),
    "special": torch.tensor([0.0, -0.0, 1e-45, float("nan"), float("inf")]),
    "parameter": nn.Parameter(torch.ones(2)),
}
checkpoint = {
    "model": net.state_dict(),
    "optimizer": optimizer.state_dict(),
    "scheduler": torch.optim.lr_scheduler.MultiStepLR(optimizer, [30, 80]).state_dict(),
    "epoch": 3,
    "numbers": [2**40, -(2**62), -1, 255, 256, 65536, 0.1, 1e-300],
    "others": (None, True, False, "é", torch.Size([1, 2]), [], {}),
}
dtypes = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
          torch.bfloat16, torch.float32, torch.float64, torch.bool]
torch.save({str(d)[6:]: torch.tensor([0, 1, 100]).to(d) for d in dtypes}, "torch_dtypes.pt")
torch.save(net.state_dict(), "torch_state.pt")
torch.save(net.state_dict(), "torch_state_old.pth", _use_new_zipfile_serialization=False)
torch.save(odd, "torch_odd.pt")
torch.save(odd, "torch_odd_old.pth", _use_new_zipfile_serialization=False)
torch.save(checkpoint, "torch_checkpoint.pt")
torch.save(checkpoint, "torch_checkpoint_4.pt", pickle_protocol=4)
torch.save({f"k{i}": torch.tensor(i) for i in range(300)}, "torch_many_old.pth",
           _use_new_zipfile_serialization=False)  # memo numbers above 255
empty, full = torch.zeros(0, 4), torch.arange(12.0).reshape(3, 4)
views = {"empty": empty, "part": empty[:, 2:], "full": full, "after": full[3:, 2:]}  # past the end
torch.save(views, "torch_empty.pt")
torch.save(views, "torch_empty_old.pth", _use_new_zipfile_serialization=False)
bools = torch.tensor([[0, 1, 2], [128, 255, 0]], dtype=torch.uint8).view(torch.bool)
bools = {"whole": bools, "row": bools[1], "column": bools[:, 1]}  # bytes that are neither 0 nor 1
torch.save(bools, "torch_bools.pt")
torch.save(bools, "torch_bools_old.pth", _use_new_zipfile_serialization=False)
torch.save(net, "torch_module.pt")
torch.serialization.set_crc32_options(False)
torch.save(net.state_dict(), "torch_no_crc.pt")
