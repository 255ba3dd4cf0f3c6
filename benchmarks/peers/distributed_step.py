"""The lines of distributed_step.cpp for PyTorch: DistributedDataParallel over gloo, one thread for each of two ranks.
With "1" as its argument, one process, without DDP and with a group of one rank."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from cuda_step import Autoencoder, loss_of


def perceptron():
    return nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 4096), nn.ReLU(), nn.Linear(4096, 784))


def time_of(model, loss, turns):
    """The 25th percentile."""
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, times = torch.rand(128, 784), []
    for _ in range(turns + 3):
        start = time.perf_counter_ns()
        loss(model, x).backward()
        adam.step()
        adam.zero_grad()
        times.append(time.perf_counter_ns() - start)
    return sorted(times[3:])[turns // 4]


def run(rank, size):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29519")
    dist.init_process_group("gloo", rank=rank, world_size=size)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    mse = lambda model, x: F.mse_loss(model(x), x)
    if size == 1:
        print(f"VAE step without DDP\t{time_of(Autoencoder(), loss_of, 60)}")
        print(f"VAE step, group of one rank\t{time_of(DistributedDataParallel(Autoencoder()), loss_of, 60)}")
    else:
        vae = time_of(DistributedDataParallel(Autoencoder()), loss_of, 60)
        mlp = time_of(DistributedDataParallel(perceptron()), mse, 8)
        if rank == 0:
            print(f"VAE step\t{vae}\nMLP of 50 MiB step\t{mlp}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    if size == 1:
        run(0, 1)
    else:
        mp.spawn(run, args=(size,), nprocs=size)
