#!/usr/bin/env python3
"""Reads the event files of summary_writer_test.cpp with Python's tensorboard: against_tensorboard.py FOLDER"""
import io
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2

folder = sys.argv[1]


def load(path):
    accumulator = EventAccumulator(path, size_guidance={"scalars": 0, "images": 0, "histograms": 0, "tensors": 0})
    accumulator.Reload()
    return accumulator


run = load(folder)
tags = run.Tags()
assert tags["scalars"] == ["loss"], tags
assert [(e.step, e.value, e.wall_time) for e in run.Scalars("loss")] == [(0, 0.5, 12.5), (7, 0.25, 13.5)], run.Scalars("loss")
assert tags["images"] == ["image", "images"], tags
image = run.Images("image")[0]
assert (image.width, image.height) == (5, 4)
assert image.encoded_image_string.startswith(b"\x89PNG")
try:
    from PIL import Image
    assert Image.open(io.BytesIO(image.encoded_image_string)).size == (5, 4)
except ImportError:
    pass
histogram = run.Histograms("weights")[0].histogram_value
assert (histogram.min, histogram.max, histogram.num) == (-1.0, 3.0, 5.0), histogram
assert sum(histogram.bucket) == 5 and len(histogram.bucket) == len(histogram.bucket_limit)
text = run.Tensors("note/text_summary")[0].tensor_proto
assert text.string_val[0].decode() == "**bold** é", text
assert run.summary_metadata["note/text_summary"].plugin_data.plugin_name == "text"

nodes = {node.name: node for node in run.Graph().node}
assert list(nodes["body/0"].input) == ["input"] and nodes["body/0"].op == "Linear", nodes
assert list(nodes["head"].input) == ["body/0", "body/1"], nodes
assert list(nodes["output"].input) == ["head"], nodes
assert [d.size for d in nodes["head"].attr["_output_shapes"].list.shape[0].dim] == [2, 2]

for name, value in (("train", 1.0), ("test", 2.0)):
    assert [(e.step, e.value) for e in load(f"{folder}/both_{name}").Scalars("both")] == [(3, value)]

hparams = load(f"{folder}/trial")
content = {tag: plugin_data_pb2.HParamsPluginData.FromString(hparams.summary_metadata[tag].plugin_data.content)
           for tag in hparams.summary_metadata if tag.startswith("_hparams_")}
start = content["_hparams_/session_start_info"].session_start_info
assert dict((k, v.WhichOneof("kind")) for k, v in start.hparams.items()) == {
    "lr": "number_value", "optimizer": "string_value", "nesterov": "bool_value"}, start
assert start.hparams["lr"].number_value == 0.1 and start.hparams["nesterov"].bool_value
assert content["_hparams_/experiment"].experiment.metric_infos[0].name.tag == "accuracy"
assert content["_hparams_/session_end_info"].session_end_info.status == 1
assert hparams.Scalars("accuracy")[0].value == 0.5
print("tensorboard reads all of it")
