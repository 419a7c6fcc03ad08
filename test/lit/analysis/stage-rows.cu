// RUN: %exact --transforms=stage-rows %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// RUN: %exact --transforms=split-warp-groups %s 2>&1 >/dev/null | FileCheck --check-prefix=SPLIT %s
// A thread walks its own row: the warp loads 32 of them together, in tiles. What
// all lanes share stays.

// CHECK: stage-rows.cu:[[#@LINE+19]]:3: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]
// CHECK: stage-rows.cu: 1 kernel, 1 loop beyond L1D, {{[0-9]+}} edits
// SPLIT: left alone: {{.*}} [small-gain]
// CODE: #define CATT_LOAD_ROW
// CODE: // catt: stage-rows(32): the warp loads the rows of its lanes together
// CODE-NEXT: if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1) {
// CODE-NEXT: __shared__ __align__(16) unsigned char cat{{t}}Tiles[33792];
// CODE-NEXT: float *const cat{{t}}Row_A = (float *)(cat{{t}}Tiles + 132 * threadIdx.x);
// CODE: s += cat{{t}}Row_A[j - cat{{t}}From] * x[j];
// CODE: } else { // catt: begin
// CODE-NEXT: for (int j = 0; j < N; ++j)
// CODE-NEXT: s += A[i * N + j] * x[j];

constexpr int N = 4096;

__global__ void rows(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // the row
  for (int j = 0; j < N; ++j)
    s += A[i * N + j] * x[j];
  y[i] = s;
}

void run(const float *A, const float *x, float *y) {
  rows<<<1056, 256>>>(A, x, y);
}
