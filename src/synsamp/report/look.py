"""The style of the page: light and dark, from a phone to a wide screen. No script, no network."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1f2430; --soft: #5b6474; --line: #dfe3ea;
  --accent: #0b63a5; --good: #0b7a53; --bad: #b83a0a; --band: #bcd9ee; --chip: #edf1f6;
}
@media (prefers-color-scheme: dark) {
  figure .sheet { filter: brightness(0.9); }
  :root {
    --page: #12151b; --card: #1b2029; --ink: #e6e9ef; --soft: #9aa4b5; --line: #2e3644;
    --accent: #6db7f2; --good: #4cc795; --bad: #ff8f5e; --band: #2b4a66; --chip: #252c38;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink); overflow-wrap: break-word;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
}
main, .bar, footer { max-width: 78rem; margin: 0 auto; padding: 0 clamp(0.9rem, 3vw, 2.2rem); }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header .bar { padding-top: 2rem; padding-bottom: 1.6rem; }
h1 { font-size: clamp(1.5rem, 4.2vw, 2.3rem); line-height: 1.15; margin: 0 0 0.5rem; }
h2 { font-size: clamp(1.3rem, 3.2vw, 1.75rem); line-height: 1.2; margin: 0; }
h3 { font-size: 1.05rem; margin: 2.2rem 0 0.8rem; }
p { margin: 0.5rem 0; }
a { color: var(--accent); }
.lead { color: var(--soft); max-width: 46rem; }
.verdict { font-size: 1.1rem; font-weight: 650; margin-top: 1rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
nav {
  position: sticky; top: 0; z-index: 1; background: var(--card);
  border-bottom: 1px solid var(--line);
}
nav .bar { display: flex; flex-wrap: wrap; gap: 0 1.4rem; }
nav a, nav span { display: block; padding: 0.6rem 0; text-decoration: none; font-weight: 550; }
nav span { color: var(--soft); }
nav small { color: var(--soft); font-weight: 400; white-space: nowrap; }
section.run { padding-top: 2.6rem; }
section.run + section.run { margin-top: 3rem; border-top: 1px solid var(--line); }
.alias { color: var(--soft); font-weight: 400; }
.chips { display: flex; flex-wrap: wrap; gap: 0.4rem; padding: 0; margin: 0.9rem 0 0; }
.chips li {
  list-style: none; background: var(--chip); border-radius: 99px; padding: 0.12rem 0.75rem;
  font-size: 0.85rem; color: var(--soft);
}
.chips b { color: var(--ink); font-weight: 600; overflow-wrap: anywhere; }
.chips .chosen { background: none; box-shadow: inset 0 0 0 1.5px var(--accent); }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden;
}
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: 0.8rem; font-weight: 600; color: var(--soft); }
th, td { padding: 0.6rem 1rem; vertical-align: middle; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--chip); }
.claims td { padding: 0.6rem 0.7rem; vertical-align: top; }
.claims td.range { width: 12rem; padding-left: 0; }
.claims td.num { width: 9.5rem; } .claims td.mark { width: 8.2rem; }
.claims td.paper { width: 6rem; }
.num .detail, .num .ends, .mark .detail { display: block; font-weight: 400; }
.num .ends { white-space: nowrap; font-size: 0.9rem; }
.num { font-variant-numeric: tabular-nums; }
.value { font-weight: 650; }
.claims td.mark { font-weight: 650; }
.detail, .source { color: var(--soft); font-size: 0.86rem; }
svg.range { display: block; width: 12.5rem; max-width: 100%; height: auto; }
svg .axis { stroke: var(--line); stroke-width: 2; }
svg .band { fill: var(--band); }
svg .end, svg .open { stroke: var(--accent); stroke-width: 2; fill: none; }
svg .spread { stroke: var(--ink); stroke-width: 2; }
svg circle { fill: var(--soft); stroke: var(--card); stroke-width: 2; }
svg circle.holds { fill: var(--good); } svg circle.fails { fill: var(--bad); }
svg line.null { stroke: var(--soft); stroke-width: 1.5; }
svg circle.null { fill: none; stroke: var(--soft); stroke-width: 1.5; }
svg .paper { fill: var(--accent); }
td.holds { color: var(--good); } td.fails, td.not-specific { color: var(--bad); }
td.undecided { color: var(--soft); }
section.run > figure:first-of-type { margin-top: 1.4rem; }
.finding { font-size: 1.05rem; max-width: 52rem; }
.claims-part > summary {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  margin-bottom: 1rem;
}
.card > ul:not(.chips) { margin: 0 1rem 1rem; padding-left: 1.2rem; }
.card > ul li { margin: 0.3rem 0; max-width: 52rem; }
.card > .chips { margin: 0 1rem 1rem; }
figure { margin: 0 0 1.2rem; display: grid; grid-template-columns: minmax(0, 1fr); }
figure .sheet { background: #ffffff; padding: 0.8rem; text-align: center; }
figure img { max-width: 100%; height: auto; display: inline-block; vertical-align: middle; }
figcaption { padding: 1rem 1.2rem; border-top: 1px solid var(--line); font-size: 0.95rem; }
figcaption p { margin: 0 0 0.6rem; } figcaption p:last-child { margin: 0; }
.panel {
  display: inline-block; min-width: 1.5rem; padding: 0 0.35rem; margin-right: 0.5rem;
  border-radius: 6px; background: var(--chip); font-weight: 700; text-align: center;
}
.sideways { display: none; color: var(--soft); font-size: 0.86rem; text-align: right; }
.aside { font-size: 0.86rem; font-weight: 400; color: var(--soft); margin-left: 0.4rem; }
details { margin-top: 0.8rem; }
summary { cursor: pointer; padding: 0.75rem 1rem; font-weight: 600; }
details table { font-size: 0.9rem; }
code, .key { font: 0.88em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
td.key, td code, .chips li, .says, .detail, .source { overflow-wrap: anywhere; }
tr.given td.key::after {
  content: "set"; margin-left: 0.5rem; padding: 0 0.4rem; border-radius: 5px;
  background: var(--accent); color: var(--card); font-size: 0.75em;
}
footer { color: var(--soft); font-size: 0.85rem; padding-top: 2rem; padding-bottom: 3rem; }
@media (min-width: 68rem) {
  figure { grid-template-columns: minmax(0, 1fr) 20rem; }
  figcaption { border-top: 0; border-left: 1px solid var(--line); }
}
@media (max-width: 60rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; width: 100%; }
  tr { border-top: 1px solid var(--line); padding: 0.7rem 1rem; }
  tbody tr:first-child { border-top: 0; }
  .claims td.num, .claims td.range { width: 100%; }
  td, .claims td { border: 0; padding: 0.1rem 0; }
  .num .ends { display: inline; }
  td.num::before { content: attr(data-label) " "; color: var(--soft); font-weight: 400; }
  .claims td.mark { width: 100%; }
  .mark .detail { display: inline; margin-left: 0.5rem; }
  svg.range { width: 100%; max-width: 16rem; }
}
@media (max-width: 46rem) {
  /* A wide drawing scrolls inside its card: much below its size its words cannot be read. */
  figure .sheet { overflow-x: auto; text-align: left; }
  figure img { max-width: none; width: max(100%, var(--natural) * 0.85); }
}
@media (max-width: 38rem) {
  .sideways { display: block; }
  html { scroll-padding-top: 0; }
  nav { position: static; }
  nav .bar { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
  nav a, nav span { padding: 0.35rem 0; }
}
@media print { nav { display: none; } .card { break-inside: avoid; } }
"""
