// Columns and structs in C: the sum of one, and memcpy of the other.
//
// Reads one command a line and answers with one line:
//   sum ROWS PASSES          -> the sum of the numbers below ROWS, times PASSES
//   copy BYTES COUNT PASSES  -> the last number of COUNT structs of BYTES bytes, each copied PASSES
//                               times to a place of its own; their numbers are those from 0 on
// A wrong command is answered by a line that begins with "error".
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t *column;
static int64_t filled;

static int fill(int64_t rows) {
  if (filled == rows) return 1;
  free(column);
  column = malloc(rows * sizeof *column);
  filled = column ? rows : 0;
  for (int64_t i = 0; i < filled; i++) column[i] = (int32_t)i;
  return column != 0;
}

static int64_t sum(const int32_t *column, int64_t rows) {
  int64_t sum = 0;
  for (int64_t i = 0; i < rows; i++) sum += column[i];
  return sum;
}

static void answer_sum(int64_t rows, int64_t passes) {
  int64_t total = 0;
  if (!fill(rows)) {
    printf("error no memory for %lld rows\n", (long long)rows);
    return;
  }
  for (int64_t pass = 0; pass < passes; pass++) {
    __asm__ volatile("" : : "r"(column) : "memory"); // each pass reads it anew
    total += sum(column, rows);
  }
  printf("%lld\n", (long long)total);
}

static void answer_copy(int64_t bytes, int64_t count, int64_t passes) {
  int64_t all = bytes * count;
  char *source = aligned_alloc(64, (all + 63) & -64), *target = aligned_alloc(64, (all + 63) & -64);
  if (!source || !target) printf("error no memory for %lld bytes\n", (long long)all);
  else {
    for (int64_t i = 0; i < all / 4; i++) ((int32_t *)source)[i] = (int32_t)i;
    for (int64_t pass = 0; pass < passes; pass++)
      for (int64_t i = 0; i < count; i++) {
        memcpy(target + i * bytes, source + i * bytes, bytes);
        __asm__ volatile("" : : "r"(target) : "memory"); // each copy is made
      }
    printf("%d\n", ((int32_t *)target)[all / 4 - 1]);
  }
  free(source);
  free(target);
}

int main(void) {
  char line[256];
  long long a, b, c;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "sum %lld %lld", &a, &b) == 2 && a > 0 && b > 0) answer_sum(a, b);
    else if (sscanf(line, "copy %lld %lld %lld", &a, &b, &c) == 3 && a > 3 && b > 0 && c > 0)
      answer_copy(a, b, c);
    else printf("error %s", line);
    fflush(stdout);
  }
  return 0;
}
