// The trading day in C: the same trades and the same arithmetic as the storages on the JVM.
//
// Reads one command a line and answers with one line:
//   day LAYOUT MEMORY TRADES     -> the day's balance, after recording and freeing
//   grow LAYOUT TRADES ROUNDS    -> the last ticket, after ROUNDS fillings of memory touched before
// LAYOUT is packed (13 bytes a trade) or c (16); MEMORY is malloc, or huge: one mapping in huge
// pages, kept from day to day. A wrong command is answered by a line that begins with "error".
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct __attribute__((packed)) packed_trade { int32_t ticket, amount, price; uint8_t buy; };
struct c_trade { int32_t ticket, amount, price; uint8_t buy; };

#define STORAGE(name, type)                                                                        \
  static void record_##name(type *trades, int64_t count) {                                         \
    for (int64_t i = 0; i < count; i++) {                                                          \
      trades[i].ticket = (int32_t)i;                                                               \
      trades[i].amount = (int32_t)i;                                                               \
      trades[i].price = (int32_t)i;                                                                \
      trades[i].buy = (i & 1) == 0;                                                                \
    }                                                                                              \
  }                                                                                                \
  static int64_t balance_##name(const type *trades, int64_t count) {                               \
    int64_t balance = 0;                                                                           \
    for (int64_t i = 0; i < count; i++)                                                            \
      balance += (int64_t)trades[i].amount * trades[i].price * (trades[i].buy ? 1 : -1);           \
    return balance;                                                                                \
  }

STORAGE(packed, struct packed_trade)
STORAGE(c, struct c_trade)

static void *kept;        // the mapping that huge days share
static int64_t kept_bytes;

static void *huge_pages(int64_t bytes) {
  if (kept_bytes < bytes) {
    const int64_t huge = 2 << 20;
    if (kept) munmap(kept, kept_bytes);
    kept_bytes = (bytes + huge - 1) / huge * huge;
    kept = mmap(0, kept_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (kept == MAP_FAILED) { kept = 0; kept_bytes = 0; return 0; }
    madvise(kept, kept_bytes, MADV_HUGEPAGE);
  }
  return kept;
}

static int64_t filled(int packed, void *memory, int64_t count) {
  if (packed) record_packed(memory, count); else record_c(memory, count);
  __asm__ volatile("" : : "r"(memory) : "memory"); // what was recorded has to be in memory
  return packed ? balance_packed(memory, count) : balance_c(memory, count);
}

static void appended(int packed, void *memory, int64_t count) {
  if (packed) record_packed(memory, count); else record_c(memory, count);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static int size_of(const char *layout) {
  if (!strcmp(layout, "packed")) return sizeof(struct packed_trade);
  if (!strcmp(layout, "c")) return sizeof(struct c_trade);
  return 0;
}

static void day(const char *layout, const char *memory, int64_t count) {
  int size = size_of(layout), huge = !strcmp(memory, "huge");
  if (!size || count < 0 || (!huge && strcmp(memory, "malloc"))) {
    printf("error day %s %s %lld\n", layout, memory, (long long)count);
    return;
  }
  void *trades = huge ? huge_pages(count * size) : malloc(count * size);
  if (!trades) { printf("error no memory for %lld trades\n", (long long)count); return; }
  int64_t balance = filled(size == sizeof(struct packed_trade), trades, count);
  if (!huge) free(trades);
  printf("%lld\n", (long long)balance);
}

static void grow(const char *layout, int64_t count, int64_t rounds) {
  int size = size_of(layout);
  if (!size || count < 1 || rounds < 1) {
    printf("error grow %s %lld %lld\n", layout, (long long)count, (long long)rounds);
    return;
  }
  static char *touched;
  static int64_t touched_bytes;
  if (touched_bytes < count * size) {
    free(touched);
    touched = malloc(count * size);
    touched_bytes = touched ? count * size : 0;
    if (!touched) { printf("error no memory for %lld trades\n", (long long)count); return; }
    memset(touched, 1, touched_bytes);
  }
  for (int64_t round = 0; round < rounds; round++) appended(size == sizeof(struct packed_trade), touched, count);
  struct packed_trade *packed = (void *)touched;
  struct c_trade *c = (void *)touched;
  printf("%lld\n", (long long)(size == sizeof(struct packed_trade) ? packed[count - 1].ticket : c[count - 1].ticket));
}

int main(void) {
  char line[256], first[32], second[32];
  long long a, b;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "day %31s %31s %lld", first, second, &a) == 3) day(first, second, a);
    else if (sscanf(line, "grow %31s %lld %lld", first, &a, &b) == 3) grow(first, a, b);
    else printf("error %s", line);
    fflush(stdout);
  }
  return 0;
}
