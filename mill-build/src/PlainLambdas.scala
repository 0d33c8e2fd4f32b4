package undercroft.tools

import org.objectweb.asm.*
import org.objectweb.asm.Opcodes.{ASM9, H_INVOKESTATIC}

/** Makes Scala's lambdas like Java's. Scala links each lambda by `altMetafactory`, to be
  * serializable; the JDK's AOT cache stores only lambdas of `metafactory`, and a program generates
  * all others at each start. A changed lambda cannot be serialized.
  */
object PlainLambdas:
  /** Rewrites the class files of a folder, except those below `META-INF`. */
  def rewrite(folder: os.Path): Unit =
    for
      file <- os.walk(folder, skip = _.last == "META-INF") if file.ext == "class"
      plain <- of(os.read.bytes(file))
    do os.write.over(file, plain)

  /** The class file with plain lambdas, or nothing if no lambda changes. A lambda with marker
    * interfaces stays, as does a lambda with a bridge method that its interface may declare.
    */
  def of(file: Array[Byte]): Option[Array[Byte]] =
    val reader = ClassReader(file)
    val writer = ClassWriter(0)
    var isChanged = false
    def inMethod(method: MethodVisitor | Null) = new MethodVisitor(ASM9, method):
      override def visitInvokeDynamicInsn(
          name: String,
          tpe: String,
          factory: Handle,
          arguments: Object*
      ): Unit =
        if factory.getName == "altMetafactory" && isPlain(Type.getReturnType(tpe), arguments) then
          isChanged = true
          val plain = Handle(H_INVOKESTATIC, factory.getOwner, "metafactory", Linking, false)
          super.visitInvokeDynamicInsn(name, tpe, plain, arguments.take(3)*)
        else super.visitInvokeDynamicInsn(name, tpe, factory, arguments*)
    val visitor = new ClassVisitor(ASM9, writer):
      override def visitMethod(
          access: Int,
          name: String,
          tpe: String,
          signature: String,
          exceptions: Array[String]
      ): MethodVisitor = inMethod(super.visitMethod(access, name, tpe, signature, exceptions))
    reader.accept(visitor, 0)
    Option.when(isChanged)(writer.toByteArray)
  end of

  /** Whether `metafactory` makes the same lambda: the fourth argument has the flags, and after it
    * come bridge methods.
    */
  private def isPlain(interface: Type, arguments: Seq[Object]): Boolean =
    arguments(3) match
      case flags: Integer =>
        (flags & Markers) == 0 &&
        (arguments.size <= 5 || interface.getClassName.matches(Functions))
      case _ => false

  private val Markers = 2
  private val Functions =
    """scala\.(Function\d+|runtime\.(java8|function)\.\w+)|java\.util\.function\.\w+"""
  private val Linking =
    "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;" +
      "Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)" +
      "Ljava/lang/invoke/CallSite;"
end PlainLambdas
