// A catalog of tables as a planner keeps it and its executors read it: the shape of Impala's.

namespace java undercroft.lab.catalog
namespace cpp catalog

enum Compression {
  NONE = 0,
  GZIP = 2,
  SNAPPY = 4,
  ZSTD = 10
}

// Bytes of a file on the disks of some hosts, which are indexes of a list of them.
struct Block {
  1: required i64 offset
  2: required i64 length
  3: required list<i16> hosts
}

struct File {
  1: required string name
  2: required i64 length
  3: required i64 modified
  4: required Compression compression
  5: required list<Block> blocks
}

struct Partition {
  1: required i64 id
  2: required string location
  3: required list<string> values
  4: required list<File> files
  5: required map<string, string> parameters
  6: required i64 rows
  7: optional binary statistics
}

struct Column {
  1: required string name
  2: required string type
  3: optional i64 distinct
  4: optional double averageBytes
  5: optional bool nullable
}

struct Table {
  1: required i64 id
  2: required string database
  3: required string name
  4: required list<Column> columns
  5: required list<Partition> partitions
}

struct Catalog {
  1: required i64 version
  2: required list<Table> tables
}
