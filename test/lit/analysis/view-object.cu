// RUN: %catt %s 2>&1 >/dev/null | FileCheck %s
// An array view with operator() is looked through.
// CHECK: remark: loop over j: {{.*}}: split into 2 warp groups [split-warp-groups]

constexpr int N = 4096;

struct View {
  const float *Data;
  int Columns;
  __device__ float operator()(int r, int c) const {
    return Data[r * Columns + c];
  }
};

__global__ void rows(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  View view{A, N};
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += view(i, j) * x[j];
  y[i] = sum;
}

void run(const float *A, const float *x, float *y, int n) {
  rows<<<1056, 256>>>(A, x, y, n);
}
