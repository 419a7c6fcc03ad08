#include <cstdio>
int columns();
int seven();
int main() { std::printf(GREETING, columns(), seven()); }
