/**
 * What `skills lint` finds in the body of a SKILL.md: headings that no model sees, inputs that only look typed, links to
 * nothing, text that was meant for the author. Called by domain/skills/SkillLint.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import { linksOf, parseMarkdown } from "../markdown/MarkdownTree.ts"
import { outline, proseLines } from "../markdown/Outline.ts"
import { skillPart } from "./SkillBody.ts"
import { type FrontMatter, readFrontMatter } from "./SkillFrontMatter.ts"
import { readSkillInputs } from "./SkillInput.ts"
import { decodeText } from "../text/TextEncoding.ts"

/** What a template leaves behind. */
const placeholder =
  /\b(?:TODO|FIXME|TBD)\b|\blorem ipsum\b|<(?:your|insert|describe|add|replace)\b[^<>]*>|\[(?:your|insert|describe|add|replace)\b[^\][]*\](?!\()|^\s*(?:[-*+]\s*)?(?:\.{3}|…)\s*$/i

const isLocal = (href: string): boolean => href !== "" && !/^(?:[a-z][a-z0-9+.-]*:|#|\/\/)/i.test(href)

const bodyLinks = ({ body, bodyLine }: FrontMatter) =>
  Option.match(parseMarkdown(body, bodyLine), {
    onNone: () => [],
    onSome: (tree) => linksOf(tree).filter(({ href }) => isLocal(href))
  })

/** Links of a skill to files, as they stand, without what follows a `#`. */
export const skillLinks = (bytes: Uint8Array): ReadonlyArray<string> =>
  Result.match(Result.flatMap(decodeText(bytes), readFrontMatter), {
    onFailure: () => [],
    onSuccess: (matter) => bodyLinks(matter).map(({ href }) => href.replace(/#.*$/, ""))
  })

const checkHeadings = ({ body, bodyLine }: FrontMatter, findings: Findings): void => {
  const sections = outline(body)
  if (!sections.some((section) => skillPart(section) !== undefined)) return
  let isOurs = false
  for (const section of sections.filter(({ level }) => level === 1 || level === 2)) {
    isOurs = skillPart(section) !== undefined
    if (isOurs) continue
    const where = { section: section.title, line: bodyLine + section.line - 1 }
    addRepair(
      findings,
      "skill-heading-unknown",
      where,
      `No model sees the text under "${section.title}": put it under one of our headings.`
    )
  }
}

const checkInputs = ({ body, bodyLine }: FrontMatter, findings: Findings): void => {
  const section = outline(body).find((one) => skillPart(one) === "input-requirements")
  if (section === undefined) return
  const lines = body.split("\n")
  const under = lines.slice(section.line).findIndex((line) => line.trim() !== "")
  for (const { how, kind, line, what } of readSkillInputs(section.body).faults) {
    const where = { section: section.title, line: bodyLine - 1 + section.line + under + line }
    addIssue(findings, kind === "type" ? "skill-input-type" : "skill-input-name", where, { what, how })
  }
}

const checkLinks = (matter: FrontMatter, files: ReadonlySet<string>, findings: Findings): void => {
  for (const { href, line } of bodyLinks(matter)) {
    if (files.has(href.replace(/#.*$/, ""))) continue
    addIssue(
      findings,
      "skill-link-broken",
      { line },
      {
        what: `There is no file "${href}" in the folder of the skill.`,
        quote: href
      }
    )
  }
}

const checkPlaceholders = ({ body, bodyLine }: FrontMatter, findings: Findings): void => {
  for (const { line, text } of proseLines(body)) {
    const quote = placeholder.exec(text.replace(/`[^`]*`/g, ""))?.[0].trim()
    if (quote === undefined) continue
    const what = `"${quote}" is text for the author.`
    addIssue(findings, "skill-placeholder", { line: bodyLine - 1 + line }, { what, quote })
  }
}

/** Records everything that concerns the body alone; `files` are the links that lead to a file. */
export const checkBody = (matter: FrontMatter, files: ReadonlySet<string>, findings: Findings): void => {
  checkPlaceholders(matter, findings)
  checkHeadings(matter, findings)
  checkInputs(matter, findings)
  checkLinks(matter, files, findings)
}
