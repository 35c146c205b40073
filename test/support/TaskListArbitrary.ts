/**
 * Arbitrary task lists in normal form: texts without blank ends, one line where the document has one, references that
 * are what their targets say. The texts are made of what is awkward in markdown.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { readReference } from "../../src/domain/grammar/ReferenceForm.ts"
import type { Reference } from "../../src/domain/plan/Reference.ts"
import { Task } from "../../src/domain/plan/Task.ts"
import type { CodeBlock } from "../../src/domain/markdown/PromptBlock.ts"
import { Step, TaskList } from "../../src/domain/plan/TaskList.ts"
import { markdownTokens } from "./documentTokens.ts"

const piece = Arbitrary.schema(Schema.Literals(markdownTokens))
const noise = Arbitrary.schema(Schema.String.check(Schema.isMaxLength(8)))

const raw = Arbitrary.map(Arbitrary.array(Arbitrary.all([piece, noise]), { maxLength: 12 }), (pairs) =>
  pairs.map(([awkwardPart, noisePart]) => awkwardPart + (noisePart.length > 5 ? noisePart : "")).join("")
)

const clean = (text: string): string => text.replaceAll("\r", "").replaceAll("\0", "").trim()

/** The reader takes a list whose last line begins a link for half a list. */
const beginsLink = /\[[^[\]]+\]\([^)\s`]*$/

/** Without blanks at line ends and repeated blank lines, which the reader does not keep, and without half a link. */
const tidy = (text: string): string =>
  clean(
    clean(text)
      .split("\n")
      .map((one) => one.trimEnd())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
  ).replace(beginsLink, "$&)")

/** Ends a text that by chance looks as if it broke off: a list that ends so is refused. */
const ended = (text: string): string =>
  /\s(?:the|an|and|or|of)(?:\s*-->|[\s)\]*_])*$|\[[^[\]]+\]\([^)\s`]*$/.test(text) ? `${text}.` : text

/** Separates what by chance looks like a count, as in `Task section 2 /3`: such a name announces more tasks. */
const uncounted = (text: string): string => text.replace(/(\d\s*)(?=\/|(?:out )?of\b)/g, "$1x ")

/** Free text, not empty. */
export const arbitraryText: Arbitrary.Arbitrary<string> = Arbitrary.map(raw, (text) => ended(tidy(text)) || "text")

const line = Arbitrary.map(raw, (text) => ended(uncounted(clean(text.replace(/[\n\u2028\u2029]/g, " ")))) || "line")

const word = Arbitrary.schema(
  Schema.Literals(["main", "Foo_Bar", "a b", "x(y)", "[id]", "ä", "a&amp;b", "a<b>", "b`c", "d'e", "f\\g", "%20", "--"])
)
const start = Arbitrary.schema(Schema.Literals(["#", "src/", "/abs/", "https://example.org/", "../"]))
const end = Arbitrary.schema(Schema.Literals(["", ".ts", "#L10-L20", "#heading"]))
const href = Arbitrary.map(
  Arbitrary.all([start, Arbitrary.array(word, { minLength: 1, maxLength: 3 }), end]),
  ([first, words, last]) => first + words.join("-") + last
)

const fallback: Reference = { kind: "file", title: "main", href: "src/main.ts", target: "src/main.ts" }

const reference = Arbitrary.map(Arbitrary.all([line, href]), ([title, target]): Reference => {
  const form = readReference(title.replace(/\s+/g, " ").trim(), target)
  return form._tag === "Plain" && form.repair === undefined ? form.reference : fallback
})

const language = Arbitrary.schema(Schema.Literals(["", "ts", "json", "a b", "`tick`", "~", "{.x}"]))
const blockText = Arbitrary.map(raw, (text) => text.replaceAll("\r", "").replaceAll("\0", ""))
const codeBlock: Arbitrary.Arbitrary<CodeBlock> = Arbitrary.all({
  language,
  text: Arbitrary.map(blockText, (text) => (text === "\n" ? "" : text))
})

const few = { maxLength: 3 }
const some = { minLength: 1, maxLength: 3 }
const number = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))

const draft = Arbitrary.all({
  name: line,
  skill: line,
  whatIsNeeded: arbitraryText,
  expectedOutput: arbitraryText,
  references: Arbitrary.array(reference, few),
  results: Arbitrary.array(Arbitrary.all([number, line]), few),
  requiresApproval: Arbitrary.schema(Schema.Boolean),
  codeBlocks: Arbitrary.array(codeBlock, few)
})

const suffix = Arbitrary.schema(Schema.Literals(["", ": research", " (last)", " - ä"]))
const draftStep = Arbitrary.all({ suffix, tasks: Arbitrary.array(draft, some) })

/** Task lists with this many steps. Names are made different, results refer to earlier steps. */
const taskLists = (steps: { readonly minLength?: number; readonly maxLength: number }): Arbitrary.Arbitrary<TaskList> =>
  Arbitrary.map(
    Arbitrary.all({ goals: arbitraryText, steps: Arbitrary.array(draftStep, steps) }),
    ({ goals, steps }) => {
      const done: Array<Task> = []
      let count = 0
      const built = steps.map(({ suffix: titleEnd, tasks }, index) => {
        const made = tasks.map(({ results, ...fields }) => {
          count += 1
          const earlier = results.flatMap(([pick, title]): ReadonlyArray<Reference> => {
            const producer = done[pick % Math.max(1, done.length)]
            const plain = title.replace(/\s+/g, " ").trim()
            return producer === undefined
              ? []
              : [{ kind: "task_result", title: plain, href: `#${producer.slug}-results`, target: producer.slug }]
          })
          return new Task({
            ...fields,
            name: `${fields.name} ${count}`,
            references: [...fields.references, ...earlier]
          })
        })
        done.push(...made)
        const [first, ...rest] = made
        if (first === undefined) throw new Error("a step has at least one task")
        return new Step({ title: `Task section ${index + 1}${titleEnd}`, tasks: [first, ...rest] })
      })
      return new TaskList({ goals, steps: built })
    }
  )

/** Task lists of any shape, also without steps. */
export const arbitraryTaskList = taskLists(few)

/** Task lists with a task. */
export const arbitraryWork = taskLists(some)
