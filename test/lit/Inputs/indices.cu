// 16 indices that are used before and behind a loop over 40 floats.
__global__ void indices(const float *__restrict__ in, float *__restrict__ out,
                        int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = in[i] * 1000;
  int x0 = (i * 3) ^ (j + 1);
  int x1 = (i * 5) ^ (j + 8);
  int x2 = (i * 7) ^ (j + 15);
  int x3 = (i * 9) ^ (j + 22);
  int x4 = (i * 11) ^ (j + 29);
  int x5 = (i * 13) ^ (j + 36);
  int x6 = (i * 15) ^ (j + 43);
  int x7 = (i * 17) ^ (j + 50);
  int x8 = (i * 19) ^ (j + 57);
  int x9 = (i * 21) ^ (j + 64);
  int x10 = (i * 23) ^ (j + 71);
  int x11 = (i * 25) ^ (j + 78);
  int x12 = (i * 27) ^ (j + 85);
  int x13 = (i * 29) ^ (j + 92);
  int x14 = (i * 31) ^ (j + 99);
  const int x15 = (i * 33) ^ (j + 106);
  out[x0] = 0;
  out[x1] = 1;
  out[x2] = 2;
  out[x3] = 3;
  out[x4] = 4;
  out[x5] = 5;
  out[x6] = 6;
  out[x7] = 7;
  out[x8] = 8;
  out[x9] = 9;
  out[x10] = 10;
  out[x11] = 11;
  out[x12] = 12;
  out[x13] = 13;
  out[x14] = 14;
  out[x15] = 15;
  float a[40];
#pragma unroll
  for (int k = 0; k < 40; ++k)
    a[k] = in[k * n];
  for (int t = 0; t < m; ++t) {
    float x = in[t];
#pragma unroll
    for (int k = 0; k < 40; ++k)
      a[k] = a[k] * x + a[(k + 7) % 40];
  }
  out[x0] += a[0];
  out[x1] += a[1];
  out[x2] += a[2];
  out[x3] += a[3];
  out[x4] += a[4];
  out[x5] += a[5];
  out[x6] += a[6];
  out[x7] += a[7];
  out[x8] += a[8];
  out[x9] += a[9];
  out[x10] += a[10];
  out[x11] += a[11];
  out[x12] += a[12];
  out[x13] += a[13];
  out[x14] += a[14];
  out[x15] += a[15];
#pragma unroll
  for (int k = 16; k < 40; ++k)
    out[k * n + i] = a[k];
}

void run(const float *in, float *out, int n, int m) {
  indices<<<1024, 256>>>(in, out, n, m);
}
