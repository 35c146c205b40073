/**
 * When a run did what, on the page of its report: tasks, model calls by slot and tool calls as bars, and the calls that
 * decided how long it took.
 */
import { shortDurationText } from "../text/DurationText.ts"
import { slugOf } from "../text/Slug.ts"
import { markup, type Html, nothing } from "./Html.ts"
import { count } from "./PageWords.ts"
import type { ReportData } from "./ReportData.ts"
import { taskAnchor } from "./ReportLinks.ts"
import type { ReportSpan } from "./Spans.ts"

const width = 1000
const laneHeight = 16
const barHeight = 12

/** A number that SVG takes, with two digits. */
const number = (value: number): string => value.toFixed(2)

const anchorOf = ({ task }: ReportSpan): string | undefined =>
  task === undefined ? undefined : `#${taskAnchor(slugOf(task))}`

interface Scale {
  readonly whole: number
  readonly critical: ReadonlySet<ReportSpan>
  readonly tasks: ReadonlySet<string>
}

const barHtml = (span: ReportSpan, { critical, tasks, whole }: Scale): Html => {
  const { endMs, isOk, kind, lane, name, stage, startMs, task } = span
  const classes = [
    kind,
    ...(stage === undefined ? [] : [`stage-${stage}`]),
    ...(isOk ? [] : ["failed"]),
    ...(critical.has(span) ? ["critical"] : [])
  ]
  const bar = markup`<rect
    class="${classes.join(" ")}"
    x="${number((startMs / whole) * width)}"
    y="${lane * laneHeight + 2}"
    width="${number(Math.max(1, ((endMs - startMs) / whole) * width))}"
    height="${barHeight}"
    ><title>${name}: ${shortDurationText(endMs - startMs)}, from ${shortDurationText(startMs)}${isOk ? "" : ", failed"}</title></rect
  >`
  const target = task !== undefined && tasks.has(slugOf(task)) ? anchorOf(span) : undefined
  return target === undefined ? bar : markup`<a href="${target}" tabindex="-1">${bar}</a>`
}

const lanesHtml = (title: string, spans: ReadonlyArray<ReportSpan>, scale: Scale): Html => {
  if (spans.length === 0) return nothing
  const lanes = Math.max(...spans.map(({ lane }) => lane)) + 1
  const height = lanes * laneHeight
  return markup`<h4>${title}</h4>
    <svg
      role="img"
      aria-label="${title}"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      width="100%"
      height="${height}"
    >
      ${spans.map((span) => barHtml(span, scale))}
    </svg>`
}

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`

const pathHtml = ({ criticalPath: { betweenMs, spans }, tasks, workedMs }: ReportData): Html => {
  const known = new Set(tasks.map(({ slug }) => slug))
  const rows = spans.map((span) => {
    const target = span.task !== undefined && known.has(slugOf(span.task)) ? anchorOf(span) : undefined
    const name = target === undefined ? markup`${span.name}` : markup`<a href="${target}">${span.name}</a>`
    const time = span.endMs - span.startMs
    return markup`<tr>
      <td class="number">${shortDurationText(span.startMs)}</td>
      <td>${span.kind}</td>
      <td>${name}</td>
      <td class="number">${shortDurationText(time)}</td>
      <td class="number">${share(time, workedMs)}</td>
    </tr>`
  })
  return markup`<details>
    <summary>
      Critical path: ${count(spans.length, "call")}
      <span class="dim">each began when the one before it had ended; between them ${shortDurationText(betweenMs)}</span>
    </summary>
    <div class="fold wide">
      <table>
        <thead>
          <tr>
            <th class="number">At</th>
            <th>Kind</th>
            <th>What</th>
            <th class="number">Time</th>
            <th class="number">Of the run</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`
}

const legend = markup`<p class="legend">
  <span class="key stage-plan">plan</span> <span class="key stage-refine">refine</span>
  <span class="key stage-execute">execute</span> <span class="key stage-iterate">iterate</span>
  <span class="key stage-conclude">conclude</span> <span class="key critical">critical path</span>
  <span class="key failed">failed</span>
</p>`

export const timelineHtml = (data: ReportData): Html => {
  const { criticalPath, spans, tasks, workedMs } = data
  if (spans.length === 0) return markup`<p>Nothing was called.</p>`
  const scale: Scale = {
    whole: Math.max(1, workedMs),
    critical: new Set(criticalPath.spans),
    tasks: new Set(tasks.map(({ slug }) => slug))
  }
  const of = (kind: ReportSpan["kind"]) => spans.filter((span) => span.kind === kind)
  const slots = new Set(of("model").map(({ lane }) => lane)).size
  return markup`${legend}
    <div class="timeline">
      ${lanesHtml("Tasks", of("task"), scale)} ${lanesHtml(`Model calls, ${count(slots, "slot")}`, of("model"), scale)}
      ${lanesHtml("Tool calls", of("tool"), scale)} ${lanesHtml("Questions to the person", of("question"), scale)}
      <p class="axis"><span>0 s</span><span>${shortDurationText(workedMs / 2)}</span><span>${shortDurationText(workedMs)}</span></p>
    </div>
    ${pathHtml(data)}`
}
