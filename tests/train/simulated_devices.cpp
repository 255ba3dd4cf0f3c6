#include "simulated_devices.h"
