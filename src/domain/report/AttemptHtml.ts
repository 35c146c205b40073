/**
 * Model calls on the page of a report: the answer with what was wrong in it, and the prompt. The system part of a prompt is
 * the same in many calls, so it stands on the page once.
 */
import { shortDurationText } from "../text/DurationText.ts"
import { modelText, personText, repairText } from "../findings/PersonText.ts"
import type { Attempt } from "../history/RunEvidence.ts"
import { cachedText } from "../models/TokenCounts.ts"
import { folded, markup, type Html, nothing, pre } from "./Html.ts"
import { count, shortNumber } from "./PageWords.ts"

/** The different system parts of prompts, in the order of their first use. */
export interface SystemParts {
  /** The anchor of a text. */
  readonly anchorOf: (text: string) => string
  readonly all: ReadonlyArray<string>
}

export const systemParts = (attempts: ReadonlyArray<Attempt>): SystemParts => {
  const all = [...new Set(attempts.map(({ system }) => system))].filter((text) => text !== "")
  const places = new Map(all.map((text, index) => [text, index + 1]))
  return { all, anchorOf: (text) => `system-${places.get(text) ?? 0}` }
}

const titleOf = ({ call }: Attempt): string =>
  [
    call.stage,
    ...(call.round === 0 ? [] : [`round ${call.round}`]),
    ...(call.pass === undefined ? [] : [`pass ${call.pass}`]),
    `attempt ${call.attempt}`
  ].join(", ")

const tokens = (number: number | undefined): string => (number === undefined ? "?" : shortNumber(number))

const costText = ({ answer }: Attempt): string => {
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
  return folded(markup`${titleOf(attempt)} <span class="dim">${costText(attempt)}</span>${mark}`, [
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
