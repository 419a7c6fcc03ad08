constexpr int N = 4096;
