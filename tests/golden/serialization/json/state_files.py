"""Writes net.json, a state_dict as Python dumps it in one line, and net_run.json, what the network
of it answers. Run with PyTorch 2.x in this folder: python3 state_files.py"""

import json

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):  # so that BatchNorm's buffers are no round numbers
    optimizer.zero_grad()
    net(torch.randn(8, 4)).square().sum().backward()
    optimizer.step()
net.eval()
x = torch.randn(5, 4)
with torch.no_grad():
    run = {"input": x, "output": net(x), "output_double": net.double()(x.double())}
net.float()


def dump(tensors, name):
    with open(name, "w") as f:
        json.dump({k: v.tolist() for k, v in tensors.items()}, f)
        f.write("\n")


dump(net.state_dict(), "net.json")
dump(run, "net_run.json")
