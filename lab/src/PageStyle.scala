package undercroft.lab

/** The page's style: one sheet, two schemes. */
object PageStyle:
  private val colours = Seq(
    Rival.Undercroft -> ("#0f8a74", "#3fc4a8"),
    Rival.Unsafe -> ("#c4621a", "#e8935a"),
    Rival.C -> ("#3f66c4", "#86a5ee"),
    Rival.Okio -> ("#a33f3f", "#e08f86"),
    Rival.Heap -> ("#8a4fa3", "#c08fd6"),
    Rival.Ffm -> ("#94791a", "#d3b650"),
    Rival.Direct -> ("#b5446a", "#e2839f"),
    Rival.Malloc -> ("#5c6873", "#9aa7b3")
  )

  private val light =
    colours.map((rival, shades) => s"--${rival.style}: ${shades._1};").mkString(" ")
  private val dark =
    colours.map((rival, shades) => s"--${rival.style}: ${shades._2};").mkString(" ")
  private val classes = colours
    .map: (rival, _) =>
      val name = rival.style
      s""".fill-$name { fill: var(--$name); } .line-$name { stroke: var(--$name); }
         |.owner-$name::before { background: var(--$name); }""".stripMargin
    .mkString("\n")

  val text: String =
    s""":root { color-scheme: light dark; --paper: #fbfaf7; --ink: #22262b; --faint: #d9d6cf;
       |  --card: #ffffff; --good: #0f7a52; --bad: #b3261e; $light }
       |@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e4e2dd;
       |  --faint: #3a3f46; --card: #1e2227; --good: #5fd0a0; --bad: #ff8a80; $dark } }
       |* { box-sizing: border-box; }
       |body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--paper);
       |  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
       |h1 { font-size: 1.9rem; margin: 0.5rem 0; } h2 { margin: 3rem 0 0.25rem; font-size: 1.45rem;
       |  border-top: 2px solid var(--faint); padding-top: 1.5rem; }
       |h3 { margin: 1.75rem 0 0.5rem; font-size: 1.05rem; }
       |.absent { font-size: 0.8rem; opacity: 0.7; } .question { font-size: 1.1rem; margin-top: 0.25rem; } .run { font-size: 0.82rem; opacity: 0.8; }
       |nav a { margin-right: 1rem; } a { color: inherit; }
       |table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.88rem; }
       |th, td { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid var(--faint);
       |  vertical-align: top; } .number { text-align: right; font-variant-numeric: tabular-nums; }
       |.holds { color: var(--good); font-weight: 600; } .missed { color: var(--bad); font-weight: 600; }
       |figure { margin: 1.5rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--faint);
       |  border-radius: 8px; overflow-x: auto; } figcaption { font-weight: 600; margin-bottom: 0.75rem; }
       |svg { width: 100%; min-width: 34rem; height: auto; } svg text { fill: currentColor; font-size: 13px; }
       |.grid { stroke: var(--faint); } .reach { stroke: currentColor; stroke-width: 1.5; opacity: 0.65; }
       |polyline { fill: none; stroke-width: 2.5; } line { stroke-width: 1; } [class^=line-] { stroke-width: 2.5; }
       |.dash-1 { stroke-dasharray: 9 5; } .dash-2 { stroke-dasharray: 2 4; }
       |.dash-3 { stroke-dasharray: 12 4 2 4; }
       |.owners span { margin-right: 1.1rem; font-size: 0.85rem; white-space: nowrap; }
       |.owners span::before { content: ""; display: inline-block; width: 0.8em; height: 0.8em;
       |  margin-right: 0.4em; border-radius: 2px; }
       |summary { cursor: pointer; margin-top: 1rem; } code { font-size: 0.9em; }
       |$classes
       |""".stripMargin
end PageStyle
