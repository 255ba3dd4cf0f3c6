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
# Every dtype in both byte orders and layouts. In a name: the dtype, its order, the layout.
numbers = (np.arange(12) * 1000 - 5000).reshape(2, 3, 2)
orders = {}
for d in ["u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?"]:
    for order in "<>":
        for layout in "CF":
            array = np.array(numbers.astype(order + d), order=layout)
            orders[f"{array.dtype.name} {order} {layout}"] = array
orders["float64 > 0"] = np.array(-5000, ">f8")
np.savez("array_orders.npz", **orders)
# Bools whose bytes are neither 0 nor 1.
bools = np.array([[0, 1, 2], [128, 255, 0]], dtype="u1").view("?")
bools = {"C": bools, "F": np.asfortranarray(bools)}
np.savez("array_bools.npz", **bools)
np.savez_compressed("array_bools_deflated.npz", **bools)
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f"version_{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, np.arange(3, dtype="<f4"), version=version)
# Sizes at which zlib has taken all input and still holds output.
sizes = [*range(8100, 8200, 9), 16384, 65536]
np.savez_compressed("ones_deflated.npz", **{str(n): np.ones(n) for n in sizes})
