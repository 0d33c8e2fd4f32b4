package undercroft.file.format.internal.folder;

import java.io.Serial;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.internal.metadata.BlockTable;
import undercroft.file.format.internal.schema.SchemaCodec;

/** Facts of a sealed file in the manifest of its folder, by which a query is planned without opening
 * the file.
 *
 * @param modified the modification time of the file in milliseconds since 1970: the facts of a file with
 *     another one may be outdated
 * @param schemaText the schema: its layout, its byte order, the bytes of a row, and the encoded schema in
 *     base64
 * @param bounds the smallest and the largest value of each number outside of unions, in the order of the
 *     schema's leaves: Longs or Doubles, as in {@link BlockStatistics}. Empty if the file has several
 *     blocks or no rows, or if there are more than {@link #MOST_NUMBERS} numbers
 */
public record FileFacts(long rows, long modified, String schemaText, List<Number> bounds) implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  /** The most numbers of a row whose bounds are in a manifest. */
  public static final int MOST_NUMBERS = 64;

  public FileFacts {
    bounds = List.copyOf(bounds);
  }

  /** The facts of a sealed file.
   *
   * @param modified the modification time in milliseconds since 1970
   */
  public static FileFacts of(StructFile file, long modified) {
    return new FileFacts(file.rows(), modified, text(file.schema()), file.bounds(MOST_NUMBERS));
  }

  /** The text of a schema, which {@link #schema} reads. */
  public static String text(Schema schema) {
    var bytes = SchemaCodec.written(schema);
    var order = schema.order() == ByteOrder.BIG_ENDIAN ? "BIG" : "LITTLE";
    return schema.layout() + " " + order + " " + schema.stride() + " "
        + Base64.getEncoder().encodeToString(bytes.array());
  }

  /** Decodes the schema. Throws IllegalArgumentException if it is invalid. */
  public Schema schema() {
    return schema(schemaText);
  }

  private static Schema schema(String text) {
    var parts = text.split(" ");
    if (parts.length != 4 || !parts[1].matches("BIG|LITTLE"))
      throw new IllegalArgumentException("a schema must have four parts, but is " + text);
    var order = parts[1].equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(parts[3]));
    return SchemaCodec.read(bytes, FileLayout.valueOf(parts[0]), order, Long.parseLong(parts[2]));
  }

  /** The statistics of a value in all rows of the file; empty if they are not known. */
  public Optional<BlockStatistics> statistics(Schema schema, Schema.Leaf leaf) {
    int index = BlockTable.ranged(schema).stream().map(Schema.Leaf::path).toList().indexOf(leaf.path());
    if (index < 0 || bounds.isEmpty()) return Optional.empty();
    return Optional.of(new BlockStatistics(0, rows, bounds.get(2 * index), bounds.get(2 * index + 1)));
  }

  /** The facts as a line of a manifest, without the schema, which has the number `schemaIndex`. */
  public String line(int schemaIndex) {
    var line = new StringBuilder("+ ").append(rows).append(' ').append(modified).append(' ').append(schemaIndex);
    for (var bound : bounds) line.append(' ').append(bound);
    return line.toString();
  }

  /** Reads a line. Throws IllegalArgumentException if it is invalid. */
  public static FileFacts parse(String line, List<String> schemas, List<Integer> boundCounts) {
    var parts = line.split(" ");
    int index = parts.length < 4 ? -1 : Integer.parseInt(parts[3]);
    if (index < 0 || index >= schemas.size())
      throw new IllegalArgumentException("the facts of a file must name one of " + schemas.size() + " schemas");
    var bounds = new ArrayList<Number>();
    for (int i = 4; i < parts.length; i++)
      if (parts[i].matches("-?[0-9]+")) bounds.add(Long.parseLong(parts[i]));
      else bounds.add(Double.parseDouble(parts[i]));
    if (!bounds.isEmpty() && bounds.size() != boundCounts.get(index))
      throw new IllegalArgumentException(bounds.size() + " bounds, but the schema has " + boundCounts.get(index));
    return new FileFacts(Long.parseLong(parts[1]), Long.parseLong(parts[2]), schemas.get(index), bounds);
  }

  /** The number of bounds of a file with a schema. Throws IllegalArgumentException if that is invalid. */
  public static int boundsOf(String schemaText) {
    return 2 * BlockTable.ranged(schema(schemaText)).size();
  }
}
