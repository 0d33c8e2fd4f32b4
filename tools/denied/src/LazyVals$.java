package scala.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Precedes the Scala library's class of this name on the class path of tests with Unsafe denied.
 *
 * <p>MUnit and ScalaCheck are compiled by a Scala whose lazy vals go through Unsafe. They get
 * VarHandles here; every other class is rejected, so that code of ours that would need Unsafe fails.
 */
public final class LazyVals$ {
  public static final LazyVals$ MODULE$ = new LazyVals$();

  private static final List<String> allowed = List.of("munit.", "org.scalacheck.");
  private final List<VarHandle> fields = new CopyOnWriteArrayList<>();

  private LazyVals$() {}

  /** The number that stands for a lazy val's field: here an index, in the library an offset. */
  public synchronized long getOffsetStatic(Field field) throws IllegalAccessException {
    var owner = field.getDeclaringClass();
    if (allowed.stream().noneMatch(owner.getName()::startsWith))
      throw new IllegalStateException(
          "Unsafe is denied: " + owner.getName() + "." + field.getName());
    var lookup = MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
    fields.add(lookup.unreflectVarHandle(field));
    return fields.size() - 1;
  }

  /** Sets a lazy val's field to `next` if it holds `expected`. */
  public boolean objCAS(Object owner, long field, Object expected, Object next) {
    return fields.get((int) field).compareAndSet(owner, expected, next);
  }
}
