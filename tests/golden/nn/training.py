#!/usr/bin/env python3
"""Writes training.json: the losses of a training run with every part of a usual script. Run in this folder:
PYTHONPATH=.. python3 training.py"""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from lines import numbers, write

STEPS = 100


class Words(Dataset):
    """Rows of four words; the class is the last digit of the first one."""

    def __len__(self):
        return 800

    def __getitem__(self, i):
        words = torch.tensor([(i * 7 + j * 13) % 50 for j in range(4)])
        return words, words[0] % 10


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.fc1 = nn.Linear(64, 64)
        self.dropout = nn.Dropout(0.1)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, words):
        x = self.embedding(words).flatten(1)
        return self.fc2(self.dropout(torch.relu(self.fc1(x))))


torch.manual_seed(1)
net = Net()
# A generator of its own: the loader draws a seed for its workers from it.
loader = DataLoader(Words(), batch_size=32, num_workers=2, drop_last=True, generator=torch.Generator())
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)
losses = []
while len(losses) < STEPS:
    for words, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(words), labels, label_smoothing=0.1)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.detach())
write("training.json", {"losses": numbers(torch.stack(losses))})
