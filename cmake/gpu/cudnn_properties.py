"""Prints the properties of the GPU as cuDNN writes them (JSON): with them cuDNN makes plans on a machine without a GPU."""

import ctypes
import sys

# Numbers of cudnn_graph_v9.h.
DEVICEPROP_DESCRIPTOR = 38
DEVICE_ID, JSON_REPRESENTATION = 2700, 2702
TYPE_INT32, TYPE_CHAR = 23, 24


def main():
    try:
        cudnn = ctypes.CDLL("libcudnn.so.9")
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(77)

    def call(name, *arguments):
        status = getattr(cudnn, name)(*arguments)
        if status != 0:
            print(f"{name}: status {status}", file=sys.stderr)
            sys.exit(1)

    descriptor = ctypes.c_void_p()
    call("cudnnBackendCreateDescriptor", DEVICEPROP_DESCRIPTOR, ctypes.byref(descriptor))
    call("cudnnBackendSetAttribute", descriptor, DEVICE_ID, TYPE_INT32, ctypes.c_int64(1), ctypes.byref(ctypes.c_int32(0)))
    call("cudnnBackendFinalize", descriptor)
    size = ctypes.c_int64()
    call("cudnnBackendGetAttribute", descriptor, JSON_REPRESENTATION, TYPE_CHAR, ctypes.c_int64(0), ctypes.byref(size), None)
    text = ctypes.create_string_buffer(size.value + 1)
    call("cudnnBackendGetAttribute", descriptor, JSON_REPRESENTATION, TYPE_CHAR, size, ctypes.byref(size), text)
    print(text.value.decode())


if __name__ == "__main__":
    main()
