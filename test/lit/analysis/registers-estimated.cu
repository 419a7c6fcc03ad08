// RUN: %exact %s 2>&1 >/dev/null | FileCheck %s
// RUN: %exact --diff %s 2>/dev/null | count 0
// RUN: ( %exact --force=keeps:j=4 --diff %s || test $? -eq 1 ) 2>/dev/null | FileCheck --check-prefix=FORCED %s
// With as few registers as the estimate allows for, the loop would be divided,
// with as many its lines fit: it stays whole, and the remark says what to do.

// CHECK: remark: loop over j: {{.*}}the register numbers are an estimate (between {{[0-9]+}} and {{[0-9]+}} of a thread, not all of which want the loop divided); ask the assembler with --ptxas, or decide it yourself with --force [registers-estimated]
// FORCED: split-warp-groups(4)

constexpr int M = 2048;

__global__ void keeps(const float *A, const float *B, const float *x, float *y,
                      float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[36];
#pragma unroll
  for (int k = 0; k < 36; ++k)
    acc[k] = float(k + i);
  for (int j = 0; j < M; ++j) {
    t[i] += A[i * M + j] * x[j];
    y[i] += B[i * M + j] * x[j];
#pragma unroll
    for (int k = 0; k < 36; ++k)
      acc[k] = acc[k] * x[j] + float(j);
  }
  float s = 0;
#pragma unroll
  for (int k = 0; k < 36; ++k)
    s += acc[k];
  y[i] += s;
}

void run(const float *A, const float *B, const float *x, float *y, float *t) {
  keeps<<<132 * 8, 256>>>(A, B, x, y, t);
}
