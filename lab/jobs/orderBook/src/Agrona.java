package orderBook;

import java.nio.file.Path;
import org.agrona.collections.Long2ObjectHashMap;

/** The book with Agrona's map, whose keys are not objects. */
final class Agrona extends ObjectBook {
  private final Long2ObjectHashMap<Order> orders = new Long2ObjectHashMap<>();

  Agrona(Orders trades) {
    super(trades);
  }

  @Override
  void put(Order order) {
    orders.put(order.id, order);
  }

  @Override
  Order remove(long id) {
    return orders.remove(id);
  }

  public static void main(String[] args) {
    Day.run(Path.of(args[0]), Long.parseLong(args[1]), Agrona::new);
  }
}
