/**
 * A task on the page, with its purpose and result. Its model calls, tool calls with diffs, and approvals are folded.
 */
import { type ItemResult, itemsText, modelText, userText, repairText } from "../../kit/documents.ts"
import { cachedText, resultText } from "../../kit/models.ts"
import { type Attempt, attemptText, type CallEvidence, toolCallText, type UnrunCall } from "../../kit/runs.ts"
import { shortDurationText } from "../../kit/text.ts"
import { badExit, type ToolResult } from "../../kit/tools.ts"
import { type ApprovalItem, counted } from "../../plugin-kit.ts"
import { collapsed, type Html, listHtml, markup, nothing, pre, shortNumber, tableHtml, taskStateHtml } from "./Html.ts"
import { type LinkContext, markdownHtml, reportLink, taskAnchor } from "./MarkdownHtml.ts"
import type { ReportApproval, ReportTask } from "./ReportData.ts"

type SystemParts = ReturnType<typeof systemParts>

/** The system texts of prompts, each once, in the order of use, with anchors. */
export const systemParts = (attempts: ReadonlyArray<Attempt>) => {
  const all = [...new Set(attempts.map(({ system }) => system))].filter((text) => text !== "")
  const places = new Map(all.map((text, index) => [text, index + 1]))
  return { all, anchorOf: (text: string): string => `system-${places.get(text) ?? 0}` }
}

const attemptTitle = ({ call }: Attempt): string =>
  [call.stage, ...(call.round === 0 ? [] : [`round ${call.round}`]), attemptText(call)].join(", ")

const tokens = (number: number | undefined): string => (number === undefined ? "?" : shortNumber(number))

const attemptCost = ({ answer }: Attempt): string => {
  if (answer === undefined) return "no answer"
  const { answerTokens, durationMs, promptTokens } = answer.usage
  return `${tokens(promptTokens)} tokens in${cachedText(answer.usage, tokens)}, ${tokens(answerTokens)} out, ${shortDurationText(durationMs)}`
}

const findings = ({ failures, issues, repairs }: Attempt): Html =>
  listHtml([
    ...failures.map((text) => markup`<span class="bad">failed</span> ${text}`),
    ...issues.map(
      (issue) =>
        markup`<span class="bad">not usable</span> ${userText(issue)}<br /><span class="dim">The model was told: ${modelText(issue)}</span>`
    ),
    ...repairs.map((repair) => markup`<span class="warn">repaired</span> ${repairText(repair)}`)
  ])

const attemptHtml = (attempt: Attempt, parts: SystemParts): Html => {
  const { answer, issues, system, user } = attempt
  const mark = issues.length > 0 ? markup` <span class="bad">${counted(issues.length, "issue")}</span>` : nothing
  const systemLink =
    system === "" ? nothing : markup`<p><a href="#${parts.anchorOf(system)}">System part of the prompt</a></p>`
  return collapsed(markup`${attemptTitle(attempt)} <span class="dim">${attemptCost(attempt)}</span>${mark}`, [
    findings(attempt),
    answer === undefined ? nothing : markup`<h5>Answer</h5>${pre(answer.text)}`,
    answer === undefined || answer.thinking === "" ? nothing : collapsed("Thinking", pre(answer.thinking)),
    systemLink,
    user === "" ? nothing : collapsed(`Prompt, ${counted(user.length, "character")}`, pre(user))
  ])
}

export const attemptsHtml = (attempts: ReadonlyArray<Attempt>, parts: SystemParts): Html =>
  markup`${attempts.map((attempt) => attemptHtml(attempt, parts))}`

export const systemPartsHtml = ({ all, anchorOf }: SystemParts): Html =>
  markup`${all.map((text, index) => collapsed(`System part ${index + 1}, ${counted(text.length, "character")}`, pre(text), anchorOf(text)))}`

/** The embedded images of a result. */
const imagesHtml = ({ files = [] }: ToolResult, { images = new Map() }: LinkContext): Html =>
  markup`${files.flatMap(({ hash, name }) => {
    const url = images.get(hash)
    return url === undefined ? [] : [markup`<p><img src="${url}" alt="${name}" /></p>`]
  })}`

const resultHtml = ({ result }: CallEvidence, context: LinkContext): Html => {
  if (result === undefined) return markup`<p>It did not finish.</p>`
  const { log = [] } = result
  const notes = log.length === 0 ? nothing : markup`<h5>Notes of the tool</h5>${pre(log.join("\n"))}`
  return result.success
    ? markup`<h5>Output</h5>
        ${pre(resultText(result))}${imagesHtml(result, context)}${notes}`
    : markup`<h5>Failed: ${result.error_type}</h5>
        ${pre(result.error_message ?? "")}${notes}`
}

const callState = ({ result }: CallEvidence): Html => {
  if (result === undefined) return markup`<span class="warn">did not finish</span>`
  if (!result.success) return markup`<span class="bad">${errorWords(result)}</span>`
  const { data_size_bytes: bytes, execution_time_ms: time } = result.metadata
  const exit = badExit(result)
  return markup`${exit === undefined ? nothing : markup`<span class="bad">${exit}</span> `}<span class="dim">${shortNumber(bytes)} bytes, ${shortDurationText(time)}</span>`
}

const errorWords = ({ error_type }: ToolResult): string => error_type.replaceAll("_", " ")

const argumentsHtml = ({ call, id }: Pick<UnrunCall, "call" | "id">, more = ""): Html =>
  markup`<p>Round ${id.round}, ${call.uid}${more}</p><h5>Arguments</h5>${pre(JSON.stringify(call.arguments, null, 2))}`

const callHtml = (evidence: CallEvidence, context: LinkContext): Html =>
  collapsed(markup`<code>${evidence.call.name}</code> ${evidence.targets.join(" ")} ${callState(evidence)}`, [
    argumentsHtml(evidence, `, risk ${evidence.risk}`),
    resultHtml(evidence, context)
  ])

/** A denied or impossible call. */
const unrunHtml = (unrun: UnrunCall): Html =>
  collapsed(markup`<code>${toolCallText(unrun.call)}</code> <span class="warn">${errorWords(unrun.result)}</span>`, [
    argumentsHtml(unrun),
    pre(unrun.result.error_message ?? "")
  ])

const lineClass = (line: string): string => {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "dim"
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""
}

const diffHtml = (diff: string): Html =>
  markup`<pre tabindex="0" class="diff"><code>${diff
    .split("\n")
    .map((line) => markup`<span class="${lineClass(line)}">${`${line}\n`}</span>`)}</code></pre>`

const itemHtml = ({ details = [], preview = "", targets, tool, warnings = [], words }: ApprovalItem): Html => {
  const lines = [...details, ...warnings, ...(words === undefined ? [] : [words.consequence])]
  return markup`<code>${tool}</code> ${targets.join(" ")}
    ${lines.map((text) => markup`<br /><span class="dim">${text}</span>`)}
    ${preview === "" ? nothing : diffHtml(preview)}`
}

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
    ${listHtml(approval.items.map(itemHtml))}
  </div>`

export const approvalsHtml = (approvals: ReadonlyArray<ReportApproval>): Html => markup`${approvals.map(approvalHtml)}`

const costText = ({ attempts, calls }: ReportTask): string => {
  const usages = attempts.flatMap(({ answer }) => (answer === undefined ? [] : [answer.usage]))
  const tokens = usages.reduce((sum, { answerTokens = 0, promptTokens = 0 }) => sum + answerTokens + promptTokens, 0)
  const ms = usages.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return [
    counted(attempts.length, "model call"),
    counted(calls.length, "tool call"),
    `${shortNumber(tokens)} tokens`,
    shortDurationText(ms)
  ].join(", ")
}

const referencesHtml = ({ references }: ReportTask, context: LinkContext): Html =>
  listHtml(
    references.map(({ characters, hash, href, shown: shownCharacters, title, tokens }) => {
      const target = reportLink(href, context)
      const name =
        target === undefined
          ? markup`${title} <span class="dim">${href}</span>`
          : markup`<a href="${target}">${title}</a>`
      const part = shownCharacters === undefined ? "" : `, of which ${shownCharacters} were shown`
      return markup`${name}
        <span class="dim">${characters} characters${part}, about ${tokens} tokens, sha256 ${hash.slice(0, 16)}</span>`
    })
  )

/** The items, in a table and counted by state. */
const itemsHtml = (items: ReadonlyArray<ItemResult>): Html =>
  markup`<p>${itemsText(items)}</p>
    ${tableHtml(
      ["Item", "State", "Result", "Files"].map((name) => ({ name, isNumber: false })),
      items.map(({ files = [], item, note, state }) => [
        item,
        state === "done" || state === "unchanged" ? state : markup`<span class="bad">${state}</span>`,
        note,
        files.join(", ")
      ])
    )}`

/** A part with its heading; nothing without content. */
const part = (title: string, content: Html): Html =>
  content.source === "" ? nothing : markup`<h4>${title}</h4>${content}`

/**
 * The folded section of the page about one task. `context` resolves links. `parts` are the system texts of all prompts
 * on the page.
 */
export const taskHtml = (task: ReportTask, context: LinkContext, parts: SystemParts): Html => {
  const { result, skill, unrun = [], whatIsNeeded } = task
  return collapsed(
    markup`${taskStateHtml(task)} <strong>${task.task}</strong>
      <span class="dim">${skill === undefined ? "" : `${skill}, `}${costText(task)}</span>`,
    [
      part("Purpose", whatIsNeeded === undefined ? nothing : markdownHtml(whatIsNeeded, context)),
      task.items === undefined
        ? part("Result", result === undefined ? nothing : markdownHtml(result, context))
        : part("Items", itemsHtml(task.items)),
      part("Why there is no result", listHtml(task.failures)),
      part("Files written", listHtml(task.filesWritten)),
      part("Approvals", approvalsHtml(task.approvals)),
      part("References", referencesHtml(task, context)),
      part("Tool calls", markup`${task.calls.map((call) => callHtml(call, context))}`),
      part("Calls that were not run", markup`${unrun.map(unrunHtml)}`),
      part("Model calls", attemptsHtml(task.attempts, parts)),
      result === undefined ? nothing : collapsed("The result as the model wrote it", pre(result))
    ],
    taskAnchor(task.slug)
  )
}
