// RUN: %exact --transforms=stage-rows %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// RUN: %exact --transforms=stage-rows --assume=m=16 %s 2>&1 >/dev/null | FileCheck --check-prefix=SHORT %s
// How long the rows are is known to the run alone: short ones run as they were.

// CHECK: stage-rows-by-run.cu:[[#@LINE+15]]:3: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]
// CODE: static __global__ void cat{{t}}Rows_rows(
// CODE: cat{{t}}Body_rows<false>(A, x, y, m);
// CODE: if (cat{{t}}Long && blockDim.x <= 256
// CODE-NEXT: cattDynamicShared() >= 33792 && m >= 32) {
// CODE: j < m ? m - j : 0
// CODE: } else { // catt: begin
// CODE-NEXT: for (int j = 0; j < m; ++j)
// CODE: (m >= 32 ? cat{{t}}Rows_rows : rows) {{.*}}<<<1056, 256{{.*}}cat{{t}}Shared(cat{{t}}Rows_rows, 0, m >= 32 ? 33792 : 0)
// SHORT-NOT: [stage-rows]

__global__ void rows(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // the row
  for (int j = 0; j < m; ++j)
    s += A[i * m + j] * x[j];
  y[i] = s;
}

void run(const float *A, const float *x, float *y, int m) {
  rows<<<1056, 256>>>(A, x, y, m);
}
