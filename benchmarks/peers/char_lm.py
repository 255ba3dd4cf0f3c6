"""The models of examples/char_lm.cpp in PyTorch: python char_lm.py TEXT [lstm|transformer] [STEPS] [SEED ...]
prints the validation loss of each seed, their mean, and the milliseconds of a step."""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

LENGTH, WIDTH, LAYERS, BATCH, LR = 64, 128, 2, 32, 0.003


class LstmModel(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embedding = nn.Embedding(letters, WIDTH)
        self.lstm = nn.LSTM(WIDTH, WIDTH, LAYERS, batch_first=True)
        self.head = nn.Linear(WIDTH, letters)

    def forward(self, characters):
        return self.head(self.lstm(self.embedding(characters))[0])


class TransformerModel(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.embedding = nn.Embedding(letters, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, letters)

    def forward(self, characters):
        length = characters.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        x = self.embedding(characters) + self.positions(torch.arange(length))
        return self.head(self.encoder(x, mask, is_causal=True))


def loss_of(model, windows):
    return F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())


def train(kind, text, steps, seed):
    letters, numbers = torch.unique(torch.tensor(list(text)), return_inverse=True)
    training = len(numbers) * 9 // 10
    seen, unseen = numbers[:training], numbers[training:]
    torch.manual_seed(seed)
    model = {"lstm": LstmModel, "transformer": TransformerModel}[kind](len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), LR)
    start = time.perf_counter()
    for _ in range(steps):
        first = torch.randint(training - LENGTH, (BATCH, 1))
        loss = loss_of(model, seen[first + torch.arange(LENGTH + 1)])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    step = (time.perf_counter() - start) / steps * 1e3
    model.eval()
    windows = unseen.unfold(0, LENGTH + 1, LENGTH)
    with torch.no_grad():
        total = sum(loss_of(model, batch).item() * len(batch) for batch in windows.split(64))
    return total / len(windows), step


def main(path, kind="lstm", steps="500", *seeds):
    with open(path, "rb") as file:
        text = file.read()
    losses = []
    for seed in map(int, seeds or "123"):
        loss, step = train(kind, text, int(steps), seed)
        losses.append(loss)
        print(f"seed {seed}: validation loss {loss:.4f}, {step:.2f} ms a step", flush=True)
    print(f"mean {sum(losses) / len(losses):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
