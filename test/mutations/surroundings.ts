/**
 * What models put around an answer: fences, thoughts, talk, marks of the encoding.
 */
import { changed, choose, damages, isClosed, type Whole } from "./Damage.ts"

const startsWithHeading = ({ text }: Whole): boolean => /^\s*#{1,6} \S/.test(text)

/** Longer than any fence inside. */
const longFence = ({ text }: Whole, sign: string): string =>
  sign.repeat(Math.max(4, ...[...text.matchAll(/`+|~+/g)].map(([run]) => run.length + 1)))

const wrapped = (document: Whole, opening: string, closing: string): string | undefined =>
  startsWithHeading(document) && isClosed(document)
    ? `${opening}\n${document.text.trimEnd()}\n${closing}`.trimEnd()
    : undefined

/** Around a document without any heading, talk would be a part of it. */
const hasHeading = ({ text }: Whole): boolean => /^\s*#{1,6}\s+\S|^\s*(?:\*\*|__)\w[^*_]*(?:\*\*|__):?\s*$/m.test(text)

/** A byte order mark stays the first character. */
const before = ({ text: whole }: Whole, text: string): string =>
  whole.startsWith("\ufeff") ? `\ufeff${text}\n\n${whole.slice(1)}` : `${text}\n\n${whole}`

const after = (document: Whole, text: string): string | undefined =>
  isClosed(document) && hasHeading(document) && document.kind !== "result"
    ? `${document.text.trimEnd()}\n\n${text}\n`
    : undefined

export const surroundings = damages({
  "carriage returns": ({ text }) => text.replace(/\r?\n/g, "\r\n"),
  "byte order mark": ({ text }) => (text.startsWith("\ufeff") ? undefined : `\ufeff${text}`),
  "blank lines around": (document, random) => `${before(document, "\n".repeat(Math.floor(random() * 4)))}\n\n`,
  "one fence around everything": (document, random) =>
    wrapped(document, choose(random, "```markdown", "```md", "```"), "```"),
  "longer fence around everything": (document) => {
    const fence = longFence(document, "`")
    return wrapped(document, `${fence}markdown`, fence)
  },
  "fence of tildes around everything": (document) => {
    const fence = longFence(document, "~")
    return wrapped(document, `${fence}md`, fence)
  },
  "fence around everything that is never closed": (document) => wrapped(document, "```markdown", ""),
  "talk before": (document, random) =>
    hasHeading(document)
      ? before(
          document,
          choose(
            random,
            "Sure! Here is what you asked for:",
            "I looked at the request.\n\n- It is about **code**.\n- It needs 2 steps.\n\nSo:",
            "Okay, let me think about it. The user wants an answer in markdown.",
            "Based on the information that was given, this is my answer."
          )
        )
      : undefined,
  "thoughts in tags": (document, random) =>
    before(
      document,
      choose(
        random,
        "<think>\nFirst the goal, then the tasks.\n</think>",
        "<thinking>\nShould there be two?\n\n```ts\nconst a = 1\n</thinking>",
        "<think>\n\n</think>",
        "<reasoning>The rules say:\n## Tasks\nand so on.</reasoning>"
      )
    ),
  "thoughts whose tag is never closed": (document) =>
    startsWithHeading(document) ? before(document, "<think>\nFirst the goal, then the rest.") : undefined,
  "thoughts whose first tag is missing": (document) =>
    startsWithHeading(document) ? before(document, "First the goal, then the rest.\n</think>") : undefined,
  "talk after": (document, random) =>
    after(
      document,
      choose(
        random,
        "Let me know if you want changes!",
        "---\n\nThis should cover everything. Shall I go on?",
        "**Note:** nothing is changed before you agree.",
        "I hope this helps."
      )
    ),
  "the answer twice": (document) =>
    isClosed(document) && startsWithHeading(document) ? `${document.text.trimEnd()}\n\n${document.text}` : undefined,
  "an unfinished answer before": (document) => {
    if (!isClosed(document) || !startsWithHeading(document)) return undefined
    const begun = document.text.replace(/^(## (?:Tasks|Tool Calls|Result summary))\n[^]*/m, "$1")
    return changed(document, `${begun.trimEnd()}\n\n${document.text}`)
  }
})
