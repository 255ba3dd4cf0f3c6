#pragma once

// Includes all headers of training: a second header for users, beside tern.h.

#include <tern/nn/data/files.h>
#include <tern/serialization/save_bytes.h>
#include <tern/tern.h>
#include <tern/train/callback.h>
#include <tern/train/callbacks.h>
#include <tern/train/fit.h>
#include <tern/train/grad_scaler.h>
#include <tern/train/history.h>
#include <tern/train/loader.h>
#include <tern/train/log/csv_log.h>
#include <tern/train/log/progress_bar.h>
#include <tern/train/metrics/metrics.h>
#include <tern/train/picture/chart.h>
#include <tern/train/picture/classes.h>
#include <tern/train/picture/heatmap.h>
#include <tern/train/picture/image.h>
#include <tern/train/profiler.h>
#include <tern/train/run.h>
#include <tern/train/tensorboard/summary_writer.h>
#include <tern/train/tensorboard/tensorboard.h>
