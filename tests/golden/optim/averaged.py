#!/usr/bin/env python3
"""Writes averaged.json: averages of the weights of a small net by torch.optim.swa_utils. Run in this folder:
PYTHONPATH=.. python3 averaged.py"""
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

from lines import entry, write

torch.set_default_dtype(torch.float64)


def run(**options):
    """Three updates with weights and statistics that count on from 0 in steps of 1/8, 1/7 and 1/6."""
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    average = AveragedModel(net, **options)
    for update in range(3):
        with torch.no_grad():
            start = 0
            for tensor in [*net.parameters(), *net.buffers()]:
                values = (torch.arange(tensor.numel()) + start) / (8 - update)
                tensor.copy_(values.reshape(tensor.shape))
                start += tensor.numel()
        average.update_parameters(net)
    state = {name: entry(value) for name, value in average.state_dict().items()}
    update_bn([torch.arange(8.).reshape(4, 2) * k for k in (1, 2, -1)], average)
    norm = average.module[1]
    state["update_bn"] = entry(torch.stack([norm.running_mean, norm.running_var]))
    return state


write("averaged.json", {
    "swa": run(),
    "ema": run(multi_avg_fn=get_ema_multi_avg_fn(0.75)),
    "ema buffers": run(multi_avg_fn=get_ema_multi_avg_fn(0.75), use_buffers=True),
})
