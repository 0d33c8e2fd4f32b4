package orderBook;

import java.nio.file.Path;
import java.util.HashMap;

/** The book with a HashMap. */
final class Heap extends ObjectBook {
  private final HashMap<Long, Order> orders = new HashMap<>();

  Heap(Orders trades) {
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
    Day.run(Path.of(args[0]), Long.parseLong(args[1]), Heap::new);
  }
}
