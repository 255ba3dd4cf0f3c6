#pragma once

// Includes all metrics.

#include <tern/train/metrics/accuracy.h>
#include <tern/train/metrics/auroc.h>
#include <tern/train/metrics/class_scores.h>
#include <tern/train/metrics/confusion_matrix.h>
#include <tern/train/metrics/mean.h>
#include <tern/train/metrics/perplexity.h>
