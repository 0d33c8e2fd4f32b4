package orderBook;

import java.util.List;
import java.util.TreeMap;

/** A book of objects: levels in trees of Java's library, and orders in lists by reference. */
abstract class ObjectBook implements Book {
  static final class Order {
    final long id;
    final boolean isBuy;
    final int price;
    int quantity;
    Level level;
    Order before;
    Order after;

    Order(long id, boolean isBuy, int price, int quantity) {
      this.id = id;
      this.isBuy = isBuy;
      this.price = price;
      this.quantity = quantity;
    }
  }

  static final class Level {
    final int price;
    Order first;
    Order last;
    long quantity;

    Level(int price) {
      this.price = price;
    }
  }

  private final Orders trades;
  private final TreeMap<Integer, Level> bids = new TreeMap<>();
  private final TreeMap<Integer, Level> asks = new TreeMap<>();

  ObjectBook(Orders trades) {
    this.trades = trades;
  }

  /** Stores an order by its number. */
  abstract void put(Order order);

  /** Removes and returns an order, or null. */
  abstract Order remove(long id);

  @Override
  public void limit(long id, boolean isBuy, int price, int quantity) {
    int rest = match(isBuy, price, quantity);
    if (rest > 0) {
      var order = new Order(id, isBuy, price, rest);
      var level = (isBuy ? bids : asks).computeIfAbsent(price, Level::new);
      order.level = level;
      order.before = level.last;
      if (level.last == null) {
        level.first = order;
      } else {
        level.last.after = order;
      }
      level.last = order;
      level.quantity += rest;
      put(order);
    }
  }

  @Override
  public void replace(long id, long newId, int price, int quantity) {
    var order = remove(id);
    if (order != null) {
      unlink(order);
      limit(newId, order.isBuy, price, quantity);
    }
  }

  @Override
  public void cancel(long id) {
    var order = remove(id);
    if (order != null) {
      unlink(order);
    }
  }

  @Override
  public void market(boolean isBuy, int quantity) {
    match(isBuy, isBuy ? Integer.MAX_VALUE : Integer.MIN_VALUE, quantity);
  }

  /** Trades with the best orders of the other side up to a price; returns the remaining quantity. */
  private int match(boolean isBuy, int price, int quantity) {
    var others = isBuy ? asks : bids;
    int rest = quantity;
    while (rest > 0 && !others.isEmpty()) {
      var level = (isBuy ? others.firstEntry() : others.lastEntry()).getValue();
      if (isBuy ? level.price > price : level.price < price) {
        return rest;
      }
      var order = level.first;
      int part = Math.min(rest, order.quantity);
      trades.add(order.id, level.price, part);
      rest -= part;
      if (part == order.quantity) {
        remove(order.id);
        unlink(order);
      } else {
        order.quantity -= part;
        level.quantity -= part;
      }
    }
    return rest;
  }

  private void unlink(Order order) {
    var level = order.level;
    level.quantity -= order.quantity;
    if (order.before == null) {
      level.first = order.after;
    } else {
      order.before.after = order.after;
    }
    if (order.after == null) {
      level.last = order.before;
    } else {
      order.after.before = order.before;
    }
    if (level.first == null) {
      (order.isBuy ? bids : asks).remove(order.price);
    }
  }

  @Override
  public void foreach(Orders orders) {
    for (var side : List.of(bids, asks)) {
      for (var level : side.values()) {
        for (var order = level.first; order != null; order = order.after) {
          orders.add(order.id, order.price, order.quantity);
        }
      }
    }
  }
}
