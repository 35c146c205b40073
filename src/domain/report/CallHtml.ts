/**
 * Tool calls and approvals on the page of a report, with changes as coloured diffs.
 */
import { shortDurationText } from "../text/DurationText.ts"
import type { CallEvidence, UnrunCall } from "../history/RunEvidence.ts"
import type { ApprovalItem } from "../permissions/ApprovalItem.ts"
import { callWords } from "../runs/CallWords.ts"
import { dataText } from "../tools/ToolCall.ts"
import { folded, markup, type Html, nothing, pre } from "./Html.ts"
import { shortNumber } from "./PageWords.ts"
import type { ReportApproval } from "./ReportData.ts"

const resultHtml = ({ result }: CallEvidence): Html => {
  if (result === undefined) return markup`<p>It did not finish.</p>`
  return result.success
    ? markup`<h5>Output</h5>
        ${pre(dataText(result.data))}`
    : markup`<h5>Failed: ${result.error_type}</h5>
        ${pre(result.error_message ?? "")}`
}

const callHtml = (evidence: CallEvidence): Html => {
  const { call, result, risk, targets } = evidence
  const state =
    result === undefined
      ? markup`<span class="calm">did not finish</span>`
      : result.success
        ? markup`<span class="dim"
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

export const callsHtml = (calls: ReadonlyArray<CallEvidence>): Html => markup`${calls.map(callHtml)}`

/** Calls that were denied or could not be used. */
export const unrunHtml = (calls: ReadonlyArray<UnrunCall>): Html =>
  markup`${calls.map(({ call, id, result }) =>
    folded(
      markup`<code>${callWords(call)}</code> <span class="calm">${result.error_type.replaceAll("_", " ")}</span>`,
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
export const diffHtml = (diff: string): Html =>
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
