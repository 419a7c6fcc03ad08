// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions that CUDA adds to <cmath>, for host code. Device code
// has clang's.
#pragma once

extern "C" {
__host__ double rsqrt(double X) noexcept;
__host__ float rsqrtf(float X) noexcept;
__host__ double rcbrt(double X) noexcept;
__host__ float rcbrtf(float X) noexcept;
__host__ double sinpi(double X) noexcept;
__host__ float sinpif(float X) noexcept;
__host__ double cospi(double X) noexcept;
__host__ float cospif(float X) noexcept;
__host__ double erfcinv(double X) noexcept;
__host__ float erfcinvf(float X) noexcept;
__host__ double erfinv(double X) noexcept;
__host__ float erfinvf(float X) noexcept;
__host__ double normcdfinv(double X) noexcept;
__host__ float normcdfinvf(float X) noexcept;
__host__ double normcdf(double X) noexcept;
__host__ float normcdff(float X) noexcept;
__host__ double erfcx(double X) noexcept;
__host__ float erfcxf(float X) noexcept;
__host__ double cyl_bessel_i0(double X) noexcept;
__host__ float cyl_bessel_i0f(float X) noexcept;
__host__ double cyl_bessel_i1(double X) noexcept;
__host__ float cyl_bessel_i1f(float X) noexcept;
__host__ void sincospi(double X, double *S, double *C) noexcept;
__host__ void sincospif(float X, float *S, float *C) noexcept;
__host__ double rhypot(double X, double Y) noexcept;
__host__ float rhypotf(float X, float Y) noexcept;
}
static inline __host__ float rsqrt(float X) { return rsqrtf(X); }
static inline __host__ float rcbrt(float X) { return rcbrtf(X); }
static inline __host__ float sinpi(float X) { return sinpif(X); }
static inline __host__ float cospi(float X) { return cospif(X); }
static inline __host__ float erfcinv(float X) { return erfcinvf(X); }
static inline __host__ float erfinv(float X) { return erfinvf(X); }
static inline __host__ float normcdfinv(float X) { return normcdfinvf(X); }
static inline __host__ float normcdf(float X) { return normcdff(X); }
static inline __host__ float erfcx(float X) { return erfcxf(X); }
static inline __host__ float cyl_bessel_i0(float X) {
  return cyl_bessel_i0f(X);
}
static inline __host__ float cyl_bessel_i1(float X) {
  return cyl_bessel_i1f(X);
}
