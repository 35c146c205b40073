/**
 * Builds an animated SVG of terminal screens, without scripts, fonts or network. Readers who prefer no motion see the
 * last screen.
 */
import type { Frame, Line, Span } from "./TerminalFrames.ts"

const cell = { width: 8.4, height: 18 }
const margin = 16

/** The colours 0 to 15 of a terminal on a dark ground. */
const colours = [
  "#484f58",
  "#ff7b72",
  "#7ee787",
  "#e3b341",
  "#79c0ff",
  "#d2a8ff",
  "#56d4dd",
  "#c9d1d9",
  "#6e7681",
  "#ffa198",
  "#aff5b4",
  "#f8e3a1",
  "#a5d6ff",
  "#e2c5ff",
  "#b3f0ff",
  "#ffffff"
]

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")

const spanText = ({ colour, column, isBold, isDim, text }: Span): string => {
  const look = [
    ...(colour === undefined ? [] : [`fill="${colours[colour] ?? colours[7]}"`]),
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['opacity="0.65"'] : [])
  ]
  const place = `x="${(margin + column * cell.width).toFixed(1)}"`
  return `<tspan ${[place, ...look].join(" ")}>${escaped(text)}</tspan>`
}

const lineText = (line: Line, row: number): string =>
  line.length === 0
    ? ""
    : `<text y="${margin + (row + 1) * cell.height - 5}" xml:space="preserve">${line.map(spanText).join("")}</text>`

const frameText = ({ lines }: Frame, index: number): string =>
  `<g class="frame" id="f${index}">${lines.map(lineText).join("")}</g>`

/** Shows each screen for its time; the last one for `stay` ms before it repeats. */
const animation = (frames: ReadonlyArray<Frame>, stay: number): string => {
  const total = (frames.at(-1)?.at ?? 0) + stay
  const percent = (at: number): string => ((at / total) * 100).toFixed(2)
  const rules = frames.map(({ at }, index) => {
    const end = frames[index + 1]?.at ?? total
    const [from, to] = [percent(index === 0 ? 0 : at), percent(end)]
    const after = index === frames.length - 1 ? "" : `${to}%{visibility:hidden}`
    return `@keyframes k${index}{0%{visibility:hidden}${from}%{visibility:visible}${after}}#f${index}{animation:k${index} ${Math.round(total)}ms step-end infinite}`
  })
  return [
    ".frame{visibility:hidden}",
    ...rules,
    `@media (prefers-reduced-motion:reduce){.frame{animation:none!important}#f${frames.length - 1}{visibility:visible}}`
  ].join("\n")
}

export interface SvgOptions {
  readonly columns: number
  readonly rows: number
  /** The text for screen readers. */
  readonly title: string
}

/** The SVG; the last screen stays for six seconds. */
export const terminalSvg = (frames: ReadonlyArray<Frame>, { columns, rows, title }: SvgOptions): string => {
  const [width, height] = [2 * margin + columns * cell.width, 2 * margin + rows * cell.height]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" width="${width.toFixed(0)}" role="img" aria-label="${escaped(title)}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9}
${animation(frames, 6000)}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${frames.map(frameText).join("\n")}
</svg>
`
}
