// RUN: %exact --transforms=stage-rows %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// RUN: %exact --transforms=stage-rows --diff --quiet %t.cu
// RUN: %exact --revert -i --quiet %t.cu && cmp %s %t.cu
// Blocks that only the run knows, and launches with several: each asks for the
// rows of its own block.

// CODE-LABEL: void anyBlock(
// CODE: if (cat{{t}}Long && blockDim.y * blockDim.z == 1 &&
// CODE-NEXT: cat{{t}}DynamicShared() >= 132 * blockDim.x && m >= 32) {
__global__ void anyBlock(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // CHECK: [[#@LINE+1]]:3: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]
  for (int j = 0; j < m; ++j)
    s += A[i * m + j] * x[j];
  y[i] = s;
}

// Tiles of two rows are narrower: the largest block may need them.
// CODE-LABEL: void twoRows(
// CODE: cat{{t}}DynamicShared() >= 132 * blockDim.x
__global__ void twoRows(const float *A, const float *B, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // CHECK: [[#@LINE+1]]:3: remark: loads 2 rows of each lane in tiles of 16 elements [stage-rows]
  for (int j = 0; j < m; ++j)
    s += A[i * m + j] * B[i * m + j];
  y[i] = s;
}

// CODE-LABEL: void twoLaunches(
__global__ void twoLaunches(const float *A, const float *x, float *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // CHECK: [[#@LINE+1]]:3: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]
  for (int j = 0; j < m; ++j)
    s += A[i * m + j] * x[j];
  y[i] = s;
}

// What a block is along y decides which rows its lanes walk.
__global__ void plane(const float *A, float *y, int m) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < m; ++j)
    s += A[i * m + j];
  y[i] = s;
}
// CHECK-NOT: [stage-rows]

// CODE: (m >= 32 ? cat{{t}}Rows_anyBlock : anyBlock) {{.*}}cat{{t}}Shared(cat{{t}}Rows_anyBlock, 0, m >= 32 ? 132 * cat{{t}}Threads(threads) : 0)
// CODE: cat{{t}}Shared(cat{{t}}Rows_twoRows, 0, m >= 32 ? 132 * cat{{t}}Threads(threads) : 0)
// CODE: <<<1056, 256{{.*}}cat{{t}}Shared(cat{{t}}Rows_twoLaunches, 0, m >= 32 ? 33792 : 0)
// CODE: <<<1056, 128{{.*}}cat{{t}}Shared(cat{{t}}Rows_twoLaunches, 0, m >= 32 ? 16896 : 0)
void run(const float *A, const float *x, float *y, int m, int threads) {
  anyBlock<<<1056, threads>>>(A, x, y, m);
  twoRows<<<1056, threads>>>(A, x, y, m);
  twoLaunches<<<1056, 256>>>(A, x, y, m);
  twoLaunches<<<1056, 128>>>(A, x, y, m);
  plane<<<1056, dim3(threads, 4)>>>(A, y, m);
}
