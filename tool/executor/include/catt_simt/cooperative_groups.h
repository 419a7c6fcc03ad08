//===- cooperative_groups.h - Groups of a block, on the executor -*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// thread_block, grid_group, thread_block_tile<1..512>, coalesced_group and
// reduce(). Clusters, asynchronous copies and barriers split in two are not
// here.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_SIMT_COOPERATIVE_GROUPS_H
#define CATT_SIMT_COOPERATIVE_GROUPS_H

#include "catt_simt/device.h"

namespace cooperative_groups {

namespace details {
CATT_DEV unsigned linearThread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
CATT_DEV unsigned laneId() { return linearThread() % 32; }
} // namespace details

class thread_block {
public:
  CATT_MEMBER void sync() const { __syncthreads(); }
  CATT_MEMBER unsigned thread_rank() const { return details::linearThread(); }
  CATT_MEMBER unsigned num_threads() const {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  CATT_MEMBER unsigned size() const { return num_threads(); }
  CATT_MEMBER dim3 group_index() const { return blockIdx; }
  CATT_MEMBER dim3 thread_index() const { return threadIdx; }
  CATT_MEMBER dim3 dim_threads() const { return blockDim; }
  CATT_MEMBER dim3 group_dim() const { return blockDim; }
};
CATT_DEV thread_block this_thread_block() { return {}; }

/// Its barrier opens if all blocks are resident: in cooperative launches.
class grid_group {
public:
  CATT_MEMBER void sync() const { catt_simt_grid(nullptr); }
  CATT_MEMBER bool is_valid() const { return true; }
  CATT_MEMBER unsigned long long thread_rank() const {
    unsigned long long Block =
        (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return Block * (blockDim.x * blockDim.y * blockDim.z) +
           details::linearThread();
  }
  CATT_MEMBER unsigned long long num_threads() const {
    return 1ull * gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y *
           blockDim.z;
  }
  CATT_MEMBER unsigned long long size() const { return num_threads(); }
};
CATT_DEV grid_group this_grid() { return {}; }

/// Lanes of one warp; what tiles and coalesced groups have in common. Ranks
/// count the set bits of Mask.
class WarpGroup {
public:
  CATT_MEMBER void sync() const { __syncwarp(Mask); }
  CATT_MEMBER unsigned num_threads() const { return __popc(Mask); }
  CATT_MEMBER unsigned size() const { return num_threads(); }
  CATT_MEMBER unsigned thread_rank() const {
    return __popc(Mask & ((1u << details::laneId()) - 1));
  }
  template <class T> CATT_MEMBER T shfl(T V, int Rank) const {
    return __shfl_sync(Mask, V, lane(Rank));
  }
  template <class T> CATT_MEMBER T shfl_up(T V, unsigned By) const {
    int From = int(thread_rank()) - int(By);
    return __shfl_sync(Mask, V, From < 0 ? details::laneId() : lane(From));
  }
  template <class T> CATT_MEMBER T shfl_down(T V, unsigned By) const {
    unsigned From = thread_rank() + By;
    return __shfl_sync(Mask, V,
                       From >= size() ? details::laneId() : lane(From));
  }
  template <class T> CATT_MEMBER T shfl_xor(T V, unsigned With) const {
    unsigned From = thread_rank() ^ With;
    return __shfl_sync(Mask, V,
                       From >= size() ? details::laneId() : lane(From));
  }
  CATT_MEMBER int any(int P) const { return __any_sync(Mask, P); }
  CATT_MEMBER int all(int P) const { return __all_sync(Mask, P); }
  CATT_MEMBER unsigned ballot(int P) const {
    return ranks(__ballot_sync(Mask, P));
  }
  template <class T> CATT_MEMBER unsigned match_any(T V) const {
    return ranks(__match_any_sync(Mask, V));
  }
  template <class T> CATT_MEMBER unsigned match_all(T V, int &P) const {
    return ranks(__match_all_sync(Mask, V, &P));
  }

protected:
  CATT_MEMBER explicit WarpGroup(unsigned M) : Mask(M) {}
  CATT_MEMBER unsigned lane(unsigned Rank) const {
    unsigned M = Mask;
    while (Rank--)
      M &= M - 1;
    return __ffs(M) - 1;
  }
  /// Lanes as ranks.
  CATT_MEMBER unsigned ranks(unsigned Lanes) const {
    unsigned Result = 0, Rank = 0;
    for (unsigned M = Mask; M; M &= M - 1)
      Result |= unsigned((Lanes & M & -M) != 0) << Rank++;
    return Result;
  }
  unsigned Mask;
};

template <unsigned N, class Parent = void, bool OfWarps = (N > 32)>
class thread_block_tile : public WarpGroup {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16, 32 or more threads");

public:
  CATT_MEMBER thread_block_tile() : WarpGroup(mask()) {}
  /// A tile that has forgotten what it is a part of.
  template <class P>
  CATT_MEMBER thread_block_tile(const thread_block_tile<N, P> &)
      : WarpGroup(mask()) {}
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  CATT_MEMBER unsigned thread_rank() const { return details::laneId() % N; }
  CATT_MEMBER unsigned meta_group_rank() const {
    return details::linearThread() / N;
  }
  CATT_MEMBER unsigned meta_group_size() const {
    return (blockDim.x * blockDim.y * blockDim.z + N - 1) / N;
  }

private:
  CATT_MEMBER static unsigned mask() {
    return (N == 32 ? ~0u : (1u << N % 32) - 1)
           << (details::laneId() & ~(N - 1));
  }
};

/// Several warps, which meet at a barrier behind PTX's sixteen.
template <unsigned N, class Parent> class thread_block_tile<N, Parent, true> {
public:
  thread_block_tile() = default;
  template <class P>
  CATT_MEMBER thread_block_tile(const thread_block_tile<N, P> &) {}
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  CATT_MEMBER unsigned thread_rank() const {
    return details::linearThread() % N;
  }
  CATT_MEMBER unsigned meta_group_rank() const {
    return details::linearThread() / N;
  }
  CATT_MEMBER void sync() const {
    catt_simt_named(16 + meta_group_rank(), N, 1, nullptr);
  }
};

template <unsigned N, class Parent>
CATT_DEV thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  return {};
}

class coalesced_group : public WarpGroup {
public:
  CATT_MEMBER explicit coalesced_group(unsigned M) : WarpGroup(M) {}
};
CATT_DEV coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

template <class G> CATT_DEV void sync(const G &Group) { Group.sync(); }

template <class T> struct plus {
  CATT_MEMBER T operator()(T A, T B) const { return A + B; }
};
template <class T> struct less {
  CATT_MEMBER T operator()(T A, T B) const { return B < A ? B : A; }
};
template <class T> struct greater {
  CATT_MEMBER T operator()(T A, T B) const { return A < B ? B : A; }
};

/// Every lane folds in the same order, so that all get the same bits.
template <class G, class T, class F>
CATT_DEV T reduce(const G &Group, T V, F Op) {
  T Result = Group.shfl(V, 0);
  for (unsigned I = 1; I < Group.size(); ++I)
    Result = Op(Result, Group.shfl(V, I));
  return Result;
}

} // namespace cooperative_groups

#endif
