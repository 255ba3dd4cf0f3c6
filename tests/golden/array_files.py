"""Writes the .npy and .npz files that the tests read. Run with NumPy in this folder:
python3 array_files.py"""

import numpy as np

special = np.array([[0.0, -0.0, 1e-45], [np.nan, np.inf, 3.1415927]], dtype="<f4")
arrays = {
    "special": special,
    "layer.weight": np.arange(6, dtype="<f8").reshape(2, 3) / 3,
    "count": np.array(2**53 + 1, dtype="<i8"),
    "mask": np.array([True, False, True]),
    "empty": np.zeros((2, 0, 3), dtype="<f4"),
}
dtypes = ["u1", "i1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8", "?"]
np.savez("array_dtypes.npz", **{np.dtype(d).name: np.array([0, 1, 100]).astype(d) for d in dtypes})
np.savez("arrays.npz", **arrays)
np.savez_compressed("arrays_deflated.npz", **arrays)
np.save("fortran.npy", np.asfortranarray(np.arange(24, dtype="<i8").reshape(2, 3, 4)))
np.save("big_endian.npy", np.arange(6, dtype=">f4").reshape(2, 3) / 4)
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"version_{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, np.arange(3, dtype="<f4"), version=version)
# Sizes at which zlib has taken all input and still holds output.
sizes = [*range(8100, 8200, 9), 16384, 65536]
np.savez_compressed("ones_deflated.npz", **{str(n): np.ones(n) for n in sizes})
