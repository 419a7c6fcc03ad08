// Launches of the kernels of ptxas-13.0.log.
namespace {
__global__ void hidden(float *a) { a[threadIdx.x] = 0; }
} // namespace

template <int N> __global__ void wide(float *a, const float *b) {
  a[threadIdx.x] = b[threadIdx.x];
}

__global__ void calls(float *a) { a[0] = 1; }

void launchAll(float *a, float *b, int n) {
  hidden<<<1, 64>>>(a);
  wide<32><<<4, 1024>>>(a, b); // is no kernel of the log
  wide<64><<<4, 256>>>(a, b);
  wide<64><<<4, 512, 16>>>(a, b);
  calls<<<1, n>>>(a); // of a size that only the run knows
}
