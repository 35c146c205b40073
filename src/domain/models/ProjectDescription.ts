/**
 * Selects the text about the project for prompts: AGENTS.md and similar files, or the beginning of a README. It takes
 * at most an eighth of the context window.
 */
import * as Schema from "effect/Schema"
import { outline } from "../markdown/Outline.ts"
import { cutAtParagraph } from "../text/Excerpt.ts"
import { charactersIn, unaskedWindow } from "./PromptSize.ts"

/** A file that describes the project. `path` is relative to the project. */
export const DescriptionFile = Schema.Struct({ path: Schema.String, text: Schema.String })
export type DescriptionFile = typeof DescriptionFile.Type

const cutNote = (path: string, left: number): string =>
  `(The beginning of ${path}; ${left} characters are left out. Refer to the file for them.)`

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/**
 * The text of a file, below a line that names the file and the folder that it describes. A file in the project's root
 * gets no such line.
 */
const headed = ({ path, text }: DescriptionFile): string =>
  path.startsWith("../")
    ? `(From ${path}, for the whole repository:)\n\n${text}`
    : folderOf(path) === "" || path.startsWith(".github/")
      ? text
      : `(From ${path}, for what is below ${folderOf(path)}:)\n\n${text}`

/** True for a README in the top folder. It describes the project, but not how to work in it. */
export const isReadme = (path: string): boolean => /^readme\b/i.test(path)

/** Images, with or without links around them, and HTML tags. */
const decoration = /\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?(?:\](?:\([^)]*\)|\[[^\]]*\]))?|<[^>]+>/g

/** Removes the lines of a README that contain only images, such as badges, or only HTML tags. Lines in fences stay. */
const withoutDecoration = (file: DescriptionFile): DescriptionFile => {
  if (!isReadme(file.path)) return file
  let isQuoted = false
  const lines = file.text.split("\n").filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isQuoted = !isQuoted
    return isQuoted || line.trim() === "" || line.replace(decoration, "").trim() !== ""
  })
  return {
    ...file,
    text: lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trimStart()
  }
}

/** The minimum and maximum length of a README in prompts, in characters. */
const leadLeast = 200
const leadMost = 1200

/**
 * The maximum length of a file in prompts, in characters. Of a README, only the first sections are shown, because they
 * explain the project. Later sections explain installation and use, which the project map shows in fewer words.
 */
const mostOf = ({ path, text }: DescriptionFile): number => {
  if (!isReadme(path)) return Number.MAX_SAFE_INTEGER
  const lines = text.split("\n")
  const endOf = (line: number) =>
    lines
      .slice(0, line - 1)
      .join("\n")
      .trimEnd().length + 2
  const ends = outline(text).sections.map(({ line }) => endOf(line))
  return Math.min(leadMost, ends.find((end) => end >= leadLeast) ?? leadMost)
}

const cutTo = (file: DescriptionFile, budget: number): string => {
  const whole = headed(file)
  const most = mostOf(file)
  if (whole.length <= Math.min(budget, most)) return whole
  const space = Math.min(most, budget - cutNote(file.path, whole.length).length - 2)
  if (space < 100) return ""
  const { omittedCharacters, text } = cutAtParagraph(whole, space)
  return `${text}\n\n${cutNote(file.path, omittedCharacters)}`
}

/**
 * Selects the texts that fit the window (in tokens). The first of `files` is from the nearest folder and has priority.
 * It comes last in the prompt, because a model weighs the last text most. `note` tells the user which files are cut.
 */
export const fitDescription = (files: ReadonlyArray<DescriptionFile>, window: number, most = Infinity) => {
  const budget = Math.floor(Math.min(charactersIn(window / 8), most))
  let budgetLeft = budget
  const parts = files.map(withoutDecoration).map((file) => {
    const text = cutTo(file, budgetLeft)
    budgetLeft -= text.length + 2
    return { file, text, isWhole: text === headed(file) || mostOf(file) < Number.MAX_SAFE_INTEGER }
  })
  const cut = parts.filter(({ isWhole }) => !isWhole).map(({ file }) => file)
  const names = cut.map(({ path, text }) => `${path} (${text.length} characters)`).join(", ")
  const note = `Prompts hold only the beginning of ${names}: descriptions of the project may have ${budget} characters, an eighth of the context window (${window} tokens). Shorten the files, or raise contextWindow.`
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .toReversed()
      .join("\n\n"),
    files: parts.flatMap(({ file, text }) => (text === "" ? [] : [file.path])),
    ...(cut.length === 0 ? {} : { note })
  }
}

/** Selects the rules and the README of the project within one budget. The rules have priority. */
export const fitRulesAndReadme = (files: ReadonlyArray<DescriptionFile>, window: number) => {
  const rules = fitDescription(
    files.filter(({ path }) => !isReadme(path)),
    window
  )
  const readme = fitDescription(
    files.filter(({ path }) => isReadme(path)),
    window,
    charactersIn(unaskedWindow(window) / 8) - rules.text.length
  )
  return { ...rules, readme: readme.text }
}
