/**
 * The report as one HTML page that has no scripts and loads nothing. Foreign text is escaped, and the content security
 * policy allows only the page's style. Each section is a function of the data, and an entry in `sectionsOf`.
 */
import { cachedText, loadText, speedText } from "../../kit/models.ts"
import {
  aboutCheck,
  type Attempt,
  checkState,
  claimText,
  deniedText,
  passes,
  seenTexts,
  stateLine
} from "../../kit/runs.ts"
import { shortDurationText, slugOf } from "../../kit/text.ts"
import { counted } from "../../plugin-kit.ts"
import { approvalsHtml, attemptsHtml, systemParts, systemPartsHtml, taskHtml } from "./TaskHtml.ts"
import {
  collapsed,
  Html,
  listHtml,
  markup,
  nothing,
  pre,
  shortNumber,
  stateHtml,
  tableHtml,
  taskStateHtml,
  timeHtml
} from "./Html.ts"
import { type LinkContext, markdownHtml, taskAnchor } from "./MarkdownHtml.ts"
import { pageStyle } from "./PageStyle.ts"
import { type PlanRound, type ReportData, shortReport } from "./ReportData.ts"
import type { ReportSpan } from "./RunSpans.ts"

/** A plan with more tasks than this is shown folded. */
const mostOpen = 12

const changeNames = { new: "new", changed: "changed", kept: "as before" } as const

const roundHtml = (round: PlanRound, states: ReadonlyMap<string, Html>, context: LinkContext): Html => {
  const tasks = round.steps.reduce((sum, step) => sum + step.tasks.length, 0)
  const steps = round.steps.map((step) => {
    const items = step.tasks.map(({ change, name, skill }) => {
      const slug = slugOf(name)
      const badge =
        change === undefined ? nothing : markup` <span class="badge ${change}">${changeNames[change]}</span>`
      return markup`${states.get(slug) ?? stateHtml("open")} <a href="#${taskAnchor(slug)}">${name}</a>
        <span class="dim">${skill}</span>${badge}`
    })
    return markup`<h4>${step.title}</h4>${listHtml(items)}`
  })
  const dropped = round.dropped.map(
    (name) => markup`<del>${name}</del> <span class="badge removed">not planned any more</span>`
  )
  const facts = [
    tasks === 0 ? "nothing left to do" : counted(tasks, "task"),
    ...(round.finished.length === 0 ? [] : [`${round.finished.length} finished before`]),
    ...(dropped.length === 0 ? [] : [`${dropped.length} dropped`])
  ]
  const title = tasks === 0 ? `After round ${round.round - 1}` : `Round ${round.round}`
  const goals = round.goals.trim() === "" ? nothing : markdownHtml(round.goals, context)
  return markup`<details${tasks <= mostOpen ? markup` open` : ""}><summary>${title} <span class="dim">${facts.join(", ")}</span></summary>
    <div class="fold">${goals}${steps}${listHtml(dropped)}</div></details>`
}

const planHtml = ({ rounds, tasks }: ReportData, context: LinkContext): Html => {
  if (rounds.length === 0) return markup`<p>There is no plan.</p>`
  const states = new Map(tasks.map((task) => [task.slug, taskStateHtml(task)]))
  return markup`${rounds.map((round) => roundHtml(round, states, context))}`
}

const width = 1000
const laneHeight = 16
const barHeight = 12

/** A number for SVG, with two decimals. */
const number = (value: number): string => value.toFixed(2)

/** The link from a span to its task on the page. */
const targetOf = ({ task }: ReportSpan, tasks: ReadonlySet<string>): string | undefined =>
  task === undefined || !tasks.has(slugOf(task)) ? undefined : `#${taskAnchor(slugOf(task))}`

interface Scale {
  readonly whole: number
  readonly critical: ReadonlySet<ReportSpan>
  readonly tasks: ReadonlySet<string>
}

const barHtml = (span: ReportSpan, { critical, tasks, whole }: Scale): Html => {
  const { endMs, isOk, kind, lane, name, stage, startMs } = span
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
  const target = targetOf(span, tasks)
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

const columnsOf = (...names: ReadonlyArray<string>) =>
  names.map((name) => ({ name: name.replace("#", ""), isNumber: name.startsWith("#") }))

const pathHtml = ({ criticalPath: { betweenMs, spans }, workedMs }: ReportData, tasks: ReadonlySet<string>): Html => {
  const rows = spans.map((span) => {
    const target = targetOf(span, tasks)
    const time = span.endMs - span.startMs
    return [
      shortDurationText(span.startMs),
      span.kind,
      target === undefined ? span.name : markup`<a href="${target}">${span.name}</a>`,
      shortDurationText(time),
      share(time, workedMs)
    ]
  })
  return collapsed(
    markup`Critical path: ${counted(spans.length, "call")}
      <span class="dim">each began when the one before it had ended; between them ${shortDurationText(betweenMs)}</span>`,
    tableHtml(columnsOf("#At", "Kind", "What", "#Time", "#Of the run"), rows)
  )
}

const legend = markup`<p class="legend">
  <span class="key stage-plan">plan</span> <span class="key stage-task">task</span>
  <span class="key stage-iterate">iterate</span> <span class="key stage-conclude">conclude</span>
  <span class="key critical">critical path</span> <span class="key failed">failed</span>
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
      ${lanesHtml("Tasks", of("task"), scale)} ${lanesHtml(`Model calls, ${counted(slots, "slot")}`, of("model"), scale)}
      ${lanesHtml("Tool calls", of("tool"), scale)} ${lanesHtml("Questions to the user", of("question"), scale)}
      <p class="axis"><span>0 s</span><span>${shortDurationText(workedMs / 2)}</span><span>${shortDurationText(workedMs)}</span></p>
    </div>
    ${pathHtml(data, scale.tasks)}`
}

const noUsage = { calls: 0, rejected: 0, input: 0, output: 0, ms: 0 }

type StageUsage = typeof noUsage

const add = (sum: StageUsage, { answer, issues }: Attempt): StageUsage => ({
  calls: sum.calls + 1,
  rejected: sum.rejected + (issues.length > 0 ? 1 : 0),
  input: sum.input + (answer?.usage.promptTokens ?? 0),
  output: sum.output + (answer?.usage.answerTokens ?? 0),
  ms: sum.ms + (answer?.usage.durationMs ?? 0)
})

const rowOf = (name: string, { calls, input, ms, output, rejected }: StageUsage): ReadonlyArray<string | number> => [
  name,
  calls,
  rejected,
  shortNumber(input),
  shortNumber(output),
  shortDurationText(ms)
]

const usageHtml = ({ stages, tasks, usage, workedMs }: ReportData): Html => {
  const modelCalls = [...stages, ...tasks.flatMap(({ attempts }) => attempts)]
  const rows = [...Map.groupBy(modelCalls, ({ call }) => call.stage)].map(([stage, some]) =>
    rowOf(stage, some.reduce(add, noUsage))
  )
  return markup`<p>
      ${shortDurationText(workedMs)} of work, ${usage.toolCalls} tool calls. Times of model calls are added up, even if they
      went on at the same time.
    </p>
    ${tableHtml(columnsOf("Stage", "#Calls", "#Not usable", "#Tokens in", "#Tokens out", "#Time"), [...rows, rowOf("all", modelCalls.reduce(add, noUsage))])}`
}

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
  const finished = tasks.filter(({ state }) => state === "finished").length
  const facts: ReadonlyArray<readonly [name: string, value: Html | string]> = [
    ["Run", run.runId],
    ["Project", run.project],
    ...(run.model === undefined ? [] : [["Model", run.model] as const]),
    ...(run.startedAt === undefined ? [] : [["Started", timeHtml(run.startedAt)] as const]),
    ...(run.endedAt === undefined ? [] : [["Ended", timeHtml(run.endedAt)] as const]),
    ["Time", shortDurationText(workedMs)],
    ["Tasks", `${finished} of ${tasks.length} finished`],
    [
      "Tokens",
      `${shortNumber(usage.promptTokens)} in${cachedText(usage, shortNumber)}, ${shortNumber(usage.answerTokens)} out${speedText(usage)}, in ${counted(usage.modelCalls, "model call")}`
    ],
    ...(loadText(usage) === ""
      ? []
      : [["Loading", `${shortDurationText(usage.loadMs ?? 0)} until models were loaded`] as const]),
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
      ${facts.map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}
    </dl>
    ${run.prompt.trim() === titleOf(run.prompt) ? nothing : collapsed("The whole prompt", markdownHtml(run.prompt, context))}
  </header>`
}

const answerHtml = ({ messages, run }: ReportData, context: LinkContext): Html => markup`
  ${run.message === "" ? nothing : markup`<p><strong>Why it ended:</strong></p>${pre(run.message)}`}
  ${run.answer.trim() === "" ? markup`<p>There is no answer.</p>` : markdownHtml(run.answer, context)}
  ${messages.length === 0 ? nothing : collapsed(counted(messages.length, "warning"), listHtml(messages))}`

const titled = (title: string, content: Html): Html => markup`<h3>${title}</h3>${content}`

/** The facts that the program checked at the end, independent of the model's answer. */
const factsHtml = ({ run: { facts } }: ReportData): Html => {
  if (facts === undefined) return nothing
  const { checks, claims = [], denied = [], files, notDone = [], seen = [] } = facts
  const state = stateLine(facts)
  const fileRows = files.map(({ deletions, insertions, kind, path }) => [path, kind, `+${insertions}`, `-${deletions}`])
  const checkRows = checks.map((check) => [
    markup`<code>${check.command}</code>`,
    passes(check) ? checkState(check) : markup`<span class="bad">${checkState(check)}</span>`,
    check.exitCode ?? "",
    aboutCheck(check)
  ])
  return markup`
    ${files.length === 0 ? nothing : titled("Changed files", tableHtml(columnsOf("File", "Change", "#Insertions", "#Deletions"), fileRows))}
    ${checks.length === 0 ? nothing : titled("Checks", tableHtml(columnsOf("Check", "How it ended", "#Exit code", "What it says"), checkRows))}
    ${state === undefined ? nothing : markup`<p class="bad">${state}</p>`}
    ${claims.map((one) => markup`<p class="bad">${claimText(one)}</p>`)}
    ${denied.length === 0 ? nothing : titled("Denied", listHtml([...new Set(denied.map(deniedText))]))}
    ${notDone.length === 0 ? nothing : titled("Not done", listHtml(notDone.map(({ task, why }) => `${task}: ${why}`)))}
    ${seen.length === 0 ? nothing : titled("Seen in part", listHtml(seenTexts(seen)))}`
}

const sectionsOf = (data: ReportData, context: LinkContext): ReadonlyArray<Section> => {
  const { approvals, run, stages, tasks } = data
  const hasChanges = run.facts !== undefined && run.facts.files.length > 0
  const parts = systemParts([...stages, ...tasks.flatMap(({ attempts }) => attempts)])
  const ofTasks =
    tasks.length === 0 ? [markup`<p>There are none.</p>`] : tasks.map((task) => taskHtml(task, context, parts))
  const sections: ReadonlyArray<Section> = [
    { id: "answer", title: "Answer", content: answerHtml(data, context) },
    { id: "facts", title: hasChanges ? "Changes" : "Facts", content: factsHtml(data) },
    { id: "plan", title: "Plan", content: planHtml(data, context) },
    { id: "timeline", title: "Timeline", content: timelineHtml(data) },
    { id: "tasks", title: `Tasks (${tasks.length})`, content: markup`${ofTasks}` },
    { id: "approvals", title: "Other approvals", content: approvalsHtml(approvals) },
    { id: "stages", title: "Planning and conclusion", content: attemptsHtml(stages, parts) },
    { id: "prompts", title: "System parts of prompts", content: systemPartsHtml(parts) },
    { id: "usage", title: "Tokens and time", content: usageHtml(data) }
  ]
  return sections.filter(({ content }) => content.source !== "")
}

/** Makes the page. `sha256` returns a hash in base64. `home` is the reader's home folder. */
export const reportPage = (
  whole: ReportData,
  sha256: (text: string) => string,
  home = "",
  images: ReadonlyMap<string, string> = new Map()
): string => {
  /* Allows only the page's own style and embedded images. */
  const imageSource = images.size === 0 ? "" : "img-src data:; "
  const policy = `default-src 'none'; style-src 'sha256-${sha256(pageStyle)}'; ${imageSource}base-uri 'none'; form-action 'none'`
  const tasks = new Set(whole.tasks.map(({ slug }) => slug))
  const context: LinkContext = { project: whole.run.project, tasks, images }
  const data = shortReport(whole, home)
  const sections = sectionsOf(data, context)
  const page = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Html(policy)}" />
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
          ${listHtml(sections.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`))}
        </nav>
        <main>
          ${sections.map(({ content, id, title }) => markup`<section id="${id}"><h2>${title}</h2>${content}</section>`)}
        </main>
      </body>
    </html> `
  return page.source
}
