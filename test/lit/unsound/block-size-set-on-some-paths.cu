// The right side of && and ||, one arm of ?:, a loop's condition, a chain of
// members and an element behind a reference: none of these sizes is known, and
// a bound of 128 threads would make the launches of 512 fail.
// REQUIRES: nvcc
// RUN: %bare --config=none --gpu=h200 --ptxas --transforms=launch-bounds --target-registers=48 %s 2>/dev/null | cmp - %s
// RUN: %exact --config=none --report=text %s 2>/dev/null | FileCheck %s
// CHECK: kernel 'atAnd': the block size is not known
// CHECK: kernel 'atOr': the block size is not known
// CHECK: kernel 'atArm': the block size is not known
// CHECK: kernel 'atIf': the block size is not known
// CHECK: kernel 'atWhile': the block size is not known
// CHECK: kernel 'atChain': the block size is not known
// CHECK: kernel 'atLink': the block size is not known
// CHECK: kernel 'atElement': the block size is not known

struct Box {
  int Threads = 128;
};
struct Shape {
  int Threads = 128;
  Shape &threads(int N) {
    Threads = N;
    return *this;
  }
};
struct Link {
  Box *To;
};

__device__ float heavy(const float *A, int i, int n) {
  float v[40];
#pragma unroll
  for (int q = 0; q < 40; ++q)
    v[q] = A[i + q * n];
  for (int r = 0; r < n; ++r)
#pragma unroll
    for (int q = 0; q < 40; ++q)
      v[q] = v[q] * v[(q + 7) % 40] + A[r];
  float s = 0;
#pragma unroll
  for (int q = 0; q < 40; ++q)
    s += v[q];
  return s;
}
static __global__ void atAnd(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atOr(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atArm(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atIf(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atWhile(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atChain(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atLink(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }
static __global__ void atElement(const float *A, float *y, int n) { y[threadIdx.x] = heavy(A, threadIdx.x, n); }

void run(float *A, float *y, int n, bool c) {
  int And = 512, Or = 512, Arm = 512, If = 512, While = 512;
  c && (And = 128);
  atAnd<<<9999, And>>>(A, y, n);
  c || (Or = 128);
  atOr<<<9999, Or>>>(A, y, n);
  c ? (void)(Arm = 128) : (void)0;
  atArm<<<9999, Arm>>>(A, y, n);
  if (c && (If = 128) && n)
    ++n;
  atIf<<<9999, If>>>(A, y, n);
  while (c && (While = 128))
    break;
  atWhile<<<9999, While>>>(A, y, n);
  Shape S;
  S.threads(64).threads(c ? 512 : 128);
  atChain<<<9999, S.Threads>>>(A, y, n);
  Box B;
  Link L{&B};
  L.To->Threads = 512;
  atLink<<<9999, B.Threads>>>(A, y, n);
  Box Several[2];
  for (Box &One : Several)
    One.Threads = 512;
  atElement<<<9999, Several[0].Threads>>>(A, y, n);
}
