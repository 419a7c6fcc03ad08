// Nothing is written between a loop and what belongs to it.
// RUN: for before in '[[likely]] ' '[[likely]] [[likely]] ' '__attribute__((nomerge)) ' '[ [likely] ] ' '[[/* ] */ likely]] ' ' '; do sed "s|BEFORE|$before|" %s >%t.cu; %exact --model=catt --l1d=8 %t.cu 2>%t.err >%t.out || { cat %t.err; exit 1; }; grep -q __syncthreads %t.out || { echo "$before"; cat %t.err; exit 1; }; grep -q "^ *$(printf %%s "$before" | sed 's/[][*]/\\&/g') *for (int j" %t.out || { echo "$before"; cat %t.out; exit 1; }; done
// RUN: for before in '[[unknown::word]] ' 'EMPTY ' 'CALL(1) ' '_Pragma("unroll 2") [[likely]] '; do sed "s|BEFORE|$before|" %s >%t.cu; %exact --model=catt --l1d=8 %t.cu 2>%t.err >%t.out || { cat %t.err; exit 1; }; cmp %t.cu %t.out || { echo "$before"; exit 1; }; grep -q 'in-macro' %t.err || { echo "$before"; cat %t.err; exit 1; }; done
#define EMPTY
#define CALL(x)

__global__ void rows(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  BEFORE for (int j = 0; j < 128; ++j) y[i] += A[i * 128 + j];
}

void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y, 512); }
