// Each letter that PTX has for operands, also behind macros, beside assembly of
// the host's own.
#include <cstdio>

#define HIDE(x) asm volatile("" : "+f"(x))
#define FLOAT "f"
#define SAME(x) x

template <class T> __device__ T twice(T V) {
  asm volatile("" : "+f"(V));
  return V + V;
}
struct Halves {
  // Read when the class is complete.
  __device__ short next() const {
    short H;
    __asm__("add.s16 %[to], %[from], 1;" : [to] "=h"(H) : [from] "h"(First));
    return H;
  }
  short First;
};

__global__ void letters(float *F, double *D, short *H, long long *L, int *I) {
  float X = F[0];
  HIDE(X);
  asm("mov.b32 %0, %1;" : "=" FLOAT(F[1]) : FLOAT(X));
  SAME(SAME(asm("mov.f32 %0, %1;" : "=f"(F[2]) : "f"(twice(X)))));
  asm volatile("" ::"f"(X), "d"(D[0]) : "memory");

  double Y = D[0], Z;
  __asm volatile("mov.f64 %0, %2;\n\t" /* two */ "neg.f64 %1, %3;"
                 : "=&d"(Y), "=d"(Z)
                 : "d"(Y), "d"(Y + 1));
  D[1] = Y;
  D[2] = Z;

  H[1] = Halves{H[0]}.next();

  __int128 Q = L[0];
  asm("" : "+q"(Q));
  L[1] = (long long)(Q + 1);
  asm __volatile__("add.s64 %0, %1, %2;" : "=l"(L[2]) : "l"(L[1]), "n"(12));
  int *To = I + 1;
  asm volatile("st.global.s32 [%0], %1;" : : "l"(To), "r"(I[0]) : "memory");
}

// The host keeps its own letters: here %edx.
unsigned remainder7(unsigned X) {
#ifdef __x86_64__
  unsigned Quotient = X, Rest = 0;
  asm("divl %2" : "+a"(Quotient), "+d"(Rest) : "r"(7u));
  return Rest;
#else
  return X % 7;
#endif
}

template <class T> T *managed(int N) {
  T *P;
  cudaMallocManaged(&P, N * sizeof(T));
  return P;
}

int main() {
  float *F = managed<float>(3);
  double *D = managed<double>(3);
  short *H = managed<short>(2);
  long long *L = managed<long long>(3);
  int *I = managed<int>(2);
  F[0] = 2.5f, D[0] = 1.25, H[0] = -3, L[0] = 1ll << 40, I[0] = 5;
  letters<<<1, 1>>>(F, D, H, L, I);
  cudaDeviceSynchronize();
  printf("f %g %g, d %g %g, h %d, q %lld, l %lld, r %d, host %u\n", F[1], F[2],
         D[1], D[2], H[1], L[1], L[2], I[1], remainder7(23));
}
