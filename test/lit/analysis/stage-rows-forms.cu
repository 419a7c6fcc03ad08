// RUN: %exact --transforms=stage-rows %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// Unrolled loops, windows, loops that count down, and conditions: one tile for
// what neighbours in a row are read. Where it may be left early, the loop stays.

// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+29]]:3: remark: loads 1 row of each lane
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+39]]:3: remark: loads 1 row of each lane
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+45]]:3: remark: loads 1 row of each lane
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+52]]:3: remark: loads 1 row of each lane
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+63]]:7: remark: {{.*}} [ends-early]
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+71]]:{{[0-9]+}}: remark: {{.*}} [may-contract]
// CHECK-DAG: stage-rows-forms.cu:[[#@LINE+80]]:{{[0-9]+}}: remark: {{.*}} [may-contract]

// CODE-LABEL: __global__ void unrolled
// CODE: j < m ? (m - j - 1) / 4 * 4 + 4 : 0);
// CODE: for (const auto cat{{t}}From = j; j < m && j - cat{{t}}From < 29; j += 4) {
// CODE-NEXT: s += cat{{t}}Row_A[j - cat{{t}}From];
// CODE-NEXT: s += cat{{t}}Row_A[j - cat{{t}}From + 1];
// CODE-LABEL: __global__ void window
// CODE: j < m - 1 ? m - 1 - j + 2 : 0);
// CODE: cat{{t}}From < 30; ++j)
// CODE-LABEL: __global__ void downwards
// CODE: const auto cat{{t}}From = j >= 0 && j + 1 > 32 ? j - 31 : 0;
// CODE: for (; j >= 0 && j >= cat{{t}}From; --j)
// CODE-LABEL: __global__ void largest
// CODE: if (cat{{t}}Row_A[j - cat{{t}}From] > best) {
// CODE-NEXT: best = cat{{t}}Row_A[j - cat{{t}}From];
// CODE-LABEL: __global__ void found
// CODE-NOT: cat{{t}}Row
constexpr int m = 4096;
__global__ void unrolled(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  // the row
  for (int j = 0; j < m; j += 4) {
    s += A[i * m + j];
    s += A[i * m + j + 1];
    s += A[i * m + j + 2];
    s += A[i * m + j + 3];
  }
  y[i] = s;
}

__global__ void window(const float *__restrict__ A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 1; j < m - 1; ++j)
    y[j * 9] = A[i * m + j - 1] + A[i * m + j] + A[i * m + j + 1];
}

__global__ void downwards(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = m - 1; j >= 0; --j)
    s += A[i * m + j];
  y[i] = s;
}

__global__ void largest(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 0;
  for (int j = 0; j < m; ++j)
    if (A[i * m + j] > best) {
      best = A[i * m + j];
      y[i] = j;
    }
}

__global__ void found(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j)
    if (A[i * m + j] > 9) {
      y[i] = j;
      break;
    }
}

__global__ void carried(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0, p = 0;
  for (int j = 0; j < m; ++j) {
    s += p;
    p = A[i * m + j] * 3;
  }
  y[i] = s;
}

// A compiler that unrolls the loop has two of its products in one.
__global__ void shared(const float *__restrict__ A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < m - 1; ++j)
    s += A[i * m + j] * 3 - A[i * m + j + 1] * 3;
  y[i] = s;
}

void run(const float *A, float *y) {
  unrolled<<<1056, 256>>>(A, y);
  window<<<1056, 256>>>(A, y);
  downwards<<<1056, 256>>>(A, y);
  largest<<<1056, 256>>>(A, y);
  found<<<1056, 256>>>(A, y);
  carried<<<1056, 256>>>(A, y);
  shared<<<1056, 256>>>(A, y);
}
