// RUN: %eager %throttles --l1d=32 --launch='rows=1056:256' %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v TEXT %t.cu | FileCheck --check-prefix=TEXT %s
// A part of a plan is not written. The launch is in another file, so that no
// block can be kept away; the groups are those that are best with all blocks.

// CHECK: remark: loop over j: 64 warps {{.*}}, L1D holds 32 KiB: split into [[N:[0-9]+]] warp groups [split-warp-groups]
// CHECK: expected effect: 8 warps at a time instead of 64
// CHECK-NOT: [reserve-shared]
// TEXT: catt: split-warp-groups(8)
// TEXT-NOT: catt: reserve-shared

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < 4096; ++j)
      y[i] += A[i * 4096 + j] * x[j];
  }
}
