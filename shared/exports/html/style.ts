/** Hues and lightness are those of the app: distinct for colour-blind readers, 4.5:1 on every fill, light and dark. */
const LIGHT = `--ground:#f6f6f3;--panel:#fff;--ink:#1c1f24;--quiet:#575d66;--line:#dddbd4;--strong:#b9b6ad;--accent:#0a5c9e;
--error:#a8330a;--error-soft:#fbe8de;--warning:#7d5200;--warning-soft:#fdf0d0;--info:#4c5561;--info-soft:#e9ebee;--ok:#00624a;--ok-soft:#dff1ea;
--trained:#cfe3f6;--trained-ink:#0c3557;--edge:#0a5c9e;--masked:#5a606a;--padding:#575c64;--hatch:#e4e1da;--range:#fff4cf`
const DARK = `--ground:#16181c;--panel:#1d2025;--ink:#e6e5e1;--quiet:#a3a9b2;--line:#31353c;--strong:#4b515b;--accent:#7fbcee;
--error:#ff9d75;--error-soft:#41231a;--warning:#f2be5c;--warning-soft:#3a2e15;--info:#b4bcc7;--info-soft:#2a2f36;--ok:#6fd0ae;--ok-soft:#17352b;
--trained:#17426a;--trained-ink:#e3f1fd;--edge:#7fbcee;--masked:#a0a6af;--padding:#989ea8;--hatch:#2c3037;--range:#3b3319`

/** The state of a token never rests on its colour alone: trained is underlined, padding hatched, unknown dotted. */
export const STYLE = `
:root{color-scheme:light dark;${LIGHT};font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink)}
main{max-width:76rem;margin:0 auto;padding:2rem 1.5rem 3rem}
h1{margin:0 0 .3rem;font-size:1.55rem;line-height:1.25}
h2{margin:2.4rem 0 .8rem;font-size:1.2rem}
h3{margin:1.6rem 0 .5rem;font-size:1rem}
p{margin:.4rem 0}
ul{margin:.2rem 0;padding-left:1.2rem}
dl{margin:0}dt{margin-top:.7rem;font-weight:600;font-size:.87rem}dd{margin:0}
code,.w{font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.9em;overflow-wrap:anywhere;unicode-bidi:isolate}
a{color:var(--accent)}
summary{cursor:pointer}
.card>summary,.more>summary{list-style:none}
.card>summary::-webkit-details-marker,.more>summary::-webkit-details-marker{display:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.soft{color:var(--quiet)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.93rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;font-weight:inherit}
thead th{color:var(--quiet);font-size:.85rem}
th.n,td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.card{margin:.7rem 0;padding:.75rem 1.1rem;border:1px solid var(--line);border-left:4px solid var(--strong);border-radius:8px;background:var(--panel)}
.card>summary{display:flex;flex-wrap:wrap;gap:.2rem .8rem;align-items:baseline}
.card>summary::before,.more>summary::before{content:"▸ ";color:var(--quiet)}
.card[open]>summary::before,.more[open]>summary::before{content:"▾ "}
.card>summary b{font-size:1.02rem}
.card.supported,.card.error{border-left-color:var(--error)}
.card.contradicted{border-left-color:var(--ok)}
.card.inconclusive,.card.warning{border-left-color:var(--warning)}
.chip{display:inline-block;padding:0 .7rem;border-radius:99px;background:var(--info-soft);color:var(--info);font-size:.87rem;font-weight:650;white-space:nowrap}
.chip.supported,.chip.error{background:var(--error-soft);color:var(--error)}
.chip.contradicted{background:var(--ok-soft);color:var(--ok)}
.chip.inconclusive,.chip.warning{background:var(--warning-soft);color:var(--warning)}
.intended>.level{color:var(--quiet)}.error>.level{color:var(--error)}.warning>.level{color:var(--warning)}.info>.level{color:var(--info)}
.level{font-weight:650;white-space:nowrap}
.finding{padding:.55rem 0;border-top:1px solid var(--line)}
.finding:first-of-type{border-top:0}
.finding>p{margin:.15rem 0}
.finding>p:first-child{unicode-bidi:isolate}
.more>summary{padding:.4rem 0;color:var(--quiet)}
.w{margin:.4rem 0 .2rem;padding:.45rem .7rem;border:1px solid var(--line);border-radius:6px;background:var(--panel);font-size:.83rem;line-height:1.95;overflow-wrap:anywhere;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.w i{padding:.1rem 0;border-left:1px solid color-mix(in srgb,currentColor 22%,transparent);font-style:normal;white-space:pre-wrap;unicode-bidi:isolate}
.w i:hover{outline:1px solid var(--accent)}
.w small{margin:0 .4rem;color:var(--quiet);font-family:system-ui,sans-serif}
.t{background:var(--trained);color:var(--trained-ink)}
.t i{border-bottom:2px solid var(--edge)}
.m{color:var(--masked)}
.p{background:repeating-linear-gradient(135deg,var(--hatch) 0 2px,transparent 2px 6px);color:var(--padding)}
.u{color:var(--info);text-decoration:underline dotted 1px currentColor;text-underline-offset:4px}
.x{text-decoration:underline wavy 1px var(--error);text-underline-offset:4px}
i.s{outline:1px solid var(--strong);outline-offset:-1px}
mark{padding:.14rem 0;background:var(--range);color:inherit;border-top:2px solid var(--warning);border-bottom:2px solid var(--warning);-webkit-box-decoration-break:clone;box-decoration-break:clone}
mark::before{content:"⟦";color:var(--warning);font-weight:700}
mark::after{content:"⟧";color:var(--warning);font-weight:700}
.gap{margin:0 .4rem;color:var(--quiet);font:600 .8rem system-ui,sans-serif}
.turn{display:inline-block;margin:0 .35rem;padding:0 .45rem;border-radius:4px;background:var(--info-soft);color:var(--info);font:600 .75rem/1.6 system-ui,sans-serif}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:1rem 0;font-size:.93rem}
footer{margin-top:3rem;color:var(--quiet);font-size:.87rem}
@media print{
:root{${LIGHT};font-size:11px}
body{background:#fff}main{max-width:none;padding:0}
.card,.finding,tr{break-inside:avoid}
details.card{break-inside:auto}
h2,h3,summary{break-after:avoid}
details::details-content{content-visibility:visible;height:auto}
details.more:not([open]){display:none}
}
`
