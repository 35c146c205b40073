/**
 * Tokens and time of a run by stage, on the page of its report.
 */
import { shortDurationText } from "../text/DurationText.ts"
import type { Attempt } from "../history/RunEvidence.ts"
import { markup, type Html } from "./Html.ts"
import { shortNumber } from "./PageWords.ts"
import type { ReportData } from "./ReportData.ts"

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

export const usageHtml = ({ stages, tasks, usage, workedMs }: ReportData): Html => {
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
