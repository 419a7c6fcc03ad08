// Part of catt-rewrite, see LICENSE. Everything is in one header.
#include "catt_simt/device.h"
