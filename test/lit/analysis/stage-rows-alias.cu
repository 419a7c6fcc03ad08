// RUN: %exact --transforms=stage-rows %s 2>&1 >/dev/null | FileCheck %s
// A store that moves unevenly may hit the row, and no comparison before the
// loop says that it does not. One whose places are known is compared; none is
// where the row is __restrict__.

// CHECK: stage-rows-alias.cu:[[#@LINE+19]]:3: remark: loads 1 row of each lane
// CHECK: stage-rows-alias.cu:[[#@LINE+27]]:3: remark: loads 1 row of each lane
// CHECK: stage-rows-alias.cu:[[#@LINE+9]]:5: remark: what the loop stores may be what it reads ('y[j * j]' and 'A[i * N + j]'); declare a pointer that is only read __restrict__, {{.*}} [may-alias]

constexpr int N = 4096;

__global__ void somewhere(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < N; ++j) {
    s += A[i * N + j];
    y[j * j] = 1;
  }
  y[i] = s;
}

__global__ void restricted(const float *__restrict__ A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < N; ++j) {
    s += A[i * N + j];
    y[j * j] = 1;
  }
  y[i] = s;
}

__global__ void compared(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < N; ++j)
    y[i] += A[i * N + j];
}

void run(const float *A, float *y) {
  somewhere<<<1056, 256>>>(A, y);
  restricted<<<1056, 256>>>(A, y);
  compared<<<1056, 256>>>(A, y);
}
