// The overloads of __match_*_sync over what clang's intrinsics header offers.
#pragma once
#define CATT_MATCH(Type, Width, As)                                            \
  static inline __device__ unsigned __match_any_sync(unsigned Mask,            \
                                                     Type Value) {             \
    return __match##Width##_any_sync(Mask, __builtin_bit_cast(As, Value));     \
  }                                                                            \
  static inline __device__ unsigned __match_all_sync(unsigned Mask,            \
                                                     Type Value, int *All) {   \
    return __match##Width##_all_sync(Mask, __builtin_bit_cast(As, Value),      \
                                     All);                                     \
  }
CATT_MATCH(int, 32, unsigned)
CATT_MATCH(unsigned, 32, unsigned)
CATT_MATCH(float, 32, unsigned)
CATT_MATCH(long, 64, unsigned long)
CATT_MATCH(unsigned long, 64, unsigned long)
CATT_MATCH(long long, 64, unsigned long long)
CATT_MATCH(unsigned long long, 64, unsigned long long)
CATT_MATCH(double, 64, unsigned long long)
#undef CATT_MATCH
