// Nothing of its own: see cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
