package undercroft.report

/** The page's style: one sheet, by day and by night. */
private[report] object Style:
  private def colours(shade: Hue => String) =
    Hue.values.map(hue => s"--${hue.style}: ${shade(hue)};").mkString(" ")

  val text: String =
    s""":root { color-scheme: light dark; --paper: #faf9f6; --card: #ffffff; --ink: #23272d;
       |  --soft: #616973; --rule: #e1ded7; --good: #0b7350; --bad: #b3261e; ${colours(_.light)} }
       |@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --card: #1c2025;
       |  --ink: #e6e4df; --soft: #9aa3ad; --rule: #343a42; --good: #5fd0a0; --bad: #ff8f86;
       |  ${colours(_.dark)} } }
       |* { box-sizing: border-box; }
       |html { -webkit-text-size-adjust: 100%; }
       |body { margin: 0 auto; padding: 2rem 1.25rem 5rem; max-width: 78rem; background: var(--paper);
       |  color: var(--ink); font: 16px/1.6 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
       |h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 0.75rem; letter-spacing: -0.01em; }
       |h2 { font-size: 1.5rem; margin: 3.5rem 0 0.5rem; padding-top: 1.75rem;
       |  border-top: 3px solid var(--teal); }
       |h3 { font-size: 1.1rem; margin: 2.25rem 0 0.5rem; }
       |p, ul { margin: 0.5rem 0; max-width: 46rem; } li { margin: 0.2rem 0; }
       |.lead { font-size: 1.1rem; } .small { font-size: 0.82rem; color: var(--soft); }
       |a { color: inherit; }
       |nav { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 1.25rem 0; }
       |nav a { padding: 0.45rem 0.9rem; border: 1px solid var(--rule); border-radius: 8px;
       |  background: var(--card); text-decoration: none; } nav span { color: var(--soft); }
       |nav a:hover { border-color: var(--teal); }
       |pre { overflow-x: auto; padding: 0.7rem 1rem; background: var(--card); font-size: 0.85rem;
       |  border: 1px solid var(--rule); border-radius: 8px; }
       |.scrolls { overflow-x: auto; margin: 0.75rem 0; border: 1px solid var(--rule);
       |  border-radius: 8px; background: var(--card); }
       |table { border-collapse: collapse; width: 100%; font-size: 0.86rem; line-height: 1.4; }
       |th, td { text-align: left; padding: 0.45rem 0.8rem; }
       |th { color: var(--soft); font-weight: 600; white-space: normal; vertical-align: bottom;
       |  border-bottom: 1px solid var(--rule); }
       |.number, .good, .bad { white-space: nowrap; }
       |tr + tr td { border-top: 1px solid var(--rule); }
       |.number { text-align: right; font-variant-numeric: tabular-nums; }
       |.good, .bad { font-weight: 700; } .good { color: var(--good); } .bad { color: var(--bad); }
       |.faint { color: var(--soft); font-size: 0.8rem; }
       |figure { margin: 1.25rem 0; padding: 1rem 1.1rem; background: var(--card);
       |  border: 1px solid var(--rule); border-radius: 8px; }
       |figcaption { font-weight: 600; margin-bottom: 0.6rem; }
       |.pictures { display: grid; gap: 1rem; margin: 1.25rem 0; align-items: start;
       |  grid-template-columns: repeat(auto-fill, minmax(min(24rem, 100%), 1fr)); }
       |.pictures figure { margin: 0; }
       |svg { display: block; width: 100%; max-width: 30rem; height: auto; }
       |svg text { font: 13px Helvetica, Arial, "Liberation Sans", sans-serif; }
       |summary { cursor: pointer; margin: 1.25rem 0 0.5rem; font-weight: 600; }
       |@media (max-width: 40rem) { body { padding: 1.25rem 0.8rem 3rem; } h1 { font-size: 1.6rem; }
       |  h2 { font-size: 1.3rem; margin-top: 2.5rem; } figure { padding: 0.6rem; }
       |  th, td { padding: 0.4rem 0.6rem; } }
       |""".stripMargin
end Style
