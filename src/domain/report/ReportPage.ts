/**
 * The report of a run as one HTML page that needs nothing else: no network, no script. Everything that comes from
 * models, tools and files is escaped, and the policy of the page allows its own style only. A section is a function of
 * the data and an entry in `sectionsOf`.
 */
import type { Attempt } from "../history/RunEvidence.ts"
import { cachedText } from "../models/TokenCounts.ts"
import { shortDurationText } from "../text/Format.ts"
import { slugOf } from "../text/Slug.ts"
import { approvalsHtml, attemptsHtml, systemParts, systemPartsHtml, taskHtml } from "./TaskHtml.ts"
import { count, folded, Html, markup, nothing, pre, shortNumber, stateHtml, taskStateHtml, timeHtml } from "./Html.ts"
import { type LinkContext, markdownHtml, taskAnchor } from "./MarkdownHtml.ts"
import { pageStyle } from "./PageStyle.ts"
import { type PlanRound, type ReportData, shortReport } from "./ReportData.ts"
import type { ReportSpan } from "./RunSpans.ts"

/** More tasks are folded away. */
const mostOpen = 12

const changeNames = { new: "new", changed: "changed", kept: "as before" } as const

const roundHtml = (round: PlanRound, states: ReadonlyMap<string, Html>, context: LinkContext): Html => {
  const tasks = round.steps.reduce((sum, step) => sum + step.tasks.length, 0)
  const steps = round.steps.map(
    (step) =>
      markup`<h4>${step.title}</h4>
        <ul>
          ${step.tasks.map(({ change, name, skill }) => {
            const slug = slugOf(name)
            const badge =
              change === undefined ? nothing : markup` <span class="badge ${change}">${changeNames[change]}</span>`
            return markup`<li>
              ${states.get(slug) ?? stateHtml("open")} <a href="#${taskAnchor(slug)}">${name}</a>
              <span class="dim">${skill}</span>${badge}
            </li>`
          })}
        </ul>`
  )
  const dropped = round.dropped.map(
    (name) => markup`<li><del>${name}</del> <span class="badge removed">not planned any more</span></li>`
  )
  const finished = round.finished.length
  return markup`<details${tasks <= mostOpen ? markup` open` : ""}><summary>${tasks === 0 ? `After round ${round.round - 1}` : `Round ${round.round}`} <span class="dim">${
    tasks === 0 ? "nothing left to do" : count(tasks, "task")
  }${finished === 0 ? "" : `, ${finished} finished before`}${dropped.length === 0 ? "" : `, ${dropped.length} dropped`}</span></summary>
<div class="fold">${round.goals.trim() === "" ? nothing : markdownHtml(round.goals, context)}${steps}
${
  dropped.length === 0
    ? nothing
    : markup`<ul>
        ${dropped}
      </ul>`
}</div></details>`
}

const planHtml = ({ rounds, tasks }: ReportData, context: LinkContext): Html => {
  if (rounds.length === 0) return markup`<p>There is no plan.</p>`
  const states = new Map(tasks.map((task) => [task.slug, taskStateHtml(task)]))
  return markup`${rounds.map((round) => roundHtml(round, states, context))}`
}

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

const timelineHtml = (data: ReportData): Html => {
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

interface StageUsage {
  readonly calls: number
  readonly rejected: number
  readonly input: number
  readonly output: number
  readonly ms: number
}

const none: StageUsage = { calls: 0, rejected: 0, input: 0, output: 0, ms: 0 }

const add = (sum: StageUsage, { answer, issues }: Attempt): StageUsage => ({
  calls: sum.calls + 1,
  rejected: sum.rejected + (issues.length > 0 ? 1 : 0),
  input: sum.input + (answer?.usage.promptTokens ?? 0),
  output: sum.output + (answer?.usage.answerTokens ?? 0),
  ms: sum.ms + (answer?.usage.durationMs ?? 0)
})

const rowHtml = (name: string, { calls, input, ms, output, rejected }: StageUsage): Html =>
  markup`<tr>
    <td>${name}</td>
    <td class="number">${calls}</td>
    <td class="number">${rejected}</td>
    <td class="number">${shortNumber(input)}</td>
    <td class="number">${shortNumber(output)}</td>
    <td class="number">${shortDurationText(ms)}</td>
  </tr>`

const usageHtml = ({ stages, tasks, usage, workedMs }: ReportData): Html => {
  const sums = new Map<string, StageUsage>()
  const all = [...stages, ...tasks.flatMap(({ attempts }) => attempts)]
  for (const attempt of all) sums.set(attempt.call.stage, add(sums.get(attempt.call.stage) ?? none, attempt))
  const whole = all.reduce(add, none)
  return markup`<p>
      ${shortDurationText(workedMs)} of work, ${usage.toolCalls} tool calls. The times of model calls add up, also where they
      went on at the same time.
    </p>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>Stage</th>
            <th class="number">Calls</th>
            <th class="number">Not usable</th>
            <th class="number">Tokens in</th>
            <th class="number">Tokens out</th>
            <th class="number">Time</th>
          </tr>
        </thead>
        <tbody>
          ${[...sums].map(([stage, sum]) => rowHtml(stage, sum))}${rowHtml("all", whole)}
        </tbody>
      </table>
    </div>`
}

/** The base64 of the SHA-256 of a string. */
type Sha256 = (text: string) => string

/** A part of the page with its heading. */
interface Section {
  readonly id: string
  readonly title: string
  readonly content: Html
}

const mostTitle = 120

const titleOf = (prompt: string): string => {
  const line = prompt.trim().split("\n")[0] ?? ""
  return line.length > mostTitle ? `${line.slice(0, mostTitle)}...` : line
}

const headHtml = ({ program, run, tasks, usage, workedMs }: ReportData, context: LinkContext): Html => {
  const done = tasks.filter(({ state }) => state === "finished").length
  const facts: ReadonlyArray<readonly [name: string, value: Html | string]> = [
    ["Run", run.runId],
    ["Project", run.project],
    ...(run.model === undefined ? [] : [["Model", run.model] as const]),
    ...(run.startedAt === undefined ? [] : [["Started", timeHtml(run.startedAt)] as const]),
    ...(run.endedAt === undefined ? [] : [["Ended", timeHtml(run.endedAt)] as const]),
    ["Time", shortDurationText(workedMs)],
    ["Tasks", `${done} of ${tasks.length} finished`],
    [
      "Tokens",
      `${shortNumber(usage.promptTokens)} in${cachedText(usage, shortNumber)}, ${shortNumber(usage.answerTokens)} out, in ${count(usage.modelCalls, "model call")}`
    ],
    ...(run.evidence === undefined
      ? []
      : [["Links", `${run.evidence.checked} checked, ${run.evidence.wrong} wrong and marked in the text`] as const]),
    ...(run.exitCode === undefined ? [] : [["Exit code", String(run.exitCode)] as const]),
    ["Program", `task-conductor ${program}`]
  ]
  return markup`<header>
    <p>${stateHtml(run.status)}</p>
    <h1>${titleOf(run.prompt)}</h1>
    <dl>
      ${facts.map(
        ([name, value]) =>
          markup`<dt>${name}</dt>
            <dd>${value}</dd>`
      )}
    </dl>
    ${run.prompt.trim() === titleOf(run.prompt) ? nothing : folded("The whole prompt", markdownHtml(run.prompt, context))}
  </header>`
}

const answerHtml = ({ messages, run }: ReportData, context: LinkContext): Html =>
  markup` ${
    run.message === ""
      ? nothing
      : markup`<p><strong>Why it ended:</strong></p>
          ${pre(run.message)}`
  }
  ${run.answer.trim() === "" ? markup`<p>There is no answer.</p>` : markdownHtml(run.answer, context)}
  ${
    messages.length === 0
      ? nothing
      : folded(
          count(messages.length, "warning"),
          markup`<ul>
            ${messages.map((text) => markup`<li>${text}</li>`)}
          </ul>`
        )
  }`

const sectionsOf = (data: ReportData, context: LinkContext): ReadonlyArray<Section> => {
  const { approvals, stages, tasks } = data
  const parts = systemParts([...stages, ...tasks.flatMap(({ attempts }) => attempts)])
  const sections: ReadonlyArray<Section> = [
    { id: "answer", title: "Answer", content: answerHtml(data, context) },
    { id: "plan", title: "Plan", content: planHtml(data, context) },
    { id: "timeline", title: "Timeline", content: timelineHtml(data) },
    {
      id: "tasks",
      title: `Tasks (${tasks.length})`,
      content:
        tasks.length === 0
          ? markup`<p>There are none.</p>`
          : markup`${tasks.map((task) => taskHtml(task, context, parts))}`
    },
    { id: "approvals", title: "Other approvals", content: approvalsHtml(approvals) },
    { id: "stages", title: "Planning and conclusion", content: attemptsHtml(stages, parts) },
    { id: "prompts", title: "System parts of prompts", content: systemPartsHtml(parts) },
    { id: "usage", title: "Tokens and time", content: usageHtml(data) }
  ]
  return sections.filter(({ content }) => content.source.trim() !== "")
}

/** What a browser lets the page do: use its own style, and nothing else. */
const policyOf = (sha256: Sha256): string =>
  `default-src 'none'; style-src 'sha256-${sha256(pageStyle)}'; base-uri 'none'; form-action 'none'`

/** The page; `home` is the home folder of who reads it. */
export const reportPage = (whole: ReportData, sha256: Sha256, home = ""): string => {
  const context: LinkContext = { project: whole.run.project, tasks: new Set(whole.tasks.map(({ slug }) => slug)) }
  const data = shortReport(whole, home)
  const sections = sectionsOf(data, context)
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Html(policyOf(sha256))}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="task-conductor" />
        <title>${titleOf(data.run.prompt)} (${data.run.runId})</title>
        <style>${new Html(pageStyle)}</style>
      </head>
      <body>
        <a class="skip" href="#answer">Skip to the answer</a>
        ${headHtml(data, context)}
        <nav aria-label="Parts of the report">
          <ul>
            ${sections.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>`)}
          </ul>
        </nav>
        <main>
          ${sections.map(
            ({ content, id, title }) =>
              markup`<section id="${id}">
                <h2>${title}</h2>
                ${content}
              </section> `
          )}
        </main>
      </body>
    </html> `
  return page.source
}
