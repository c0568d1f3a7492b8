/** The style sheet of plain pages. Their policy allows exactly this text. */
export const PLAIN_PAGE_CSS = `
:root {
  --paper: #f3f6f8; --card: #ffffff; --ink: #16242c; --soft: #5a6b75; --line: #dde5ea;
  --good: #1a7f4b; --good-bg: #e6f5ec; --bad: #b3261e; --bad-bg: #fdecea; --plane: #0e6f78; --water: #6fb4d2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f171c; --card: #17222a; --ink: #e6eef2; --soft: #93a5b0; --line: #273540;
    --good: #5fd394; --good-bg: #15302a; --bad: #ff8a80; --bad-bg: #3a1f1f; --plane: #5cc2c9; --water: #3f7f9c;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main {
  width: 100%; max-width: 38rem; padding: 2.25rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 12px 40px rgb(10 30 40 / 8%);
}
header { display: flex; align-items: center; gap: 1.1rem; margin-bottom: 1.75rem; }
header svg { flex: none; width: 72px; height: 72px; }
svg .plane { fill: var(--plane); }
svg .float { stroke: var(--plane); }
svg .water { stroke: var(--water); }
h1 { font-size: 1.9rem; line-height: 1.15; letter-spacing: -0.02em; }
header p, .about, footer, dt { color: var(--soft); }
.state { display: flex; gap: 0.9rem; padding: 1rem 1.15rem; border-radius: 12px; }
.state.ok { background: var(--good-bg); }
.state.failing { background: var(--bad-bg); }
.state h2 { font-size: 1.05rem; }
.state.ok h2 { color: var(--good); }
.state.failing h2 { color: var(--bad); }
.dot { flex: none; width: 0.8rem; height: 0.8rem; margin-top: 0.4rem; border-radius: 50%; }
.ok .dot { background: var(--good); }
.failing .dot { background: var(--bad); }
dl { margin: 1.5rem 0; }
dl div { display: flex; flex-wrap: wrap; gap: 0.15rem 1rem; padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 7rem; }
dd { flex: 1 1 16rem; overflow-wrap: anywhere; }
.badge { margin-right: 0.35rem; padding: 0.1rem 0.55rem; border-radius: 99px; font-size: 0.85rem; font-weight: 600; }
.badge.ok { background: var(--good-bg); color: var(--good); }
.badge.failing { background: var(--bad-bg); color: var(--bad); }
code { font: 0.9em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.about { font-size: 0.95rem; }
.then { margin-top: 1rem; overflow-wrap: anywhere; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem; margin-top: 1.5rem; font-size: 0.875rem; }
a { color: var(--plane); }
`;
