#pragma once

namespace support {

/// A part of the Apache License, Version 2.0: a text to learn.
extern const char* const kLicence;

}  // namespace support
