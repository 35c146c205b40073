/**
 * The embedded model's values for the typed inputs of a skill: the format in the prompt says which there are, the words
 * of the task give the values. Called by RefinementAnswer.
 */
import { outline } from "../../../domain/markdown/Outline.ts"
import type { Clues, PathClue } from "./Clues.ts"

/** What a task gives to fill inputs with. */
export interface InputMaterial {
  /** The words of the task. */
  readonly text: string
  readonly clues: Clues
  /** Files that the task names or that its references point to, in order. */
  readonly paths: ReadonlyArray<PathClue>
}

const inputLine = /^- `([^`]+)`: <(.+); (required|optional)>$/gm

const firstOf = (values: ReadonlyArray<string>): string | undefined => values[0]

/** A value for the kind of input that the format describes; nothing when the task has none. */
const valueFor = (kind: string, isRequired: boolean, material: InputMaterial, taken: Set<string>) => {
  const { clues, paths, text } = material
  const unused = (values: ReadonlyArray<string>) => values.find((value) => !taken.has(value))
  const lower = text.toLowerCase()
  if (kind.startsWith("one of: ")) {
    const choices = kind.slice("one of: ".length).split(", ")
    return choices.find((choice) => lower.includes(choice.toLowerCase())) ?? (isRequired ? firstOf(choices) : undefined)
  }
  switch (kind.split(" ")[0]) {
    case "path":
      return unused(paths.map(({ path }) => path)) ?? firstOf(paths.map(({ path }) => path))
    case "URL":
      return unused(clues.urls)
    case "number":
      return unused(clues.numbers.map(String))
    case "yes":
      return isRequired ? (/\b(?:not|no|never|without)\b/.test(lower) ? "no" : "yes") : undefined
    default:
      return unused(clues.quoted) ?? (isRequired ? (unused(clues.terms) ?? text) : undefined)
  }
}

/** The lines under `## Inputs`; empty when the skill has no typed inputs. */
export const inputsMarkdown = (system: string, material: InputMaterial): string => {
  const section = outline(system).find(({ level, title }) => level === 2 && title === "Inputs")
  const taken = new Set<string>()
  return [...(section?.body ?? "").matchAll(inputLine)]
    .flatMap(([, name = "", kind = "", need]) => {
      const value = valueFor(kind, need === "required", material, taken)
      if (value === undefined) return []
      taken.add(value)
      return [`- \`${name}\`: ${value}`]
    })
    .join("\n")
}
