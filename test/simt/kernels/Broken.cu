// Does not compile; ExecutorTest.cpp looks for line 3.

__global__ void broken(int *A) { A[threadIdx.q] = 1; }
