/** The one style sheet of an exported page. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c1c22, #e8e8ee); --quiet: light-dark(#5d5d6b, #a3a3b2);
  --page: light-dark(#f7f7f9, #15151a); --card: light-dark(#ffffff, #1d1d24); --line: light-dark(#dfdfe6, #33333f);
  --good: light-dark(#116b3c, #6fd69b); --bad: light-dark(#b01e2d, #ff8b94); --warn: light-dark(#8a5300, #f0b860); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 24px; line-height: 1.25; margin: 4px 0 8px; overflow-wrap: anywhere; white-space: pre-wrap; }
p { margin: 6px 0; }
.quiet, time, .seq { color: var(--quiet); }
.summary { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--line); padding-left: 12px; }
code, pre, .seq, time { font-family: ui-monospace, monospace; font-size: 13px; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 999px; padding: 0 8px; font-size: 12px; line-height: 18px; }
.completed { color: var(--good); } .failed { color: var(--bad); } .suspended, .waiting { color: var(--warn); } .cancelled { color: var(--quiet); }
nav, .run, footer { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin-top: 16px; padding: 12px 16px; }
nav ul { list-style: none; margin: 0; padding-left: 20px; } nav > ul { padding-left: 0; }
a { color: inherit; }
summary { cursor: pointer; overflow-wrap: anywhere; }
ol { list-style: none; margin: 8px 0 0; padding: 0; }
ol > li { border-top: 1px solid var(--line); padding: 5px 0; }
ol > li > div, ol > li > details > summary { display: grid; grid-template-columns: 16px 36px 84px 1fr; overflow-wrap: anywhere; }
ol > li > div::before { content: ""; } ol summary::before { content: "▸"; color: var(--quiet); } ol details[open] > summary::before { content: "▾"; }
.seq { text-align: right; padding-right: 10px; } .seq, time { line-height: 23px; }
li.good .title { color: var(--good); }
li.bad .title { color: var(--bad); }
li.warn .title { color: var(--warn); }
li.quiet .title { color: var(--quiet); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
  padding: 8px 12px; margin: 6px 0 6px 136px; max-height: 480px; overflow: auto; }
footer { font-size: 13px; } table { border-collapse: collapse; display: block; overflow-x: auto; } td { padding: 2px 16px 2px 0; white-space: nowrap; }
@media print { body { background: none; } pre { max-height: none; } }
`;
