/**
 * The report of a run as one HTML page that needs nothing else: no network, no script. Everything that comes from models,
 * tools and files is escaped, and the policy of the page allows its own style only.
 */
import { cachedText } from "../models/TokenCounts.ts"
import { shortDurationText } from "../text/DurationText.ts"
import { attemptsHtml, systemParts, systemPartsHtml } from "./AttemptHtml.ts"
import { approvalsHtml } from "./CallHtml.ts"
import { folded, Html, markup, nothing, pre } from "./Html.ts"
import { markdownHtml } from "./MarkdownHtml.ts"
import { pageStyle } from "./PageStyle.ts"
import { count, shortNumber, stateHtml, timeHtml } from "./PageWords.ts"
import { planHtml } from "./PlanHtml.ts"
import type { ReportData } from "./ReportData.ts"
import type { LinkWorld } from "./ReportLinks.ts"
import { shortReport } from "./ShortReport.ts"
import { taskHtml } from "./TaskHtml.ts"
import { timelineHtml } from "./TimelineHtml.ts"
import { usageHtml } from "./UsageHtml.ts"

/** The base64 of the SHA-256 of a text. */
export type Sha256 = (text: string) => string

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

const headHtml = ({ program, run, tasks, usage, workedMs }: ReportData, world: LinkWorld): Html => {
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
    ${run.prompt.trim() === titleOf(run.prompt) ? nothing : folded("The whole prompt", markdownHtml(run.prompt, world))}
  </header>`
}

const answerHtml = ({ messages, run }: ReportData, world: LinkWorld): Html =>
  markup` ${
    run.message === ""
      ? nothing
      : markup`<p><strong>Why it ended:</strong></p>
          ${pre(run.message)}`
  }
  ${run.answer.trim() === "" ? markup`<p>There is no answer.</p>` : markdownHtml(run.answer, world)}
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

const sectionsOf = (data: ReportData, world: LinkWorld): ReadonlyArray<Section> => {
  const { approvals, stages, tasks } = data
  const parts = systemParts([...stages, ...tasks.flatMap(({ attempts }) => attempts)])
  const sections: ReadonlyArray<Section> = [
    { id: "answer", title: "Answer", content: answerHtml(data, world) },
    { id: "plan", title: "Plan", content: planHtml(data, world) },
    { id: "timeline", title: "Timeline", content: timelineHtml(data) },
    {
      id: "tasks",
      title: `Tasks (${tasks.length})`,
      content:
        tasks.length === 0
          ? markup`<p>There are none.</p>`
          : markup`${tasks.map((task) => taskHtml(task, world, parts))}`
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
  const world: LinkWorld = { project: whole.run.project, tasks: new Set(whole.tasks.map(({ slug }) => slug)) }
  const data = shortReport(whole, home)
  const sections = sectionsOf(data, world)
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
        ${headHtml(data, world)}
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
