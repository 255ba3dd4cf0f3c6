// The operator new that fails at the request of a test.
#include "../../serialization/heap_faults.cpp"
