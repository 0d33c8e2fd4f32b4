package undercroft.cli

import java.nio.ByteOrder
import undercroft.file.format.{Durability, ErrorKind, FileLayout, Type}

private[cli] given byteOrders: CanEqual[ByteOrder | Null, ByteOrder | Null] = CanEqual.derived
private[cli] given durabilities: CanEqual[Durability | Null, Durability | Null] = CanEqual.derived
private[cli] given errorKinds: CanEqual[ErrorKind | Null, ErrorKind | Null] = CanEqual.derived
private[cli] given layouts: CanEqual[FileLayout | Null, FileLayout | Null] = CanEqual.derived
private[cli] given types: CanEqual[Type | Null, Type | Null] = CanEqual.derived
