// A condition may declare the variable that it tests. The barrier goes around
// the whole statement, never into it.
// RUN: %exact --config=none --l1d=8 --min-gain=0 --force=sums:j=4 %s \
// RUN:   2>/dev/null | FileCheck %s
// CHECK: if (threadIdx.x / {{[0-9]+}} == cattGroup{{[0-9]*}}) { // catt: begin
// CHECK-NEXT: {{ *}}while (int more = left < 100 ? 1 : 0) {
__global__ void sums(const float *A, float *y, int n) {
  __shared__ float total;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  int left = threadIdx.x;
  while (int more = left < 100 ? 1 : 0) {
    left += 200 + more;
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
