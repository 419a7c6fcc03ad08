// RUN: %eager --transforms=prefer-l1 --diff %s 2>&1 | FileCheck %s
// Launches whose arguments no call can be put into, each with what stops it.

// CHECK-NOT: {{^\+.*}}cattPreferL1

#define BODY                                                                   \
  __shared__ float tile[768];                                                  \
  tile[threadIdx.x % 32] = 1;                                                  \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                               \
  for (int j = 0; j < 4096; ++j)                                               \
    y[i * 6] += A[i / 2 * 4096 + j] * A[j];

// CHECK-DAG: a launch that a macro writes
__global__ void written(const float *A, float *y) { BODY }
#define GO(kernel) kernel<<<3000, 128>>>(A, y)
void inMacro(float *A, float *y) { GO(written); }

// CHECK-DAG: the template arguments of 'deduced' are deduced in a template
template <class T> __global__ void deduced(const T *A, T *y) { BODY }
template <class T> void go(T *A, T *y) { deduced<<<3000, 128>>>(A, y); }
void inTemplate(float *A, float *y) { go(A, y); }

// CHECK-DAG: select(), whose body is not in sight
__global__ void chosen(const float *A, float *y) { BODY }
int select(int);
void onDevice(float *A, float *y) { chosen<<<select(3000), 128>>>(A, y); }
