"""One training step of benchmarks/vae_step.cpp in a compiler of graphs: torch.compile or JAX.

Reports the step under the name that vae_step gives it.
Usage: compiled_step.py threads torch|jax
"""

import os
import sys

from timing import report

THREADS = int(sys.argv[1])
# JAX uses as many threads as there are processors for the process, so limit the processors.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
LAYERS = {"fc1": (784, 400), "fc21": (400, 20), "fc22": (400, 20), "fc3": (20, 400), "fc4": (400, 784)}
BATCH, LEARNING_RATE = 128, 1e-3


def report_step(step):
    for _ in range(20):
        step()
    report("VAE training step, batch 128", step, calls=8)


def time_torch():
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(THREADS)
    model = torch.nn.ModuleDict({name: torch.nn.Linear(*size) for name, size in LAYERS.items()})
    adam = torch.optim.Adam(model.parameters(), LEARNING_RATE, fused=True)
    x = torch.rand(BATCH, 784)

    @torch.compile
    def loss_of(x):
        hidden = F.relu(model["fc1"](x))
        mean, log_variance = model["fc21"](hidden), model["fc22"](hidden)
        deviation = torch.exp(0.5 * log_variance)
        code = mean + torch.randn_like(deviation) * deviation
        image = torch.sigmoid(model["fc4"](F.relu(model["fc3"](code))))
        error = F.binary_cross_entropy(image, x, reduction="sum")
        return error - 0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())

    def step():
        adam.zero_grad()
        loss_of(x).backward()
        adam.step()

    report_step(step)


def time_jax():
    import jax
    from jax import numpy as jnp

    def layer(p, name, x):
        return x @ p[name]["weight"] + p[name]["bias"]

    def loss_of(p, key, x):
        hidden = jax.nn.relu(layer(p, "fc1", x))
        mean, log_variance = layer(p, "fc21", hidden), layer(p, "fc22", hidden)
        code = mean + jax.random.normal(key, mean.shape) * jnp.exp(0.5 * log_variance)
        image = jax.nn.sigmoid(layer(p, "fc4", jax.nn.relu(layer(p, "fc3", code))))
        error = -jnp.sum(
            x * jnp.maximum(jnp.log(image), -100) + (1 - x) * jnp.maximum(jnp.log1p(-image), -100)
        )
        return error - 0.5 * jnp.sum(1 + log_variance - mean**2 - jnp.exp(log_variance))

    def train(state, x):
        p, m, v, t, key = state
        key, noise = jax.random.split(key)
        gradient = jax.grad(loss_of)(p, noise, x)
        t = t + 1
        each = jax.tree_util.tree_map
        m = each(lambda m, g: 0.9 * m + 0.1 * g, m, gradient)
        v = each(lambda v, g: 0.999 * v + 0.001 * g * g, v, gradient)
        rate, correction = LEARNING_RATE / (1 - 0.9**t), jnp.sqrt(1 - 0.999**t)
        p = each(lambda p, m, v: p - rate * m / (jnp.sqrt(v) / correction + 1e-8), p, m, v)
        return p, m, v, t, key

    key = jax.random.PRNGKey(0)
    params = {}
    for name, (n, k) in LAYERS.items():
        bound = n**-0.5
        params[name] = {
            "weight": jax.random.uniform(key, (n, k), minval=-bound, maxval=bound),
            "bias": jnp.zeros(k),
        }
    zeros = jax.tree_util.tree_map(jnp.zeros_like, params)
    x = jax.random.uniform(key, (BATCH, 784))
    compiled = jax.jit(train, donate_argnums=0)
    state = [(params, zeros, jax.tree_util.tree_map(jnp.copy, zeros), jnp.float32(0), key)]

    def step():
        state[0] = jax.block_until_ready(compiled(state[0], x))

    report_step(step)


{"torch": time_torch, "jax": time_jax}[sys.argv[2]]()
