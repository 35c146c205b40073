/**
 * One task on the page of a report: in brief what it was for and what was found, and folded away everything else.
 */
import { shortDurationText } from "../text/DurationText.ts"
import { attemptsHtml, type SystemParts } from "./AttemptHtml.ts"
import { approvalsHtml, callsHtml, unrunHtml } from "./CallHtml.ts"
import { folded, markup, type Html, nothing, pre } from "./Html.ts"
import { markdownHtml } from "./MarkdownHtml.ts"
import { count, shortNumber, taskStateHtml } from "./PageWords.ts"
import type { ReportTask } from "./ReportData.ts"
import { type LinkWorld, reportLink, taskAnchor } from "./ReportLinks.ts"

/** Tokens and time of the model calls of a task. */
const costText = ({ attempts, calls }: ReportTask): string => {
  const usages = attempts.flatMap(({ answer }) => (answer === undefined ? [] : [answer.usage]))
  const tokens = usages.reduce((sum, { answerTokens = 0, promptTokens = 0 }) => sum + answerTokens + promptTokens, 0)
  const ms = usages.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return [
    count(attempts.length, "model call"),
    count(calls.length, "tool call"),
    `${shortNumber(tokens)} tokens`,
    shortDurationText(ms)
  ].join(", ")
}

const referencesHtml = ({ references }: ReportTask, world: LinkWorld): Html =>
  markup`<ul>
    ${references.map(({ characters, hash, href, shown, title, tokens }) => {
      const target = reportLink(href, world)
      const name =
        target === undefined
          ? markup`${title} <span class="dim">${href}</span>`
          : markup`<a href="${target}">${title}</a>`
      const part = shown === undefined ? "" : `, of which ${shown} were shown`
      return markup`<li>
        ${name}
        <span class="dim">${characters} characters${part}, about ${tokens} tokens, sha256 ${hash.slice(0, 16)}</span>
      </li>`
    })}
  </ul>`

const part = (title: string, isThere: boolean, content: Html): Html =>
  isThere
    ? markup`<h4>${title}</h4>
        ${content}`
    : nothing

/** `world` resolves links; `parts` are the system parts of all prompts of the page. */
export const taskHtml = (task: ReportTask, world: LinkWorld, parts: SystemParts): Html => {
  const {
    approvals,
    attempts,
    calls,
    failures,
    filesWritten,
    references,
    result,
    skill,
    slug,
    unrun = [],
    whatIsNeeded
  } = task
  return folded(
    markup`${taskStateHtml(task)} <strong>${task.task}</strong>
      <span class="dim">${skill === undefined ? "" : `${skill}, `}${costText(task)}</span>`,
    [
      part("What it was for", whatIsNeeded !== undefined, markdownHtml(whatIsNeeded ?? "", world)),
      part("Result", result !== undefined, markdownHtml(result ?? "", world)),
      part(
        "Why there is no result",
        failures.length > 0,
        markup`<ul>
          ${failures.map((text) => markup`<li>${text}</li>`)}
        </ul>`
      ),
      part(
        "Files written",
        filesWritten.length > 0,
        markup`<ul>
          ${filesWritten.map((path) => markup`<li>${path}</li>`)}
        </ul>`
      ),
      part("Approvals", approvals.length > 0, approvalsHtml(approvals)),
      part("References", references.length > 0, referencesHtml(task, world)),
      part("Tool calls", calls.length > 0, callsHtml(calls)),
      part("Calls that were not run", unrun.length > 0, unrunHtml(unrun)),
      part("Model calls", attempts.length > 0, attemptsHtml(attempts, parts)),
      result === undefined ? nothing : folded("The result as the model wrote it", pre(result))
    ],
    taskAnchor(slug)
  )
}
