/**
 * One task on the page of a report: in brief what it was for and what was found, and folded away everything else: its
 * model calls, its tool calls with changes as coloured diffs, and its approvals.
 */
import { modelText, personText, repairText } from "../findings/IssueText.ts"
import type { Attempt, CallEvidence, UnrunCall } from "../history/RunEvidence.ts"
import { cachedText } from "../models/TokenCounts.ts"
import type { ApprovalItem } from "../permissions/ApprovalItem.ts"
import { toolCallText } from "../runs/CallText.ts"
import { shortDurationText } from "../text/Format.ts"
import { resultText } from "../models/OutputText.ts"
import { badExit } from "../tools/ToolCall.ts"
import { count, folded, type Html, markup, nothing, pre, shortNumber, taskStateHtml } from "./Html.ts"
import { type LinkContext, markdownHtml, reportLink, taskAnchor } from "./MarkdownHtml.ts"
import type { ReportApproval, ReportTask } from "./ReportData.ts"

/** The different system parts of prompts, in the order of their first use. */
interface SystemParts {
  /** The anchor of a string. */
  readonly anchorOf: (text: string) => string
  readonly all: ReadonlyArray<string>
}

export const systemParts = (attempts: ReadonlyArray<Attempt>): SystemParts => {
  const all = [...new Set(attempts.map(({ system }) => system))].filter((text) => text !== "")
  const places = new Map(all.map((text, index) => [text, index + 1]))
  return { all, anchorOf: (text) => `system-${places.get(text) ?? 0}` }
}

const attemptTitle = ({ call }: Attempt): string =>
  [call.stage, ...(call.round === 0 ? [] : [`round ${call.round}`]), `attempt ${call.attempt}`].join(", ")

const tokens = (number: number | undefined): string => (number === undefined ? "?" : shortNumber(number))

const attemptCost = ({ answer }: Attempt): string => {
  if (answer === undefined) return "no answer"
  const { answerTokens, durationMs, promptTokens } = answer.usage
  return `${tokens(promptTokens)} tokens in${cachedText(answer.usage, tokens)}, ${tokens(answerTokens)} out, ${shortDurationText(durationMs)}`
}

const findings = ({ failures, issues, repairs }: Attempt): Html => {
  const lines = [
    ...failures.map((text) => markup`<li><span class="bad">failed</span> ${text}</li>`),
    ...issues.map(
      (issue) =>
        markup`<li>
          <span class="bad">not usable</span> ${personText(issue)}<br /><span class="dim"
            >The model was told: ${modelText(issue)}</span
          >
        </li>`
    ),
    ...repairs.map((repair) => markup`<li><span class="calm">repaired</span> ${repairText(repair)}</li>`)
  ]
  return lines.length === 0
    ? nothing
    : markup`<ul>
        ${lines}
      </ul>`
}

const attemptHtml = (attempt: Attempt, parts: SystemParts): Html => {
  const { answer, issues, system, user } = attempt
  const mark = issues.length > 0 ? markup` <span class="bad">${count(issues.length, "issue")}</span>` : nothing
  const systemLink =
    system === "" ? nothing : markup`<p><a href="#${parts.anchorOf(system)}">System part of the prompt</a></p>`
  return folded(markup`${attemptTitle(attempt)} <span class="dim">${attemptCost(attempt)}</span>${mark}`, [
    findings(attempt),
    answer === undefined
      ? nothing
      : markup`<h5>Answer</h5>
          ${pre(answer.text)}`,
    answer === undefined || answer.thinking === "" ? nothing : folded("Thinking", pre(answer.thinking)),
    systemLink,
    user === "" ? nothing : folded(`Prompt, ${count(user.length, "character")}`, pre(user))
  ])
}

export const attemptsHtml = (attempts: ReadonlyArray<Attempt>, parts: SystemParts): Html =>
  markup`${attempts.map((attempt) => attemptHtml(attempt, parts))}`

/** The texts that prompts link to. */
export const systemPartsHtml = ({ all, anchorOf }: SystemParts): Html =>
  markup`${all.map((text, index) => folded(`System part ${index + 1}, ${count(text.length, "character")}`, pre(text), anchorOf(text)))}`

const resultHtml = ({ result }: CallEvidence): Html => {
  if (result === undefined) return markup`<p>It did not finish.</p>`
  return result.success
    ? markup`<h5>Output</h5>
        ${pre(resultText(result))}`
    : markup`<h5>Failed: ${result.error_type}</h5>
        ${pre(result.error_message ?? "")}`
}

const callHtml = (evidence: CallEvidence): Html => {
  const { call, result, risk, targets } = evidence
  const state =
    result === undefined
      ? markup`<span class="calm">did not finish</span>`
      : result.success
        ? markup`${badExit(result) === undefined ? nothing : markup`<span class="bad">${badExit(result)}</span> `}<span class="dim"
            >${shortNumber(result.metadata.data_size_bytes)} bytes, ${shortDurationText(result.metadata.execution_time_ms)}</span
          >`
        : markup`<span class="bad">${result.error_type.replaceAll("_", " ")}</span>`
  return folded(markup`<code>${call.name}</code> ${targets.join(" ")} ${state}`, [
    markup`<p>Round ${evidence.id.round}, ${call.uid}, risk ${risk}</p>
      <h5>Arguments</h5>`,
    pre(JSON.stringify(call.arguments, null, 2)),
    resultHtml(evidence)
  ])
}

const callsHtml = (calls: ReadonlyArray<CallEvidence>): Html => markup`${calls.map(callHtml)}`

/** Calls that were denied or could not be used. */
const unrunHtml = (calls: ReadonlyArray<UnrunCall>): Html =>
  markup`${calls.map(({ call, id, result }) =>
    folded(
      markup`<code>${toolCallText(call)}</code> <span class="calm">${result.error_type.replaceAll("_", " ")}</span>`,
      [
        markup`<p>Round ${id.round}, ${call.uid}</p>
          <h5>Arguments</h5>`,
        pre(JSON.stringify(call.arguments, null, 2)),
        pre(result.error_message ?? "")
      ]
    )
  )}`

const lineClass = (line: string): string => {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "dim"
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""
}

/** A unified diff. */
const diffHtml = (diff: string): Html =>
  markup`<pre tabindex="0" class="diff"><code>${diff
    .split("\n")
    .map((line) => markup`<span class="${lineClass(line)}">${`${line}\n`}</span>`)}</code></pre>`

const itemHtml = ({ details = [], preview = "", targets, tool, warnings = [], words }: ApprovalItem): Html =>
  markup`<li>
    <code>${tool}</code> ${targets.join(" ")}
    ${[...details, ...warnings, ...(words === undefined ? [] : [words.consequence])].map((text) => markup`<br /><span class="dim">${text}</span>`)}
    ${preview === "" ? nothing : diffHtml(preview)}
  </li>`

const answers: Readonly<Record<string, string>> = {
  step: "approved",
  remaining: "approved, with all later steps",
  chosen: "approved in part",
  decline: "declined",
  once: "approved",
  session: "approved for the run",
  remember: "approved for good",
  deny: "denied",
  again: "run again",
  done: "treated as done",
  stop: "stopped"
}

const byText: Readonly<Record<string, string>> = {
  person: "by a person",
  rule: "by a rule or flag",
  nobody: "since nobody could be asked"
}

const answerText = ({ answer, by = "" }: ReportApproval): string =>
  answer === undefined ? "not answered" : `${answers[answer] ?? answer} ${byText[by] ?? ""}`.trimEnd()

const approvalHtml = (approval: ReportApproval): Html =>
  markup`<div class="approval">
    <p><strong>${approval.title}</strong>: ${answerText(approval)}</p>
    ${approval.instead === undefined ? nothing : markup`<p>Instead: ${approval.instead}</p>`}
    <ul>
      ${approval.items.map(itemHtml)}
    </ul>
  </div>`

export const approvalsHtml = (approvals: ReadonlyArray<ReportApproval>): Html => markup`${approvals.map(approvalHtml)}`

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

const referencesHtml = ({ references }: ReportTask, context: LinkContext): Html =>
  markup`<ul>
    ${references.map(({ characters, hash, href, shown, title, tokens }) => {
      const target = reportLink(href, context)
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

/** `context` resolves links; `parts` are the system parts of all prompts of the page. */
export const taskHtml = (task: ReportTask, context: LinkContext, parts: SystemParts): Html => {
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
      part("What it was for", whatIsNeeded !== undefined, markdownHtml(whatIsNeeded ?? "", context)),
      part("Result", result !== undefined, markdownHtml(result ?? "", context)),
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
      part("References", references.length > 0, referencesHtml(task, context)),
      part("Tool calls", calls.length > 0, callsHtml(calls)),
      part("Calls that were not run", unrun.length > 0, unrunHtml(unrun)),
      part("Model calls", attempts.length > 0, attemptsHtml(attempts, parts)),
      result === undefined ? nothing : folded("The result as the model wrote it", pre(result))
    ],
    taskAnchor(slug)
  )
}
