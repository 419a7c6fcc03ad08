// RUN: %exact --transforms=promote-accumulators %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// RUN: %exact --transforms=stage-rows,promote-accumulators %s 2>&1 >/dev/null | FileCheck --check-prefix=BOTH %s
// What a loop adds up in memory waits in a register, where a comparison before
// the loop says that nothing else is there. A restricted sum is the compiler's.

// CHECK: promote-accumulators.cu:[[#@LINE+17]]:3: remark: keeps 1 sum in registers [promote-accumulators]
// CHECK-NOT: remark: keeps
// CODE: #define CATT_APART
// CODE: // catt: promote-accumulators(1): what the loop adds up stays in registers
// CODE-NEXT: if (m >= 32 && cattApart(&y[i], &y[i], &A[0 * m + i], &A[(m - 1) * m + i]) &&
// CODE-NEXT: cattApart(&y[i], &y[i], &x[0], &x[(m - 1)])) {
// CODE-NEXT: float cat{{t}}Sum_y = y[i];
// CODE-NEXT: for (int j = 0; j < m; ++j)
// CODE-NEXT: cat{{t}}Sum_y += A[j * m + i] * x[j];
// CODE-NEXT: y[i] = cat{{t}}Sum_y;
// CODE-NEXT: __syncwarp(__activemask());
// CODE-NEXT: } else { // catt: begin
// BOTH-DAG: remark: keeps 1 sum in registers [promote-accumulators]
// BOTH-DAG: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]

__global__ void columns(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j)
    y[i] += A[j * m + i] * x[j];
}

__global__ void rows(const float *A, const float *x, float *__restrict__ y,
                     int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j)
    y[i] += A[i * m + j] * x[j];
}

void run(const float *A, const float *x, float *y, int m) {
  columns<<<1056, 256>>>(A, x, y, m);
  rows<<<1056, 256>>>(A, x, y, m);
}
