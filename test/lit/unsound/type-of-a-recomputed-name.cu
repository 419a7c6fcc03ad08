// Around what computes a value again, its operand is declared anew. Nothing
// there may see more of it than its value.
// RUN: for seen in 'decltype(i) t = 0; t += 2; y[i] += t;' 'if constexpr (Is<decltype(i)>::v) y[i] += 1000;' 'y[i] += sizeof(i);' 'auto f = [&] { return i; }; y[i] += f();' 'auto f = [=] { return i; }; y[i] += f();' 'y[i] += size(i);' 'auto &r = i; y[i] += r;' 'y[i] += noexcept(i + 1);' 'y[i] += NAMED(i);' 'y[i] += TYPED;' 'y[i] += SIZED(i);' 'static_assert(Is<decltype(cst)>::w);' 'y[i] += *&i;'; do sed "s/SEEN;/$(printf %%s "$seen" | sed 's/&/\\&/g')/" %s >%t.cu; %exact --transforms=rematerialize --target-registers=24 %t.cu >%t.out 2>%t.err || { cat %t.err; exit 1; }; cmp %t.cu %t.out || { echo "$seen"; exit 1; }; grep -qE 'named otherwise than to read it|address-taken' %t.err || { echo "$seen"; cat %t.err; exit 1; }; done
// RUN: for seen in ';' 'y[i] += i;' 'y[i] += p.i;' 'float t = i; y[i] += t;' 'y[i] += MAX(i, 3);'; do sed "s/SEEN;/$(printf %%s "$seen" | sed 's/&/\\&/g')/" %s >%t.cu; %exact --transforms=rematerialize --target-registers=24 %t.cu 2>/dev/null | grep 'decltype(i) i = cattHidden;' || { echo "$seen"; exit 1; }; done

#define NAMED(x) sizeof(#x)
#define TYPED sizeof(decltype(i))
#define SIZED(x) (x + int(sizeof x))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
template <class T> struct Is {
  static constexpr bool v = false, w = true;
};
template <> struct Is<int> { static constexpr bool v = true, w = true; };
__device__ int size(int &i) { return 1; }
__device__ int size(const int &i) { return 2; }
struct P {
  int i;
};

__device__ __forceinline__ float heavy(const float *A, int i, int m) {
  float v[40];
#pragma unroll
  for (int q = 0; q < 40; ++q)
    v[q] = A[(i + q * 3) % 512];
  for (int r = 0; r < m; ++r)
#pragma unroll
    for (int q = 0; q < 40; ++q)
      v[q] = v[q] * 0.5f + v[(q + 7) % 40] + A[r];
  float s = 0;
#pragma unroll
  for (int q = 0; q < 40; ++q)
    s += v[q];
  return s;
}

static __global__ void k(const float *A, float *y, int n, P p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int cst = i * 7 + n;
  y[i] = A[cst & 255];
  float s = heavy(A, i, 4);
  y[i] += s + A[cst & 255];
  SEEN;
  y[i] += n + A[cst & 127];
}

void run(const float *A, float *y, int n) { k<<<2, 256>>>(A, y, n, {1}); }
