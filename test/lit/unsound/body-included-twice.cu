// What two kernels include is edited for neither: the barrier of the one would
// be the deadlock of the other. So is a part of a body that stands in a file of
// its own, which others may include.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s twice.cu && sed '/^__global__ void other/,/^}/d' %s >once.cu && printf '  for (int j = 0; j < 128; ++j)\n    y[i] += A[i * 128 + j];\n' >body.inc
// RUN: not %exact --l1d=8 --min-gain=0 --force=rows:j=4 --header-filter=inc twice.cu 2>&1 >/dev/null | FileCheck --check-prefix=TWICE %s
// TWICE: error: {{.*}}--force=rows:j=4: loop j of kernel 'rows' cannot be split:
// RUN: %exact --model=catt --l1d=8 --header-filter=inc --report=text twice.cu 2>&1 | FileCheck --check-prefix=LEFT %s
// RUN: %exact --model=catt --l1d=8 --header-filter=inc --report=text once.cu 2>&1 | FileCheck --check-prefix=LEFT %s
// LEFT-NOT: split into
// LEFT: body.inc, which {{holds a part of rows|is included more than once}}
// LEFT-SAME: [other-file]
// LEFT-NOT: __syncthreads

__global__ void rows(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#include "body.inc"
}

__global__ void other(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
#include "body.inc"
  }
}

void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y, 512); }
