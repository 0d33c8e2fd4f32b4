package undercroft.cli

import internal.io.{BadInput, Console}

/** Prints a script that completes commands, options and file names. */
private[cli] final class CompletionCommand(shell: String) extends Command:
  def run(console: Console): Int =
    val script = shell match
      case "bash" => CompletionCommand.bash
      case "zsh"  => s"autoload -U +X bashcompinit && bashcompinit\n${CompletionCommand.bash}"
      case other  => throw BadInput(s"shell must be bash or zsh, but is $other")
    console.out.println(script)
    0

private[cli] object CompletionCommand:
  private def bash: String =
    val names = Commands.options.map(_._1).mkString(" ")
    val cases =
      Commands.options.map((name, options) => s"    $name) words='${options.mkString(" ")}' ;;")
    s"""_undercroft() {
       |  local word=$${COMP_WORDS[COMP_CWORD]} words=
       |  if [ "$$COMP_CWORD" -eq 1 ]; then
       |    COMPREPLY=($$(compgen -W '$names' -- "$$word"))
       |    return
       |  fi
       |  case $${COMP_WORDS[1]} in
       |${cases.mkString("\n")}
       |  esac
       |  local IFS=$$'\\n'
       |  COMPREPLY=($$(IFS=' '; compgen -W "$$words" -- "$$word") $$(compgen -f -- "$$word"))
       |}
       |complete -o filenames -F _undercroft undercroft""".stripMargin
end CompletionCommand
