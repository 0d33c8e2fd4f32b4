// Reads and writes the catalog of catalog.thrift in the process that calls it: what an engine in
// C++ does with what its planner in Java hands over.
//
// Every function answers 0, or -1 and a message in `error`, which has room for ERROR_BYTES. Nothing
// of what it is given is kept or freed.

#include "catalog_types.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <sys/uio.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TVirtualTransport.h>

using apache::thrift::TException;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TTransportException;
using apache::thrift::transport::TVirtualTransport;

namespace {

const int ERROR_BYTES = 256;

// What a reader makes of a catalog: as much of everything as makes sure that all of it was read.
struct Summary {
  int64_t files;
  int64_t blocks;
  int64_t sum;
};

// Reads pieces of memory one after another, where they lie. Thrift's own TMemoryBuffer counts by
// 32 bits.
class Pieces final : public TVirtualTransport<Pieces> {
public:
  Pieces(const iovec* pieces, int64_t count) : next_(pieces), end_(pieces + count) {
    for (const iovec* it = next_; it < end_; it++) left_ += it->iov_len;
    setRemainingMessageSize(left_); // what a declared size is held against, by Longs
    forward();
  }

  bool isOpen() const override { return true; }

  uint32_t read(uint8_t* to, uint32_t count) {
    if (__builtin_expect(count <= size_t(until_ - at_), 1)) {
      memcpy(to, at_, count);
      at_ += count;
      return count;
    }
    return readAcross(to, count);
  }

  uint32_t readAll(uint8_t* to, uint32_t count) {
    if (read(to, count) < count)
      throw TTransportException(TTransportException::END_OF_FILE, "the catalog ends too early");
    return count;
  }

  const uint8_t* borrow(uint8_t*, uint32_t* count) {
    if (*count > size_t(until_ - at_)) return nullptr;
    *count = uint32_t(std::min<size_t>(until_ - at_, UINT32_MAX));
    return at_;
  }

  void consume(uint32_t count) { at_ += count; }

private:
  uint32_t readAcross(uint8_t* to, uint32_t count) {
    uint32_t done = 0;
    while (done < count) {
      if (at_ == until_ && !forward()) return done;
      uint32_t some = uint32_t(std::min<size_t>(count - done, until_ - at_));
      memcpy(to + done, at_, some);
      at_ += some;
      done += some;
    }
    return done;
  }

  // To the next piece that is not empty.
  bool forward() {
    while (next_ < end_) {
      at_ = static_cast<const uint8_t*>(next_->iov_base);
      until_ = at_ + next_->iov_len;
      left_ -= next_->iov_len;
      next_++;
      if (at_ < until_) return true;
    }
    return false;
  }

  const iovec* next_;
  const iovec* end_;
  int64_t left_ = 0; // bytes of the pieces from next_ on
  const uint8_t* at_ = nullptr;
  const uint8_t* until_ = nullptr;
};

// Writes to memory of its own, which `release` hands over.
class Growing final : public TVirtualTransport<Growing> {
public:
  ~Growing() override { free(memory_); }

  bool isOpen() const override { return true; }

  void write(const uint8_t* from, uint32_t count) {
    if (size_ + count > room_) {
      size_t room = std::max<size_t>(room_ * 2, size_ + count + 4096);
      void* larger = realloc(memory_, room);
      if (larger == nullptr) throw std::bad_alloc();
      memory_ = static_cast<uint8_t*>(larger);
      room_ = room;
    }
    memcpy(memory_ + size_, from, count);
    size_ += count;
  }

  size_t size() const { return size_; }

  uint8_t* release() {
    uint8_t* memory = memory_;
    memory_ = nullptr;
    return memory;
  }

private:
  uint8_t* memory_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;
};

int64_t sumOf(const char* bytes, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += static_cast<unsigned char>(bytes[i]);
  return sum;
}

void fold(const catalog::File& file, Summary* into) {
  into->files++;
  into->sum += file.length + file.modified + file.compression
    + sumOf(file.name.data(), file.name.size());
  for (const catalog::Block& block : file.blocks) {
    into->blocks++;
    into->sum += block.offset + block.length;
    for (int16_t host : block.hosts) into->sum += host;
  }
}

void fold(const catalog::Table& table, Summary* into) {
  for (const catalog::Partition& partition : table.partitions)
    for (const catalog::File& file : partition.files) fold(file, into);
}

// Reads a Catalog a table after another, so that one table is there at a time, as for an engine
// that takes each into structures of its own.
void decode(Pieces& pieces, Summary* into) {
  auto shared = std::shared_ptr<Pieces>(&pieces, [](Pieces*) {});
  TBinaryProtocolT<Pieces> protocol(shared);
  std::string name;
  TType type;
  int16_t id;
  catalog::Table table;
  protocol.readStructBegin(name);
  for (protocol.readFieldBegin(name, type, id); type != apache::thrift::protocol::T_STOP;
       protocol.readFieldBegin(name, type, id)) {
    if (id == 2 && type == apache::thrift::protocol::T_LIST) {
      TType element;
      uint32_t count;
      protocol.readListBegin(element, count);
      for (uint32_t i = 0; i < count; i++) {
        table.read(&protocol);
        fold(table, into);
      }
      protocol.readListEnd();
    } else {
      protocol.skip(type);
    }
    protocol.readFieldEnd();
  }
  protocol.readStructEnd();
}

// Calls `body`; what it throws becomes a message.
template <class Body>
int safely(char* error, Body body) {
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    strncpy(error, e.what(), ERROR_BYTES - 1);
    error[ERROR_BYTES - 1] = 0;
    return -1;
  }
}

// The rows of undercroft.lab.bench.FileRow, as C has them.
struct BlockRow {
  int64_t offset;
  int64_t length;
  int16_t hosts[3];
};

struct FileRow {
  int64_t partition;
  int64_t length;
  int64_t modified;
  int32_t compression;
  int32_t blockCount;
  BlockRow blocks[2];
  char name[64];
};

catalog::File madeFile(int64_t number) {
  catalog::File file;
  file.name = "written-by-c++-" + std::to_string(number) + ".parquet";
  file.length = number * 1000;
  file.modified = 1700000000000 + number;
  file.compression = catalog::Compression::ZSTD;
  for (int64_t i = 0; i < 1 + number % 2; i++) {
    catalog::Block block;
    block.offset = i << 27;
    block.length = 1 << 27;
    block.hosts = {int16_t(number % 100), int16_t(number % 101), int16_t(number % 102)};
    file.blocks.push_back(block);
  }
  return file;
}

} // namespace

extern "C" {

// Reads a catalog that lies in pieces: one, for memory that is contiguous.
int catalog_decode(const iovec* pieces, int64_t count, Summary* into, char* error) {
  return safely(error, [&] {
    Pieces all(pieces, count);
    decode(all, into);
  });
}

// Reads the files of a catalog in place, as rows.
int catalog_fold_rows(const FileRow* rows, int64_t count, Summary* into) {
  for (int64_t i = 0; i < count; i++) {
    const FileRow& row = rows[i];
    into->files++;
    into->blocks += row.blockCount;
    into->sum += row.length + row.modified + row.compression + sumOf(row.name, sizeof row.name);
    for (int32_t k = 0; k < row.blockCount; k++) {
      const BlockRow& block = row.blocks[k];
      into->sum += block.offset + block.length;
      for (int16_t host : block.hosts) into->sum += host;
    }
  }
  return 0;
}

// Writes a catalog of one table with so many partitions and files in each, to memory that
// catalog_free frees.
int catalog_encode(int64_t partitions, int64_t files, uint8_t** at, int64_t* bytes, Summary* into,
                   char* error) {
  return safely(error, [&] {
    catalog::Catalog all;
    all.version = 1;
    all.tables.resize(1);
    catalog::Table& table = all.tables[0];
    table.id = 1;
    table.database = "sales";
    table.name = "made by C++";
    table.partitions.resize(partitions);
    for (int64_t p = 0; p < partitions; p++) {
      catalog::Partition& partition = table.partitions[p];
      partition.id = p;
      partition.location = "/warehouse/" + std::to_string(p);
      partition.values = {std::to_string(p)};
      partition.parameters = {{"made", "here"}};
      partition.rows = files * 1000;
      partition.__set_statistics(std::string("\0\1\2", 3));
      for (int64_t f = 0; f < files; f++) partition.files.push_back(madeFile(p * files + f));
    }
    fold(table, into);
    auto memory = std::make_shared<Growing>();
    TBinaryProtocolT<Growing> protocol(memory);
    all.write(&protocol);
    *bytes = int64_t(memory->size());
    *at = memory->release();
  });
}

static int64_t freed = 0;

void catalog_free(uint8_t* at) {
  freed++;
  free(at);
}

// How often catalog_free was called.
int64_t catalog_freed() {
  return freed;
}
}
