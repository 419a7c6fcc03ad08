// RUN: not %eager %throttles --diff %s 2>%t.err | FileCheck --check-prefix=TEXT %s
// RUN: FileCheck %s <%t.err
// One launch wants the loop divided, the other does not: the run decides.

// CHECK: remark: loop over j: {{.*}}: split into {{[0-9]+}} warp groups
// CHECK: note: decided at run time: from blockDim.x = {{[0-9]+}} on, where gridDim.x * blockDim.x >= 270336
// TEXT: gridDim.x * blockDim.x >= 270336
// TEXT: if (cattThreads{{[0-9]*}} >= blockDim.x)
// TEXT-NEXT: {{cattL}}oop();

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < 4096; ++j)
      y[i] += A[i * 4096 + j] * x[j];
  }
}

void run(const float *A, const float *x, float *y) {
  rows<<<132 * 8, 256>>>(A, x, y, 132 * 8 * 256);
  rows<<<132, 64>>>(A, x, y, 132 * 64);
}
