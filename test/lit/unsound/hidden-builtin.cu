// Where a name of CUDA means something else, nothing is written that uses it.
// RUN: for d in 'auto [threadIdx, blockDim] = I2{1, 2};' 'int __syncthreads = 1;' 'struct blockDim {}; blockDim b;' 'enum { threadIdx };' 'using other::blockDim;' 'using namespace other;' 'extern void __syncthreads(int);' 'auto \&threadIdx = *y;' 'typedef int threadIdx;'; do sed "s/HIDES;/$d/" %s >%t.cu; %exact --model=catt --l1d=8 %t.cu 2>%t.err >%t.out || { echo "$d"; cat %t.err; exit 1; }; cmp %t.cu %t.out || { echo "$d"; exit 1; }; grep -q "hides CUDA's" %t.err || { echo "$d"; cat %t.err; exit 1; }; done
// RUN: for d in '{ int threadIdx = 1; y[i] = threadIdx; }' 'threadIdx: ;' 'struct S { int threadIdx; }; S s{1};' ';'; do sed "s/HIDES;/$d/" %s >%t.cu; %exact --model=catt --l1d=8 %t.cu 2>%t.err | grep __syncthreads || { echo "$d"; cat %t.err; exit 1; }; done
// RUN: sed 's/HIDES;//; s/int n)/int blockDim)/; s/= blockIdx.x.*/= blockIdx.x * 256 + threadIdx.x;/' %s >%t.cu && %exact --model=catt --l1d=8 %t.cu 2>&1 >/dev/null | grep "hides CUDA's blockDim"
// RUN: sed 's/HIDES;//; s/^__global__/template <int blockDim> &/; s/rows<<</rows<1><<</; s/= blockIdx.x.*/= blockIdx.x * 256 + threadIdx.x;/' %s >%t.cu && %exact --model=catt --l1d=8 %t.cu 2>&1 >/dev/null | grep "hides CUDA's blockDim"
// RUN: sed 's/HIDES;//; s/^__global__/namespace n { void __syncthreads(); &/; s/^void run/} using n::rows; &/' %s >%t.cu && %exact --model=catt --l1d=8 %t.cu 2>&1 >/dev/null | grep "hides CUDA's __syncthreads"
// RUN: sed 's/HIDES;//' %s >%t.cu && %exact --model=catt --l1d=8 %t.cu -- '-D__syncthreads()=sync' 2>&1 >/dev/null | grep "the macro __syncthreads"
struct I2 {
  int a, b;
};
namespace other {
__device__ int blockDim, threadIdx;
}

__global__ void rows(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  HIDES;
  for (int j = 0; j < 128; ++j)
    y[i] += A[i * 128 + j];
}

void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y, 512); }
