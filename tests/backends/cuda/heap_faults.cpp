// The operator new that fails when a test asks for it.
#include "../../serialization/heap_faults.cpp"
