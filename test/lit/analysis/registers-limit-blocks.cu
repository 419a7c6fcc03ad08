// RUN: %exact --report=text %s | FileCheck %s
// RUN: %exact --diff %s 2>/dev/null | count 0
// RUN: %exact --model=catt --diff %s 2>/dev/null | count 0
// RUN: %exact --report=json %s >%t.json && %schema %t.json
// RUN: FileCheck --check-prefix=JSON %s <%t.json
// 64 warps would overflow L1; the values that a thread keeps leave room for one
// block, or two, of eight, and the lines of these fit.

// CHECK: launched as <<<132 * 8, 256>>>{{.*}}: 1 block of 8 warps per SM (limited by registers), L1D {{.*}}, about {{[0-9]+}} registers (an estimate: {{[0-9]+}} to {{[0-9]+}}; --ptxas asks the assembler)
// CHECK: loop over j: the lines that the loop uses again fit in L1 {{.*}} [fits]
// CHECK: 1 kernel, 0 loops beyond L1D, nothing to change
// JSON: "blocksPerSM": 1,
// JSON: "limitedBy": "registers",
// JSON: "registersPerThread": {
// JSON: "origin": "estimated"

constexpr int M = 2048;

__global__ void heavy(const float *A, const float *B, const float *x, float *y,
                      float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[120];
#pragma unroll
  for (int k = 0; k < 120; ++k)
    acc[k] = float(k + i);
  for (int j = 0; j < M; ++j) {
    t[i] += A[i * M + j] * x[j];
    y[i] += B[i * M + j] * x[j];
#pragma unroll
    for (int k = 0; k < 120; ++k)
      acc[k] = acc[k] * x[j] + float(j);
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < 120; ++k)
    s += acc[k];
  y[i] += s;
}

void run(const float *A, const float *B, const float *x, float *y, float *t) {
  heavy<<<132 * 8, 256>>>(A, B, x, y, t);
}
