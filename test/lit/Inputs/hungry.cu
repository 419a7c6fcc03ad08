// A kernel that keeps 48 values in registers through its loop.
static __global__ void hungry(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k)
    v[k] = in[k * n + i];
  for (int s = 0; s < n; ++s)
#pragma unroll
    for (int k = 0; k < 48; ++k)
      v[k] = v[k] * v[(k + 1) % 48] + 1;
#pragma unroll
  for (int k = 0; k < 48; ++k)
    out[k * n + i] = v[k];
}

void run(const float *in, float *out, int n) {
  hungry<<<1056, 256>>>(in, out, n);
}
