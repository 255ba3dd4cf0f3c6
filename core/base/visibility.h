#pragma once

// Symbols are hidden by default (-fvisibility=hidden); what users may call is marked with TERN_API.
#define TERN_API __attribute__((visibility("default")))
