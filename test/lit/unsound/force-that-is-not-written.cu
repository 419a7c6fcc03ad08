// A --force whose edit is refused is an error, too.
// RUN: not %exact --l1d=8 --force=rows:j=4 %s 2>&1 >/dev/null | FileCheck %s
// CHECK: error: {{.*}}--force=rows:j=4: loop j of kernel 'rows' cannot be split: it was rewritten before
// RUN: sed 's/catt: begin/begin/; s/catt: done/done/' %s >%t.cu
// RUN: %exact --l1d=8 --force=rows:j=4 %t.cu 2>&1 >/dev/null | grep 'split into 4'
// RUN: not %exact --l1d=8 --force=rows:j=4 --transforms=prefer-l1 %t.cu 2>&1 >/dev/null | FileCheck --check-prefix=CHOSEN %s
// CHOSEN: error: {{.*}}cannot be split: --transforms leaves out what would do it (split-warp-groups)
// RUN: %exact --l1d=8 --force=rows:j=1 --transforms=prefer-l1 %t.cu >/dev/null 2>&1
// RUN: sed 's/^  for/\n#if 1\n&/; s/^    y/#endif\n&/' %t.cu >%t.if.cu; not %exact --l1d=8 --force=rows:j=4 %t.if.cu 2>&1 >/dev/null | FileCheck --check-prefix=CUT %s
// CUT: error: {{.*}}cannot be split: {{.*}}conditional

__global__ void rows(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j) { // catt: begin
    y[i] += A[i * 128 + j];
  } // catt: done
}

void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y, 512); }
