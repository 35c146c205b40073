/**
 * Text in a skill that was meant for its author: what a template leaves behind. Called by domain/skills/SkillLint.
 */
import { fenceByLine, findFences } from "../markdown/MarkdownFences.ts"

const placeholder =
  /\b(?:TODO|FIXME|TBD)\b|\blorem ipsum\b|<(?:your|insert|describe|add|replace)\b[^<>]*>|\[(?:your|insert|describe|add|replace)\b[^\][]*\](?!\()|^\s*(?:[-*+]\s*)?(?:\.{3}|…)\s*$/i

/** Placeholders outside of code, with their lines counted from 1. */
export const placeholdersIn = (text: string): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
  const lines = text.split("\n")
  const fenced = fenceByLine(findFences(lines, () => true))
  return lines.flatMap((line, index) => {
    const found = fenced.has(index) ? null : placeholder.exec(line.replace(/`[^`]*`/g, ""))
    return found === null ? [] : [{ line: index + 1, text: found[0].trim() }]
  })
}
