// Inline PTX beside what it means in C++, for numbers at the edges.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

using Word = unsigned;
using Long = unsigned long long;

constexpr int Count = 8;
__constant__ Word Numbers[Count] = {0,          1,          7,     31,
                                    0x80000000, 0xffffffff, 70000, 0x12345678};
__device__ int Failures;

__device__ void equal(Long Got, Long Want, int Line) {
  if (Got != Want && atomicAdd(&Failures, 1) < 5)
    printf("line %d: %llx instead of %llx\n", Line, Got, Want);
}
#define EQUAL(Got, Want) equal(Got, Want, __LINE__)

__device__ Word bits(float X) { return __float_as_uint(X); }
__device__ Long wide(Word Low, Word High) { return (Long)High << 32 | Low; }

#define TWO(Text, X, Y)                                                        \
  [=] {                                                                        \
    Word R;                                                                    \
    asm(Text " %0, %1, %2;" : "=r"(R) : "r"(X), "r"(Y));                       \
    return R;                                                                  \
  }()
#define THREE(Text, X, Y, Z)                                                   \
  [=] {                                                                        \
    Word R;                                                                    \
    asm(Text " %0, %1, %2, %3;" : "=r"(R) : "r"(X), "r"(Y), "r"(Z));           \
    return R;                                                                  \
  }()
#define ONE(Text, X)                                                           \
  [=] {                                                                        \
    Word R;                                                                    \
    asm(Text " %0, %1;" : "=r"(R) : "r"(X));                                   \
    return R;                                                                  \
  }()

// Bit by bit, as the manual has it.
__device__ Word field(Word X, Word At, Word Length, bool Signed) {
  At &= 255, Length &= 255;
  Word Last = At + Length - 1 < 31 ? At + Length - 1 : 31;
  Word Sign = Signed && Length ? X >> Last & 1 : 0, R = 0;
  for (Word I = 0; I < 32; ++I)
    R |= (I < Length && At + I < 32 ? X >> (At + I) & 1 : Sign) << I;
  return R;
}
__device__ Word inserted(Word X, Word Into, Word At, Word Length) {
  At &= 255, Length &= 255;
  for (Word I = 0; I < Length && At + I < 32; ++I)
    Into = (Into & ~(1u << (At + I))) | (X >> I & 1) << (At + I);
  return Into;
}
__device__ Word permuted(Word X, Word Y, Word Selector) {
  Word R = 0;
  for (int I = 0; I < 4; ++I) {
    Word Byte = wide(X, Y) >> (Selector >> 4 * I & 7) * 8 & 255;
    if (Selector >> 4 * I & 8)
      Byte = Byte & 128 ? 255 : 0;
    R |= Byte << 8 * I;
  }
  return R;
}

__device__ void integers(Word X, Word Y, Word Z) {
  EQUAL(TWO("add.u32", X, Y), X + Y);
  EQUAL(TWO("sub.s32", X, Y), X - Y);
  EQUAL(TWO("mul.lo.u32", X, Y), X * Y);
  EQUAL(TWO("mul.hi.u32", X, Y), __umulhi(X, Y));
  EQUAL(TWO("mul.hi.s32", X, Y), (Word)__mulhi(X, Y));
  EQUAL(THREE("mad.lo.s32", X, Y, Z), X * Y + Z);
  EQUAL(THREE("mad.hi.u32", X, Y, Z), __umulhi(X, Y) + Z);
  EQUAL(TWO("min.s32", X, Y), (Word)min((int)X, (int)Y));
  EQUAL(TWO("max.u32", X, Y), max(X, Y));
  EQUAL(TWO("shl.b32", X, Y), Y < 32 ? X << Y : 0);
  EQUAL(TWO("shr.u32", X, Y), Y < 32 ? X >> Y : 0);
  EQUAL(TWO("shr.s32", X, Y), (Word)((int)X >> (Y < 32 ? Y : 31)));
  EQUAL(TWO("xor.b32", X, Y), X ^ Y);
  if (Y) {
    EQUAL(TWO("div.u32", X, Y), X / Y);
    EQUAL(TWO("rem.u32", X, Y), X % Y);
  }
  EQUAL(ONE("not.b32", X), ~X);
  EQUAL(ONE("neg.s32", X), 0 - X);
  EQUAL(ONE("abs.s32", X), (int)X < 0 ? 0 - X : X);
  EQUAL(ONE("popc.b32", X), (Word)__popc(X));
  EQUAL(ONE("clz.b32", X), (Word)__clz(X));
  EQUAL(ONE("brev.b32", X), __brev(X));
  EQUAL(ONE("bfind.u32", X), 31 - (Word)__clz(X));
  EQUAL(THREE("bfe.u32", X, Y, Z), field(X, Y, Z, false));
  EQUAL(THREE("bfe.s32", X, Y, Z), field(X, Y, Z, true));
  EQUAL(THREE("prmt.b32", X, Y, Z), permuted(X, Y, Z));
  EQUAL(THREE("shf.l.wrap.b32", X, Y, Z), __funnelshift_l(X, Y, Z));
  EQUAL(THREE("shf.r.wrap.b32", X, Y, Z), __funnelshift_r(X, Y, Z));
  EQUAL(THREE("shf.l.clamp.b32", X, Y, Z),
        Z < 32 ? __funnelshift_l(X, Y, Z) : X);
  EQUAL(THREE("shf.r.clamp.b32", X, Y, Z),
        Z < 32 ? __funnelshift_r(X, Y, Z) : Y);
  Word R;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(R) : "r"(X), "r"(Y), "r"(Z), "r"(9));
  EQUAL(R, inserted(X, Y, Z, 9));
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(R) : "r"(X), "r"(Y), "r"(Z));
  EQUAL(R, (X & Y) | (X & Z) | (Y & Z));
  asm("lop3.b32 %0, %1, %2, %3, %4;"
      : "=r"(R)
      : "r"(X), "r"(Y), "r"(Z), "n"((0xf0 & ~0xcc) ^ 0xaa));
  EQUAL(R, (X & ~Y) ^ Z);
}

__device__ void widths(Word X, Word Y) {
  Long R;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(R) : "r"(X), "r"(Y));
  EQUAL(R, (Long)X * Y);
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(R) : "r"(X), "r"(Y));
  EQUAL(R, (Long)((long long)(int)X * (int)Y));
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(R) : "r"(X), "r"(Y), "l"(-1ll));
  EQUAL(R, (Long)X * Y - 1);
  asm("mul.hi.u64 %0, %1, %1;" : "=l"(R) : "l"(wide(X, Y)));
  EQUAL(R, __umul64hi(wide(X, Y), wide(X, Y)));
  asm("shl.b64 %0, %1, %2;" : "=l"(R) : "l"(wide(X, Y)), "r"(Y));
  EQUAL(R, Y < 64 ? wide(X, Y) << Y : 0);
  asm("mov.b64 %0, {%1, %2};" : "=l"(R) : "r"(X), "r"(Y));
  EQUAL(R, wide(X, Y));
  Word Low, High;
  asm("{ // in halves\n\t.reg .b64 t;\n\tadd.u64 t, %2, 1;\n\t"
      "mov.b64 {%0, %1}, t; }"
      : "=r"(Low), "=r"(High)
      : "l"(R));
  EQUAL(wide(Low, High), R + 1);
  asm("cvt.s64.s32 %0, %1;" : "=l"(R) : "r"(X));
  EQUAL(R, (Long)(int)X);
  asm("cvt.u64.u32 %0, %1;" : "=l"(R) : "r"(X));
  EQUAL(R, X);
  EQUAL(ONE("cvt.s8.s32", X), (Word)(signed char)X);
  EQUAL(ONE("cvt.u16.u32", X), X & 0xffff);
}

__device__ void predicates(Word X, Word Y) {
  Word R;
  asm("{ .reg .pred p, q; setp.lt.s32 p, %1, %2; setp.hi.u32 q, %1, 6;\n"
      " and.pred p, p, q; selp.u32 %0, 3, 0x4U, p; }"
      : "=r"(R)
      : "r"(X), "r"(Y));
  EQUAL(R, (int)X < (int)Y && X > 6 ? 3 : 4);
}

// What does not hold is not done: nothing is at address 0.
__device__ void guards(Word X, Word Y) {
  __shared__ Word S[64];
  S[threadIdx.x] = 5;
  Word R, *P = X & 1 ? &S[threadIdx.x] : nullptr;
  asm volatile("{ .reg .pred p; setp.ne.u64 p, %1, 0; mov.b32 %0, %2;\n"
               " @p ld.u32 %0, [%1]; @!p add.u32 %0, %0, 1; @p st.u32 [%1], "
               "%3; }"
               : "=&r"(R)
               : "l"(P), "r"(Y), "r"(X)
               : "memory");
  EQUAL(R, P ? 5 : Y + 1);
  EQUAL(S[threadIdx.x], P ? X : 5);
  Long Wide;
  asm("{ .reg .pred p; setp.eq.u32 p, %2, 7; mov.u64 %0, %1;\n"
      " @p cvt.u64.u32 %0, %2; }"
      : "=&l"(Wide)
      : "l"(wide(X, Y)), "r"(X));
  EQUAL(Wide, X == 7 ? 7 : wide(X, Y));
  // What was nothing before is 0.
  asm("{ .reg .pred p; setp.eq.u32 p, %1, 7; @p mov.u32 %0, 9; }"
      : "=r"(R)
      : "r"(X));
  EQUAL(R, X == 7 ? 9 : 0);
}

__device__ void floats(float X, float Y, float Z) {
  float R;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(R) : "f"(X), "f"(Y), "f"(Z));
  EQUAL(bits(R), bits(fmaf(X, Y, Z)));
  asm("add.rn.f32 %0, %1, %2;" : "=f"(R) : "f"(X), "f"(Y));
  EQUAL(bits(R), bits(X + Y));
  asm("{ .reg .f32 t; mul.f32 t, %1, %2; sub.f32 %0, t, 0f3F800000; }"
      : "=f"(R)
      : "f"(X), "f"(Y));
  EQUAL(bits(R), bits(X * Y - 1));
  asm("div.rn.f32 %0, %1, %2;" : "=f"(R) : "f"(X), "f"(Y));
  EQUAL(bits(R), bits(X / Y));
  asm("rcp.rn.f32 %0, %1;" : "=f"(R) : "f"(X));
  EQUAL(bits(R), bits(1 / X));
  asm("sqrt.rn.f32 %0, %1;" : "=f"(R) : "f"(fabsf(X)));
  EQUAL(bits(R), bits(sqrtf(fabsf(X))));
  asm("{ neg.f32 %0, %1; abs.f32 %0, %0; }" : "=&f"(R) : "f"(X));
  EQUAL(bits(R), bits(fabsf(X)));
  double D;
  asm("cvt.f64.f32 %0, %1; fma.rn.f64 %0, %0, %2, %2;"
      : "=&d"(D)
      : "f"(X), "d"(0.1));
  EQUAL(__double_as_longlong(D), __double_as_longlong(fma((double)X, 0.1, 0.1)));
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(R) : "d"(D));
  EQUAL(bits(R), bits((float)D));
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(R) : "r"(-16777217));
  EQUAL(bits(R), bits(-16777216.0f));
  int I;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(I) : "f"(Y));
  EQUAL((Word)I, Y >= 2147483648.0f ? 0x7fffffffu : Y != Y ? 0 : (Word)(int)Y);
}

// What is no number loses against one, and -0 is less than 0.
__device__ void extremes() {
  float R;
  asm("min.f32 %0, %1, %2;" : "=f"(R) : "f"(NAN), "f"(2.0f));
  EQUAL(bits(R), bits(2));
  asm("min.f32 %0, %1, %2;" : "=f"(R) : "f"(0.0f), "f"(-0.0f));
  EQUAL(bits(R), bits(-0.0f));
  asm("max.f32 %0, %1, %2;" : "=f"(R) : "f"(-0.0f), "f"(0.0f));
  EQUAL(bits(R), 0);
  Word P;
  asm("{ .reg .pred p; setp.ne.f32 p, %1, %1; selp.b32 %0, 1, 0, p; }"
      : "=r"(P)
      : "f"(NAN));
  EQUAL(P, 0);
  asm("{ .reg .pred p; setp.neu.f32 p, %1, %1; selp.b32 %0, 1, 0, p; }"
      : "=r"(P)
      : "f"(NAN));
  EQUAL(P, 1);
}

__global__ void arithmetic() {
  Word X = Numbers[threadIdx.x % Count], Y = Numbers[threadIdx.x / Count];
  for (Word Z : Numbers)
    integers(X, Y, Z);
  widths(X, Y);
  predicates(X, Y);
  guards(X, Y);
  const float Floats[Count] = {0, 1, -1.5f, 0.1f, 1e-40f, 3e9f, -7e20f, 33};
  for (float Z : Floats)
    floats(Floats[threadIdx.x % Count], Floats[threadIdx.x / Count], Z);
  extremes();
}

__global__ void memory(float *F, signed char *Bytes, Long *Sum) {
  __shared__ int S[64];
  int T = threadIdx.x, R;
  float X, Y;
  asm volatile("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2];"
               : "=f"(X), "=f"(Y)
               : "l"(F + 2 * T));
  EQUAL(bits(X + Y), bits(4.0f * T + 1));
  asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(F + 2 * T), "f"(Y),
               "f"(X)
               : "memory");
  EQUAL(bits(F[2 * T]), bits(2.0f * T + 1));
  asm volatile("ld.global.s8 %0, [%1+1];" : "=r"(R) : "l"(Bytes));
  EQUAL((Word)R, (Word)-5);
  // An address in shared memory, in 64 and in 32 bits.
  Long Generic = (Long)&S[T];
  Word Small = (Word)__cvta_generic_to_shared(&S[T]);
  EQUAL(Small % 4096, 4 * T);
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %0;"
               " st.volatile.shared.s32 [t], %1; }" ::"l"(Generic),
               "r"(T * T)
               : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  Small = Small ^ 4;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(R) : "r"(Small));
  EQUAL((Word)R, (Word)((T ^ 1) * (T ^ 1)));
  EQUAL((Long)__cvta_shared_to_generic(Small), (Long)&S[T ^ 1]);
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(Sum),
               "l"((Long)T)
               : "memory");
  asm volatile("atom.global.max.s32 %0, [%1], %2;"
               : "=r"(R)
               : "l"((int *)(Sum + 1)), "r"(T)
               : "memory");
  asm volatile("atom.acq_rel.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(R)
               : "l"((int *)(Sum + 2)), "r"(7), "r"(T + 8)
               : "memory");
}

// Copies of a group come when it is waited for, not before.
__global__ void groups(const int *In) {
  __shared__ __align__(16) int S[4][64];
  int T = threadIdx.x;
  for (int I = 0; I < 4; ++I)
    S[I][T] = -1;
  for (int I = 0; I < 3; ++I) {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" ::"r"(
                     (Word)__cvta_generic_to_shared(&S[I][T])),
                 "l"(In + T)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  // Of 4 bytes none or two are loaded; in no group.
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   (Word)__cvta_generic_to_shared(&S[3][T])),
               "l"(T % 2 ? In + T : nullptr), "r"(T % 2 * 2)
               : "memory");
  for (int Left = 3; Left >= 0; --Left) {
    if (Left == 3)
      asm volatile("cp.async.wait_group 3;" ::: "memory");
    else if (Left == 2)
      asm volatile("cp.async.wait_group %0;" ::"n"(2) : "memory");
    else
      asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 1;\n"
                   " @p cp.async.wait_group 1; @!p cp.async.wait_group 0; }" ::
                       "r"(Left)
                   : "memory");
    for (int I = 0; I < 3; ++I)
      EQUAL((Word)S[I][T], I < 3 - Left ? (Word)In[T] : (Word)-1);
    EQUAL((Word)S[3][T], (Word)-1);
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  EQUAL((Word)S[3][T], T % 2 ? In[T] & 0xffff : 0);
}

__global__ void warps() {
  Word L, Mask, R, All = 0xffffffff;
  asm("mov.u32 %0, %%laneid;" : "=r"(L));
  EQUAL(L, threadIdx.x % 32);
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(Mask));
  EQUAL(Mask, (1u << L) - 1);
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(Mask));
  EQUAL(Mask, ~((1u << L) - 1));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(Mask));
  EQUAL(Mask, L == 31 ? 0 : ~((2u << L) - 1));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;"
               : "=r"(R)
               : "r"(L));
  EQUAL(R, L ^ 1);
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, %3;"
               : "=r"(R)
               : "r"(L), "r"(2), "r"(All));
  EQUAL(R, L < 2 ? L : L - 2);
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x181f, %3;"
               : "=r"(R)
               : "r"(L), "r"(1), "r"(All));
  EQUAL(R, L % 8 == 7 ? L : L + 1);
  // Sums of what stands before, by what says whether it is there.
  asm volatile("{ .reg .pred p; .reg .u32 t;\n"
               " shfl.sync.up.b32 t|p, %1, 1, 0x1000, -1; mov.u32 %0, %1;\n"
               " @p add.u32 %0, %0, t; }"
               : "=&r"(R)
               : "r"(L));
  EQUAL(R, L % 16 ? 2 * L - 1 : L);
  Word In[3];
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %3, 9, 31, -1;\n"
               " selp.u32 %0, 1, 0, p;\n"
               " shfl.sync.bfly.b32 %1|p, %3, 9, 0x181f, -1;\n"
               " selp.u32 %1, 1, 0, p;\n"
               " shfl.sync.idx.b32 %2|p, %3, 9, 31, -1;\n"
               " selp.u32 %2, 1, 0, p; }"
               : "=&r"(In[0]), "=&r"(In[1]), "=&r"(In[2])
               : "r"(L));
  EQUAL(In[0], L + 9 < 32);
  EQUAL(In[1], (L ^ 9) <= (L | 7)); // also in a part before its own
  EQUAL(In[2], 1);
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 29;"
               " vote.sync.ballot.b32 %0, p, %2; }"
               : "=r"(R)
               : "r"(L), "r"(All));
  EQUAL(R, 0xc0000000);
  asm volatile("redux.sync.min.s32 %0, %1, %2;"
               : "=r"(R)
               : "r"((int)L - 3), "r"(All));
  EQUAL(R, (Word)-3);
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  asm volatile("match.any.sync.b32 %0, %1, %2;"
               : "=r"(R)
               : "r"(L / 16), "r"(All));
  EQUAL(R, L < 16 ? 0xffff : 0xffff0000);
}

int main() {
  float *F;
  signed char *Bytes;
  Long *Sum;
  cudaMallocManaged(&F, 128 * sizeof(float));
  cudaMallocManaged(&Bytes, 2);
  cudaMallocManaged(&Sum, 3 * sizeof(Long));
  for (int I = 0; I < 128; ++I)
    F[I] = I;
  Bytes[1] = -5;
  Sum[0] = 0, Sum[1] = 0, Sum[2] = 7;
  arithmetic<<<1, Count * Count>>>();
  memory<<<1, 64>>>(F, Bytes, Sum);
  groups<<<1, 64>>>((const int *)F);
  warps<<<1, 64>>>();
  int N = 0;
  cudaMemcpyFromSymbol(&N, Failures, sizeof(N));
  printf("PTX: %d failures, %llu, %llu, swapped: %d\n", N, Sum[0], Sum[1],
         Sum[2] >= 8 && Sum[2] < 72);
}
