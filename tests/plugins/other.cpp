// A library with thread-locals of TERN_TLS_BYTES, as others that a program opens before tern.

namespace {
[[gnu::tls_model(TERN_TLS_MODEL)]] thread_local volatile char block[TERN_TLS_BYTES];
}

extern "C" [[gnu::visibility("default")]] int use(int index) { return block[index]; }
