// A kernel that keeps 48 values of one struct in registers through its loop.
struct Row {
  float v[24], w[24];
};

static __global__ void structs(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Row r;
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    r.v[k] = in[k * n + i];
    r.w[k] = in[(k + 24) * n + i];
  }
  for (int s = 0; s < n; ++s)
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      r.v[k] = r.v[k] * r.w[(k + 1) % 24] + 1;
      r.w[k] = r.w[k] * r.v[(k + 5) % 24] + 2;
    }
#pragma unroll
  for (int k = 0; k < 24; ++k)
    out[k * n + i] = r.v[k] + r.w[k];
}

void run(const float *in, float *out, int n) {
  structs<<<1056, 256>>>(in, out, n);
}
