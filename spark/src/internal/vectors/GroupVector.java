package undercroft.spark.internal.vectors;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Structs: each field has its own vector. */
public final class GroupVector extends FieldVector {
  private final ColumnVector[] fields;

  public GroupVector(DataType type, ColumnVector[] fields, int rows, NumberVector sign, int number) {
    super(type, null, null, rows, sign, number);
    this.fields = fields;
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return fields[ordinal];
  }
}
