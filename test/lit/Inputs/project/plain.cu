__global__ void fill(float *y) { y[threadIdx.x] = SEVEN; }
int seven() {
  fill<<<1, 32>>>(nullptr);
  return SEVEN;
}
