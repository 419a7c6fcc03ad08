// What catt-simt-bench measures: N iterations a thread.
__global__ void sumRows(const float *A, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float Sum = 0;
  for (int J = 0; J < N; ++J)
    Sum += A[I * N + J];
  Out[I] = Sum;
}
__global__ void sharedLoop(const float *A, float *Out, int N) {
  __shared__ float S[256];
  S[threadIdx.x] = 0;
  for (int J = 0; J < N; ++J)
    S[threadIdx.x] += J;
  Out[blockIdx.x * blockDim.x + threadIdx.x] = S[threadIdx.x];
}
__global__ void barriers(const float *A, float *Out, int N) {
  for (int J = 0; J < N; ++J)
    __syncthreads();
  Out[blockIdx.x * blockDim.x + threadIdx.x] = N;
}
__global__ void shuffles(const float *A, float *Out, int N) {
  float V = threadIdx.x;
  for (int J = 0; J < N; ++J)
    V = __shfl_xor_sync(0xffffffffu, V, 1);
  Out[blockIdx.x * blockDim.x + threadIdx.x] = V;
}
