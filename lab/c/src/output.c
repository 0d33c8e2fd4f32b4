// Small writes into memory that grows without a copy, in C.
//
// Reads one command a line and answers with one line:
//   write LOAD PAGES BYTES ROUNDS   -> the bytes written, and a sum of some of them
// LOAD is mixed (pieces of the lengths that the next lines of input gave: `lengths N a b c ...`) or
// twos (numbers of two bytes). PAGES is cold (a fresh mapping for each round) or reused (one mapping,
// touched before). A wrong command is answered by a line that begins with "error".
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct output { char *at, *end; };

static int failed;

static inline void put(struct output *out, const void *from, size_t bytes) {
  if (out->at + bytes > out->end) { failed = 1; return; }
  memcpy(out->at, from, bytes);
  out->at += bytes;
}

#define LENGTHS 256
static int lengths[LENGTHS];
static char block[4096];

static void mixed(struct output *out, int64_t bytes) {
  char *until = out->at + bytes - sizeof block;
  int i = 0;
  while (out->at < until) {
    put(out, block, lengths[i & (LENGTHS - 1)]);
    i++;
  }
}

static void twos(struct output *out, int64_t bytes) {
  for (int64_t i = 0; i < bytes / 2; i++) {
    uint16_t number = __builtin_bswap16((uint16_t)i); // big-endian, as the others write it
    put(out, &number, 2);
    __asm__ volatile("" : "+r"(out->at)); // one write after the other, as a serializer does it
  }
}

static void *map(int64_t bytes) {
  void *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? 0 : memory;
}

static void writes(const char *load, const char *pages, int64_t bytes, int64_t rounds) {
  int cold = !strcmp(pages, "cold"), two = !strcmp(load, "twos");
  if ((!cold && strcmp(pages, "reused")) || (!two && strcmp(load, "mixed")) || bytes < 1 || rounds < 1) {
    printf("error write %s %s %lld %lld\n", load, pages, (long long)bytes, (long long)rounds);
    return;
  }
  static char *kept;
  static int64_t kept_bytes;
  if (!cold && kept_bytes < bytes) {
    if (kept) munmap(kept, kept_bytes);
    kept = map(bytes);
    kept_bytes = kept ? bytes : 0;
    if (!kept) { printf("error no memory for %lld bytes\n", (long long)bytes); return; }
    memset(kept, 1, bytes);
  }
  int64_t written = 0;
  failed = 0;
  for (int64_t round = 0; round < rounds; round++) {
    char *memory = cold ? map(bytes) : kept;
    if (!memory) { printf("error no memory for %lld bytes\n", (long long)bytes); return; }
    struct output out = { memory, memory + bytes };
    if (two) twos(&out, bytes); else mixed(&out, bytes);
    written = out.at - memory;
    __asm__ volatile("" : : "r"(memory) : "memory"); // what was written has to be in memory
    if (cold) munmap(memory, bytes);
  }
  if (failed) printf("error more than %lld bytes\n", (long long)bytes); else printf("%lld\n", (long long)written);
}

int main(void) {
  char line[4096], first[32], second[32];
  long long a, b;
  for (int i = 0; i < LENGTHS; i++) lengths[i] = 1;
  for (size_t i = 0; i < sizeof block; i++) block[i] = (char)i;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "write %31s %31s %lld %lld", first, second, &a, &b) == 4) writes(first, second, a, b);
    else if (!strncmp(line, "lengths ", 8)) {
      char *next = line + 8;
      for (int i = 0; i < LENGTHS; i++) lengths[i] = (int)strtol(next, &next, 10);
      printf("%d\n", lengths[LENGTHS - 1]);
    } else printf("error %s", line);
    fflush(stdout);
  }
  return 0;
}
