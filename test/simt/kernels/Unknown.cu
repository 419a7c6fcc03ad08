// Inline PTX that is refused; AssemblyTest.cpp looks for what the comments say.

#define APART(x) asm("ex2.approx.f32 %0, %0;" : "+f"(x)) // BAD ex2.approx.f32 %0, %0

__global__ void unknown(float *F, int *I, unsigned long long *L) {
  float X = F[0], Y = F[1];
  int N = I[0];
  long long W = L[0];
  // Results that are not told to the last bit.
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(X) : "f"(Y)); // BAD rcp.approx.ftz.f32 %0, %1
  asm("mul.rn.ftz.f32 %0, %0, %1;" : "+f"(X) : "f"(Y)); // BAD mul.rn.ftz.f32 %0, %0, %1
  asm("div.full.f32 %0, %0, %1;" : "+f"(X) : "f"(Y)); // BAD div.full.f32 %0, %0, %1
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(W) : "f"(Y)); // BAD cvt.rzi.s64.f32 %0, %1
  asm("add.rz.f32 %0, %0, %1;" : "+f"(X) : "f"(Y)); // BAD add.rz.f32 %0, %0, %1
  asm("cvt.f32.f64 %0, %1;" : "=f"(X) : "d"(1.5)); // BAD cvt.f32.f64 %0, %1
  APART(X);
  // Modifiers change what is done.
  asm("add.cc.u32 %0, %0, 1;" : "+r"(N)); // BAD add.cc.u32 %0, %0, 1
  asm("add.sat.s32 %0, %0, 1;" : "+r"(N)); // BAD add.sat.s32 %0, %0, 1
  asm("mul.s32 %0, %0, 3;" : "+r"(N)); // BAD mul.s32 %0, %0, 3
  asm("prmt.b32.f4e %0, %0, %0, 1;" : "+r"(N)); // BAD prmt.b32.f4e %0, %0, %0, 1
  asm("lop3.b32 %0, %0, %0, %0, %1;" : "+r"(N) : "r"(N)); // BAD lop3.b32 %0, %0, %0, %0, %1
  asm("add.f16x2 %0, %0, %0;" : "+r"(N)); // BAD add.f16x2 %0, %0, %0
  asm("setp.lt.and.s32 p, %0, 1, q; selp.s32 %0, 1, 0, p;" : "+r"(N)); // BAD setp.lt.and.s32 p, %0, 1, q
  asm("{ .reg .pred p, q; setp.eq.s32 p|q, %0, 1; }" : "+r"(N)); // BAD setp.eq.s32 p|q, %0, 1
  // Operands that stand for nothing, or for too few or too many.
  asm("mov.u32 %0, %%smid;" : "=r"(N)); // BAD mov.u32 %0, %smid
  asm("add.s32 %0, %1, later;" : "=r"(N) : "r"(N)); // BAD add.s32 %0, %1, later
  asm("add.s32 %0, %1;" : "=r"(N) : "r"(N)); // BAD add.s32 %0, %1
  asm("mov.f32 %0, 1;" : "=f"(X)); // BAD mov.f32 %0, 1
  asm("mov.f32 %0, 0d3FF0000000000000;" : "=f"(X)); // BAD mov.f32 %0, 0d3FF0000000000000
  asm("mov.b64 {%0, %1}, later;" : "=r"(N), "=r"(I[1])); // BAD mov.b64 {%0, %1}, later
  // Memory.
  asm("ld.param.u32 %0, [%1];" : "=r"(N) : "l"(I)); // BAD ld.param.u32 %0, [%1]
  asm("ld.global.v4.f32 {%0, %1}, [%2];" : "=f"(X), "=f"(Y) : "l"(F)); // BAD ld.global.v4.f32 {%0, %1}, [%2]
  asm("ld.shared::cluster.u32 %0, [%1];" : "=r"(N) : "l"(I)); // BAD ld.shared::cluster.u32 %0, [%1]
  asm("ld.global.u32 %0, %1;" : "=r"(N) : "l"(I)); // BAD ld.global.u32 %0, %1
  asm("red.global.add.f32 [%0], %1;" ::"l"(F), "f"(X)); // BAD red.global.add.f32 [%0], %1
  asm("atom.global.inc.u32 %0, [%1], 3;" : "=r"(N) : "l"(I)); // BAD atom.global.inc.u32 %0, [%1], 3
  asm("mov.u32 %0, %1;" : "=m"(N) : "r"(1)); // BAD an operand in memory
  asm("cp.async.bulk.wait_group 0;"); // BAD cp.async.bulk.wait_group 0
  asm("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %1;" ::"r"(N), "l"(I)); // BAD cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %1
  asm("cp.async.ca.shared::cluster.global [%0], [%1], 4;" ::"r"(N), "l"(I)); // BAD cp.async.ca.shared::cluster.global [%0], [%1], 4
  // Warps and control.
  asm("redux.sync.add.s32 %0|p, %0, -1;" : "+r"(N)); // BAD redux.sync.add.s32 %0|p, %0, -1
  asm("shfl.sync.up.b32 %0, %0, 1, 31, -1;" : "+r"(N)); // BAD shfl.sync.up.b32 %0, %0, 1, 31, -1
  asm("shfl.sync.idx.b32 %0, %0, 1, %1, -1;" : "+r"(N) : "r"(N)); // BAD shfl.sync.idx.b32 %0, %0, 1, %1, -1
  asm("@p bra done;"); // BAD @p bra done
  asm("{ .reg .pred p; setp.eq.s32 p, %0, 1; @p bra done; }" : "+r"(N)); // BAD @p bra done
  asm("{ .reg .pred p; setp.eq.s32 p, %0, 1; @p @p mov.u32 %0, 1; }" : "+r"(N)); // BAD @p @p mov.u32 %0, 1
  asm("@q mov.u32 %0, 1;" : "+r"(N)); // BAD @q mov.u32 %0, 1
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%1}, {%1}, {%0};" : "+d"(*(double *)L) : "d"(1.0)); // BAD mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%1}, {%1}, {%0}
  F[2] = X + N + W;
}
