// RUN: %exact --l1d=128 %s 2>&1 >/dev/null | FileCheck %s
// The outer loop uses each thread's own line again: one split around the nest.

// RUN: not %exact --l1d=128 --diff %s 2>/dev/null | FileCheck --check-prefix=TEXT %s
// CHECK: remark: loop over c: {{.*}}: split into {{[0-9]+}} warp groups
// CHECK-NOT: remark: loop over f: {{.*}}: split
// TEXT: +{{ *}}__syncthreads();
// TEXT-NOT: __syncthreads();

constexpr int Features = 32;
constexpr int Clusters = 5;

__global__ void nearest(const float *points, const float *centres,
                        float *work, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 3e38f;
  int index = 0;
  for (int c = 0; c < Clusters; ++c) {
    work[i] = 0.0f;
    for (int f = 0; f < Features; ++f) {
      float d = points[i * Features + f] - centres[c * Features + f];
      work[i] += d * d;
    }
    if (work[i] < best) {
      best = work[i];
      index = c;
    }
  }
  to[i] = index;
}

void run(const float *points, const float *centres, float *work, int *to) {
  nearest<<<1056, 256>>>(points, centres, work, to);
}
