// RUN: rm -rf %t && mkdir %t && cp %s %t/a.cu && %eager --transforms=prefer-l1 -i --quiet %t/a.cu
// RUN: grep 'catt: prefer-l1(launch)' %t/a.cu
// RUN: %eager --transforms=prefer-l1 --error-on-findings --quiet %t/a.cu >%t/b.cu && cmp %t/a.cu %t/b.cu
// RUN: not %eager --transforms=prefer-l1 --error-on-findings --quiet %s >%t/b.cu
// One loop gains by a larger L1, the other cannot be helped; once the first is,
// a second run does not speak of the other.

__global__ void rows(const float *A, float *y) {
  __shared__ float tile[768];
  tile[threadIdx.x % 32] = 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];
  float sum = 0;
  for (int j = 0; j < 4096; ++j) {
    sum += A[i * 4096 + j];
    __syncthreads();
  }
  y[i * 6] += sum;
}

void run(float *A, float *y) { rows<<<3000, 128>>>(A, y); }
