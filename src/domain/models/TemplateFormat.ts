/**
 * Reads a prompt template: markdown with placeholders `{name}`, optional parts `{#name}...{/name}`, and one marker line
 * between the system part and the user part. Called by services/models/Prompts when the program starts, so that a template that
 * does not hold what its stage fills in is found before any run.
 */
import * as Option from "effect/Option"
import type { Issue, Reading } from "../findings/Issue.ts"
import { makeIssue } from "../findings/IssueCode.ts"
import {
  type PromptTemplate,
  type TemplateName,
  type TemplatePart,
  templatePlaceholders,
  userPartMarker
} from "./PromptTemplate.ts"

/** `{#name}` and `{/name}` alone on a line, `{name}` alone on a line, any of them elsewhere. JSON never matches. */
const tokens = /^\{([#/])([A-Za-z][\w-]*)\}(?:\n|$)|^\{([A-Za-z][\w-]*)\}(?:\n{1,2}|$)|\{([#/]?)([A-Za-z][\w-]*)\}/gm

interface Scan {
  readonly parts: ReadonlyArray<TemplatePart>
  readonly used: ReadonlySet<string>
  readonly issues: ReadonlyArray<Issue>
}

const scan = (text: string, firstLine: number, known: ReadonlyArray<string>): Scan => {
  const parts: Array<TemplatePart> = []
  const used = new Set<string>()
  const issues: Array<Issue> = []
  let open: string | undefined
  let rest = 0
  const where = (placeholder: string, at: number) => ({
    field: placeholder,
    line: firstLine + text.slice(0, at).split("\n").length - 1
  })
  const scope = () => (open === undefined ? {} : { within: open })
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] ?? match[4] ?? ""
    const placeholder = match[2] ?? match[3] ?? match[5] ?? ""
    if (match.index > rest) parts.push({ _tag: "Text", text: text.slice(rest, match.index), ...scope() })
    rest = match.index + match[0].length
    if (!known.includes(placeholder)) {
      issues.push(
        makeIssue("placeholder-unknown", where(placeholder, match.index), {
          what: `There is no placeholder {${placeholder}}.`,
          how: `Use one of: ${known.map((name) => `{${name}}`).join(", ")}.`
        })
      )
    } else if (kind === "") {
      used.add(placeholder)
      parts.push({ _tag: "Slot", placeholder, block: match[3] !== undefined, ...scope() })
    } else if (kind === "#" ? open !== undefined : open !== placeholder) {
      issues.push(
        makeIssue("optional-part-unbalanced", where(placeholder, match.index), {
          what: `{${kind}${placeholder}} stands where ${open === undefined ? "no optional part" : `the optional part {#${open}}`} is open.`
        })
      )
    } else {
      open = kind === "#" ? placeholder : undefined
    }
  }
  if (rest < text.length) parts.push({ _tag: "Text", text: text.slice(rest), ...scope() })
  if (open !== undefined) {
    issues.push(
      makeIssue("optional-part-unbalanced", where(open, text.length), {
        what: `The optional part {#${open}} has no end.`,
        how: `Add {/${open}}.`
      })
    )
  }
  return { parts, used, issues }
}

/**
 * Reads a template. Issues: no marker line or a second one, a placeholder that is unknown or missing, an optional part
 * `{#name}...{/name}` that is not closed.
 */
export const parseTemplate = <Name extends TemplateName>(name: Name, text: string): Reading<PromptTemplate<Name>> => {
  const known: ReadonlyArray<string> = templatePlaceholders[name]
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const markers = lines.flatMap((line, index) => (line === userPartMarker ? [index] : []))
  const marker = markers[0]
  if (marker === undefined || markers.length > 1) {
    const code = marker === undefined ? "marker-missing" : "marker-doubled"
    const issue = makeIssue(
      code,
      { line: (markers[1] ?? 0) + 1 },
      {
        what: `The marker line stands in the template ${markers.length} times.`,
        how: `Put the line ${userPartMarker} between the system part and the user part, exactly once.`
      }
    )
    return { value: Option.none(), issues: [issue], repairs: [] }
  }
  const system = scan(lines.slice(0, marker).join("\n"), 1, known)
  const user = scan(lines.slice(marker + 1).join("\n"), marker + 2, known)
  const missing = known
    .filter((placeholder) => !system.used.has(placeholder) && !user.used.has(placeholder))
    .map((placeholder) =>
      makeIssue("placeholder-missing", { field: placeholder }, { what: `The placeholder {${placeholder}} is missing.` })
    )
  return {
    value: Option.some({ name, system: system.parts, user: user.parts }),
    issues: [...system.issues, ...user.issues, ...missing],
    repairs: []
  }
}
