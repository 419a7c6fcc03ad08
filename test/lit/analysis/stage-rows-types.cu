// RUN: %exact --transforms=stage-rows %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: grep -v CODE %t.cu | FileCheck --check-prefix=CODE %s
// RUN: %exact --transforms=stage-rows --diff --quiet %t.cu
// RUN: %exact --revert -i --quiet %t.cu && cmp %s %t.cu
// Instantiations of one template have the tiles of the widest type, in one text.

// CODE: T *const cat{{t}}Row_A = (T *)(cat{{t}}Tiles_sum + 136 * threadIdx.x);
// CODE: cat{{t}}LoadRow<16, 136>(
template <class T> __global__ void sum(const T *A, T *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T s = 0;
  // CHECK: [[#@LINE+1]]:3: remark: loads 1 row of each lane in tiles of 16 elements [stage-rows]
  for (int j = 0; j < m; ++j)
    s += A[i * m + j];
  y[i] = s;
}

// Of one type it has a width of its own.
// CODE: T *const cat{{t}}Row_A = (T *)(cat{{t}}Tiles_one + 132 * threadIdx.x);
template <class T> __global__ void one(const T *A, T *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T s = 0;
  // CHECK: [[#@LINE+1]]:3: remark: loads 1 row of each lane in tiles of 32 elements [stage-rows]
  for (int j = 0; j < m; ++j)
    s += A[i * m + j];
  y[i] = s;
}

// Two kernels, one of which walks no rows.
template <class T, bool Rows>
__global__ void either(const T *A, T *y, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T s = 0;
  for (int j = 0; j < m; ++j)
    s += A[Rows ? i * m + j : j];
  y[i] = s;
}
// CHECK-NOT: [stage-rows]

// CODE: cat{{t}}Shared(::cat{{t}}Rows_sum<float>, 0, m >= 32 ? 34816 : 0)
// CODE: cat{{t}}Shared(::cat{{t}}Rows_sum<double>, 0, m >= 32 ? 34816 : 0)
void run(const float *A, float *y, const double *B, double *z, int m) {
  sum<<<1056, 256>>>(A, y, m);
  sum<<<1056, 256>>>(B, z, m);
  one<<<1056, 256>>>(A, y, m);
  either<float, true><<<1056, 256>>>(A, y, m);
  either<float, false><<<1056, 256>>>(A, y, m);
}
