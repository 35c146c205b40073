/** The style of a report, light or dark as the reader prefers, for narrow screens and paper as well. */

export const pageStyle: string = `
:root{color-scheme:light dark;--back:#fff;--fore:#1b1f24;--dim:#57606a;--line:#d0d7de;--soft:#f6f8fa;--link:#0550ae;--good:#116329;--bad:#a40e26;--warn:#7d4e00;--add:#dafbe1;--del:#ffebe9;--plan:#8250df;--task:#1a7f37;--iterate:#bf8700;--conclude:#bf3989;--other:#6e7781}
@media (prefers-color-scheme:dark){:root{--back:#0d1117;--fore:#e6edf3;--dim:#9198a1;--line:#3d444d;--soft:#161b22;--link:#79c0ff;--good:#56d364;--bad:#ff7b72;--warn:#e3b341;--add:#12361f;--del:#4a1a1c;--plan:#a371f7;--task:#3fb950;--iterate:#d29922;--conclude:#f778ba;--other:#848d97}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--back);color:var(--fore);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.5rem 0}
h2{font-size:1.25rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3,h4,h5,h6{font-size:1rem;margin:1rem 0 .25rem}
p,ul,ol,blockquote{margin:.4rem 0}
ul,ol{padding-left:1.5rem}
blockquote{border-left:3px solid var(--line);padding-left:.75rem;color:var(--dim)}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
img{max-width:100%;border:1px solid var(--line)}
code,pre{font:.875rem/1.45 ui-monospace,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.5rem;overflow:auto;max-height:40rem;white-space:pre-wrap}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top}
.number{text-align:right;white-space:nowrap}
.skip{position:absolute;left:-100rem}
.skip:focus{left:1rem;background:var(--back);padding:.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}
dt{color:var(--dim)}
dd{margin:0}
details{border:1px solid var(--line);border-radius:4px;margin:.35rem 0}
summary{cursor:pointer;padding:.3rem .6rem}
.fold{padding:0 .75rem .5rem;border-top:1px solid var(--line)}
.dim,.legend,.axis{color:var(--dim);font-size:.9rem}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.state{white-space:nowrap;font-weight:600}
.badge{font-size:.8rem;border:1px solid var(--line);border-radius:3px;padding:0 .3rem}
.badge.new{color:var(--good)}.badge.changed{color:var(--warn)}.badge.removed{color:var(--bad)}.badge.kept{color:var(--dim)}
.diff .added{background:var(--add)}.diff .removed{background:var(--del)}
.approval{border-left:3px solid var(--line);padding-left:.75rem;margin:.5rem 0}
.timeline svg{display:block;background:var(--soft)}
.timeline h4{margin:.5rem 0 .1rem;font-weight:400;font-size:.9rem}
.axis{display:flex;justify-content:space-between;margin:.1rem 0}
rect{fill:var(--other)}
rect.task{fill:var(--line)}
rect.stage-plan{fill:var(--plan)}rect.stage-task{fill:var(--task)}rect.stage-iterate{fill:var(--iterate)}rect.stage-conclude{fill:var(--conclude)}
rect.question{fill:var(--warn)}
rect.failed{fill:var(--bad)}
rect.critical{stroke:var(--fore);stroke-width:1;vector-effect:non-scaling-stroke}
.key{border-bottom:4px solid var(--other);margin-right:.5rem;white-space:nowrap}
.key.stage-plan{border-color:var(--plan)}.key.stage-task{border-color:var(--task)}.key.stage-iterate{border-color:var(--iterate)}.key.stage-conclude{border-color:var(--conclude)}.key.critical{border-color:var(--fore)}.key.failed{border-color:var(--bad)}
@media (max-width:40rem){body{padding:.5rem}dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}.fold{padding:0 .4rem .4rem}}
@media print{body{max-width:none;padding:0;font-size:10pt}nav,.skip{display:none}pre{max-height:none}
#tasks>details::details-content,#plan>details::details-content,#timeline>details::details-content{content-visibility:visible;height:auto}
details{break-inside:auto}summary{break-after:avoid}a{color:inherit}}
`.trim()
