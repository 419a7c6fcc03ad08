// RUN: %exact --transforms=split-warp-groups,reserve-shared,prefer-l1 %s 2>&1 >/dev/null | FileCheck %s
// 16 structs of 16 bytes a row: lanes are 256 bytes apart.
// CHECK: remark: loop over j: {{.*}}: {{split into|left alone: no choice of warps}}
// CHECK: note: lanes of {{.*}} are 256 bytes apart: 32 lines where 1 would do

struct Point {
  float X, Y, Z, Weight;
};

__global__ void gather(const Point *Points, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < 16; ++j)
    sum += Points[i * 16 + j].Y * x[j];
  y[i] = sum;
}

void run(const Point *Points, const float *x, float *y) {
  gather<<<1056, 256>>>(Points, x, y);
}
