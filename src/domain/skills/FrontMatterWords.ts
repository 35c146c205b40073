/**
 * Says in plain words what is wrong with front matter that is not valid YAML, and how to write it, for people who do not
 * know the terms of a YAML parser.
 */
import type { YAMLParseError } from "yaml"

interface Fault {
  readonly what: string
  readonly how: string
}

const ofList = { what: "A list or a map in brackets is not closed.", how: "Close it on the same line." }
const ofKey = { what: "A line is not of the form `key: value`.", how: "Write each entry as `key: value`, in one line." }
const ofNesting = {
  what: "A value is followed by something that cannot belong to it.",
  how: "Quote values that contain a colon, and begin all keys in the first column."
}

const faults: Partial<Record<YAMLParseError["code"], Fault>> = {
  BAD_INDENT: ofList,
  BLOCK_IN_FLOW: ofList,
  BLOCK_AS_IMPLICIT_KEY: ofNesting,
  UNEXPECTED_TOKEN: ofNesting,
  MULTILINE_IMPLICIT_KEY: ofKey,
  BAD_DQ_ESCAPE: {
    what: "A value in double quotes has a backslash that stands for nothing.",
    how: "Write the backslash twice, or use single quotes."
  },
  BAD_SCALAR_START: {
    what: "A value begins with a character that YAML reserves.",
    how: "Put the value into double quotes."
  },
  DUPLICATE_KEY: { what: "A key stands here a second time.", how: "Leave all but one of these lines out." },
  MULTIPLE_DOCS: { what: "A line `---` stands inside of the front matter.", how: "Remove it." },
  TAB_AS_INDENT: { what: "A line begins with a tab.", how: "Use blanks instead." }
}

/** What is wrong, and what to do. */
export const frontMatterFault = ({ code, message }: Pick<YAMLParseError, "code" | "message">): Fault =>
  message.startsWith("Missing closing")
    ? { what: "The closing quote of a value is missing.", how: "Add it, on the same line." }
    : (faults[code] ?? ofKey)
