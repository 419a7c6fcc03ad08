// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetches through texture and surface objects, declared only: no address is
// computed from them, since they do not go through L1 as global loads do.
#pragma once

#define CATT_FETCH(Name, ...)                                                  \
  template <class T>                                                           \
  __device__ T Name(cudaTextureObject_t Texture, __VA_ARGS__);                 \
  template <class T>                                                           \
  __device__ void Name(T *Value, cudaTextureObject_t Texture, __VA_ARGS__);
CATT_FETCH(tex1Dfetch, int X)
CATT_FETCH(tex1D, float X)
CATT_FETCH(tex2D, float X, float Y)
CATT_FETCH(tex3D, float X, float Y, float Z)
CATT_FETCH(tex1DLayered, float X, int Layer)
CATT_FETCH(tex2DLayered, float X, float Y, int Layer)
CATT_FETCH(texCubemap, float X, float Y, float Z)
CATT_FETCH(texCubemapLayered, float X, float Y, float Z, int Layer)
CATT_FETCH(tex2Dgather, float X, float Y, int Component = 0)
CATT_FETCH(tex1DLod, float X, float Level)
CATT_FETCH(tex2DLod, float X, float Y, float Level)
CATT_FETCH(tex3DLod, float X, float Y, float Z, float Level)
#undef CATT_FETCH

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2,
};
#define CATT_SURFACE(Suffix, ...)                                              \
  template <class T>                                                           \
  __device__ T surf##Suffix##read(cudaSurfaceObject_t Surface, __VA_ARGS__,    \
                                  cudaSurfaceBoundaryMode Mode =               \
                                      cudaBoundaryModeTrap);                   \
  template <class T>                                                           \
  __device__ void surf##Suffix##read(                                          \
      T *Value, cudaSurfaceObject_t Surface, __VA_ARGS__,                      \
      cudaSurfaceBoundaryMode Mode = cudaBoundaryModeTrap);                    \
  template <class T>                                                           \
  __device__ void surf##Suffix##write(                                         \
      T Value, cudaSurfaceObject_t Surface, __VA_ARGS__,                       \
      cudaSurfaceBoundaryMode Mode = cudaBoundaryModeTrap);
CATT_SURFACE(1D, int X)
CATT_SURFACE(2D, int X, int Y)
CATT_SURFACE(3D, int X, int Y, int Z)
CATT_SURFACE(2DLayered, int X, int Y, int Layer)
#undef CATT_SURFACE
