// A structured binding differs if its object does. The barrier goes around
// the whole statement, never into it.
// RUN: %exact --config=none --l1d=8 --min-gain=0 --force=sums:j=4 %s \
// RUN:   2>/dev/null | FileCheck %s
// CHECK: if (threadIdx.x / {{[0-9]+}} == cattGroup{{[0-9]*}}) { // catt: begin
// CHECK-NEXT: {{ *}}if (row < 100) {
struct Place {
  int row, column;
};
__device__ Place place() { return {int(threadIdx.x), 0}; }
__global__ void sums(const float *A, float *y, int n) {
  __shared__ float total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  auto [row, column] = place();
  if (row < 100) {
    float s = 0;
    for (int j = 0; j < 128; ++j)
      s += A[i * 128 + j] * A[j];
    y[i] = s;
    atomicAdd(&total, s);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    y[n + blockIdx.x] = total;
}
void run(const float *A, float *y, int n) { sums<<<2, 256>>>(A, y, n); }
