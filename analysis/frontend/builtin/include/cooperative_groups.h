// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups' basics. Part of catt-rewrite's stand-in for a CUDA
// toolkit, written from the CUDA C++ Programming Guide, "Cooperative Groups".
// Ranks and sizes are computed, so that an index made of them can be followed,
// and what waits is made of what waits, so that groups are judged by what they
// reach. The two functions without a body stand for what no primitive of
// clang's headers says for every architecture.
#pragma once
#include "cuda_runtime.h"
#pragma GCC system_header

extern "C" __device__ void __catt_waits_for_the_grid(void);
extern "C" __device__ void __catt_waits_for_the_cluster(void);

namespace cooperative_groups {

#define CATT_CG __device__ inline
#define CATT_CG_STATIC static __device__ inline

/// Any group; what its handle knows is its size and the rank in it.
class thread_group {
public:
  CATT_CG void sync() const {
    if (Size > 32)
      __syncthreads();
    else
      __syncwarp();
  }
  CATT_CG unsigned long long size() const { return Size; }
  CATT_CG unsigned long long num_threads() const { return Size; }
  CATT_CG unsigned long long thread_rank() const { return Rank; }
  CATT_CG bool is_valid() const { return Size != 0; }

protected:
  CATT_CG thread_group(unsigned Size, unsigned Rank) : Size(Size), Rank(Rank) {}
  unsigned Size, Rank;
  friend __device__ inline thread_group tiled_partition(const thread_group &,
                                                        unsigned);
};

class thread_block : public thread_group {
public:
  struct arrival_token {};
  CATT_CG_STATIC void sync() { __syncthreads(); }
  CATT_CG_STATIC unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  CATT_CG_STATIC unsigned size() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  CATT_CG_STATIC unsigned num_threads() { return size(); }
  CATT_CG_STATIC dim3 group_index() { return blockIdx; }
  CATT_CG_STATIC dim3 thread_index() { return threadIdx; }
  CATT_CG_STATIC dim3 group_dim() { return blockDim; }
  CATT_CG_STATIC dim3 dim_threads() { return blockDim; }
  CATT_CG arrival_token barrier_arrive() const { return {}; }
  CATT_CG void barrier_wait(arrival_token &&) const { __syncthreads(); }

private:
  CATT_CG thread_block() : thread_group(size(), thread_rank()) {}
  friend __device__ inline thread_block this_thread_block();
};
CATT_CG thread_block this_thread_block() { return thread_block(); }

class grid_group {
public:
  struct arrival_token {};
  CATT_CG void sync() const { __catt_waits_for_the_grid(); }
  CATT_CG arrival_token barrier_arrive() const {
    __catt_waits_for_the_grid();
    return {};
  }
  CATT_CG void barrier_wait(arrival_token &&) const {
    __catt_waits_for_the_grid();
  }
  CATT_CG bool is_valid() const { return true; }
  CATT_CG_STATIC unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) *
               gridDim.x +
           blockIdx.x;
  }
  CATT_CG_STATIC unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  CATT_CG_STATIC unsigned long long size() {
    return num_blocks() * thread_block::size();
  }
  CATT_CG_STATIC unsigned long long num_threads() { return size(); }
  CATT_CG_STATIC unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  CATT_CG_STATIC dim3 group_dim() { return gridDim; }
  CATT_CG_STATIC dim3 dim_blocks() { return gridDim; }
  CATT_CG_STATIC dim3 block_index() { return blockIdx; }
};
CATT_CG grid_group this_grid() { return grid_group(); }

/// Threads that happen to be together.
class coalesced_group : public thread_group {
public:
  CATT_CG void sync() const { __syncwarp(Mask); }
  CATT_CG unsigned size() const { return Size; }
  CATT_CG unsigned num_threads() const { return Size; }
  CATT_CG unsigned thread_rank() const { return Rank; }
  CATT_CG unsigned meta_group_size() const { return 1; }
  CATT_CG unsigned meta_group_rank() const { return 0; }
  CATT_CG int any(int Value) const { return __any_sync(Mask, Value); }
  CATT_CG int all(int Value) const { return __all_sync(Mask, Value); }
  CATT_CG unsigned ballot(int Value) const {
    return __ballot_sync(Mask, Value);
  }
  template <class T> CATT_CG T shfl(T Value, unsigned Source) const {
    return __shfl_sync(Mask, Value, Source);
  }
  template <class T> CATT_CG T shfl_down(T Value, unsigned Delta) const {
    return __shfl_down_sync(Mask, Value, Delta);
  }
  template <class T> CATT_CG T shfl_up(T Value, unsigned Delta) const {
    return __shfl_up_sync(Mask, Value, Delta);
  }

private:
  CATT_CG explicit coalesced_group(unsigned Mask)
      : thread_group(__popc(Mask), 0), Mask(Mask) {}
  unsigned Mask;
  friend __device__ inline coalesced_group coalesced_threads();
  template <class G>
  friend __device__ coalesced_group binary_partition(const G &, bool);
  template <class T, class G>
  friend __device__ coalesced_group labeled_partition(const G &, T);
};
CATT_CG coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// N threads with neighbouring ranks, N a power of two.
template <unsigned N, class Parent = void> class thread_block_tile {
public:
  CATT_CG thread_block_tile() {}
  template <class Other>
  CATT_CG thread_block_tile(const thread_block_tile<N, Other> &) {}
  CATT_CG void sync() const {
    if constexpr (N > 32)
      __syncthreads();
    else
      __syncwarp();
  }
  CATT_CG_STATIC constexpr unsigned size() { return N; }
  CATT_CG_STATIC constexpr unsigned num_threads() { return N; }
  CATT_CG_STATIC unsigned thread_rank() {
    return thread_block::thread_rank() % N;
  }
  CATT_CG_STATIC unsigned meta_group_rank() {
    return thread_block::thread_rank() / N;
  }
  CATT_CG_STATIC unsigned meta_group_size() {
    return (thread_block::size() + N - 1) / N;
  }
  CATT_CG int any(int Value) const { return __any_sync(~0u, Value); }
  CATT_CG int all(int Value) const { return __all_sync(~0u, Value); }
  CATT_CG unsigned ballot(int Value) const { return __ballot_sync(~0u, Value); }
  template <class T> CATT_CG T shfl(T Value, int Source) const {
    return __shfl_sync(~0u, Value, Source, N);
  }
  template <class T> CATT_CG T shfl_down(T Value, unsigned Delta) const {
    return __shfl_down_sync(~0u, Value, Delta, N);
  }
  template <class T> CATT_CG T shfl_up(T Value, unsigned Delta) const {
    return __shfl_up_sync(~0u, Value, Delta, N);
  }
  template <class T> CATT_CG T shfl_xor(T Value, unsigned Lanes) const {
    return __shfl_xor_sync(~0u, Value, Lanes, N);
  }
  template <class T> CATT_CG unsigned match_any(T Value) const {
    return __match_any_sync(~0u, Value);
  }
  template <class T> CATT_CG unsigned match_all(T Value, int &All) const {
    return __match_all_sync(~0u, Value, &All);
  }
  CATT_CG operator thread_group() const;
};

template <unsigned N, class Parent>
CATT_CG thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  return {};
}
CATT_CG thread_group tiled_partition(const thread_group &G, unsigned N) {
  return thread_group(N, G.Rank % N);
}
template <class G>
__device__ coalesced_group binary_partition(const G &, bool Where) {
  return coalesced_group(__ballot_sync(__activemask(), Where));
}
template <class T, class G>
__device__ coalesced_group labeled_partition(const G &, T Label) {
  return coalesced_group(__match_any_sync(__activemask(), Label));
}

class cluster_group {
public:
  CATT_CG_STATIC void sync() { __catt_waits_for_the_cluster(); }
  CATT_CG_STATIC void barrier_arrive() { __catt_waits_for_the_cluster(); }
  CATT_CG_STATIC void barrier_wait() { __catt_waits_for_the_cluster(); }
  static __device__ unsigned block_rank();
  static __device__ unsigned num_blocks();
  static __device__ unsigned thread_rank();
  static __device__ unsigned num_threads();
  static __device__ dim3 block_index();
  static __device__ dim3 dim_blocks();
  template <class T> CATT_CG_STATIC T *map_shared_rank(T *Address, int) {
    return Address;
  }
};
CATT_CG cluster_group this_cluster() { return cluster_group(); }

template <class G> CATT_CG void sync(const G &Group) { Group.sync(); }
template <class G> CATT_CG auto thread_rank(const G &Group) {
  return Group.thread_rank();
}
template <class G> CATT_CG auto group_size(const G &Group) {
  return Group.size();
}
template <class G, class F>
CATT_CG auto invoke_one(const G &Group, F &&Function) {
  if (Group.thread_rank() == 0)
    Function();
}

#undef CATT_CG_STATIC
#undef CATT_CG

} // namespace cooperative_groups
