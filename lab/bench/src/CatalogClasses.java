package undercroft.lab.bench;

import org.apache.thrift.TBase;
import org.apache.thrift.TFieldIdEnum;

/**
 * The classes that Thrift's compiler generated from the catalog, loaded by name: without that
 * compiler the lab compiles without them.
 */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class CatalogClasses {
  private CatalogClasses() {}

  private static Class<?> named(String name) {
    try {
      return Class.forName("undercroft.lab.catalog." + name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("no thrift on the PATH: " + name + " is missing", e);
    }
  }

  /** A struct whose fields 1, 2 and so on have these values; null for a field that is not set. */
  public static TBase<?, ?> make(String name, Object... values) {
    try {
      TBase struct = (TBase) named(name).getConstructor().newInstance();
      for (int i = 0; i < values.length; i++)
        if (values[i] != null) struct.setFieldValue(struct.fieldForId(i + 1), values[i]);
      return struct;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(name, e);
    }
  }

  /** The value of a struct's field. */
  public static Object field(Object struct, int id) {
    TBase base = (TBase) struct;
    return base.getFieldValue((TFieldIdEnum) base.fieldForId(id));
  }

  /** One of the ways to compress a file. */
  public static Object compression(int value) {
    try {
      return named("Compression").getMethod("findByValue", int.class).invoke(null, value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("there is no compression " + value, e);
    }
  }
}
