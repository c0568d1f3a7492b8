/** The style sheet of the sign-in page. */
export const SIGN_IN_CSS = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f3f6f8, #0f171c); --card: light-dark(#ffffff, #17222a);
  --ink: light-dark(#16242c, #e6eef2); --soft: light-dark(#5a6b75, #93a5b0); --line: light-dark(#c6d2d9, #3a4c58);
  --accent: light-dark(#0e6f78, #5cc2c9); --on-accent: light-dark(#ffffff, #0f171c);
  --bad: light-dark(#a8180f, #ff8a80); --bad-bg: light-dark(#fdecea, #3a1f1f); --water: light-dark(#6fb4d2, #3f7f9c);
}
* { box-sizing: border-box; margin: 0; }
body {
  min-height: 100vh; display: grid; place-items: center; padding: 24px 16px;
  background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main {
  width: 100%; max-width: 380px; padding: 32px; background: var(--card);
  border: 1px solid color-mix(in srgb, var(--line) 60%, transparent); border-radius: 12px;
  box-shadow: 0 12px 40px rgb(10 30 40 / 8%);
}
header { display: flex; align-items: center; gap: 14px; margin-bottom: 24px; }
header svg { flex: none; width: 48px; height: 48px; }
.plane { fill: var(--accent); }
.float { stroke: var(--accent); }
.water { stroke: var(--water); }
h1 { font-size: 22px; line-height: 1.2; letter-spacing: -0.01em; }
header p, .hint { color: var(--soft); font-size: 13px; }
label { display: block; margin-bottom: 4px; font-size: 13px; font-weight: 600; }
input {
  width: 100%; margin-bottom: 16px; padding: 9px 11px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--paper); color: inherit; font: inherit;
}
button {
  width: 100%; padding: 10px; border: 0; border-radius: 6px; background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.error { margin-bottom: 16px; padding: 10px 12px; border-radius: 6px; background: var(--bad-bg); color: var(--bad); }
.hint { margin-top: 20px; overflow-wrap: anywhere; }
`;
