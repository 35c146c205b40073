/**
 * `task-conductor explain CODE`: the meaning of a rule, what to do, and an example. Without a code, it lists all rules.
 * `npm run generate` makes the examples from fixtures of the tests.
 */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { type FindingRule, ruleFamilies, ruleOf, rules } from "../../kit/documents.ts"
import { Output, switchFlag, usageFailure, withHelp } from "../../kit/terminal.ts"
import { nearest, printable, printableJson } from "../../kit/text.ts"
import examples from "./ruleExamples.json" with { type: "json" }

/** A text that breaks the rule, and its repaired form. */
interface RuleExample {
  /** What the text is, such as a task list. */
  readonly about: string
  readonly before: string
  readonly after: string
  /** Codes of further findings in `before`. */
  readonly alongside: ReadonlyArray<string>
}

const exampleOf = (code: string): RuleExample | undefined =>
  (examples as Readonly<Record<string, RuleExample | undefined>>)[code]

const effectOf = {
  error: "An issue: the text is rejected, and its author gets the message.",
  warning: "A repair with a warning: the text is accepted, but something may be lost or unwanted.",
  note: "A repair: the text is accepted, with a note."
} as const

const indented = (text: string): string =>
  text === "" ? "    (nothing)" : text.trimEnd().replaceAll(/^(?=.)/gm, "    ")

const exampleText = ({ about, after, alongside, before }: RuleExample): ReadonlyArray<string> => [
  `Before: ${about}${alongside.length === 0 ? "" : ` (also found: ${alongside.join(", ")})`}`,
  indented(before),
  "After:",
  indented(after)
]

/** All that is known about a rule, as paragraphs. */
const ruleText = (rule: FindingRule): string => {
  const example = exampleOf(rule.code)
  return [
    `${rule.code}: ${rule.title}`,
    `${effectOf[rule.severity]} ${rule.why}`,
    `To do: ${rule.fix}`,
    ...(rule.help === undefined ? [] : [`If the model of a run does not get it right: ${rule.help}`]),
    ...(rule.source === undefined ? [] : [`Source: ${rule.source}`]),
    ...(example === undefined ? [] : exampleText(example))
  ].join("\n\n")
}

const listText = (): string =>
  ruleFamilies
    .map(({ rules: listed, title }) =>
      [title, ...Object.entries(listed).map(([code, rule]) => `  ${code.padEnd(32)} ${rule.title}`)].join("\n")
    )
    .join("\n\n")

/** The rule for a code that a user typed. */
const findRule = Effect.fn("findRule")(function* (code: string) {
  const rule = ruleOf(code)
  if (rule !== undefined) return rule
  const close = nearest(
    code,
    rules.map((each) => each.code)
  )
  const hint = close.length === 0 ? "" : ` Did you mean ${close.join(" or ")}?`
  return yield* usageFailure(`There is no rule ${printable(code)}.${hint} task-conductor explain lists all.`)
})

export const explain = Command.make(
  "explain",
  {
    codes: Argument.String("CODE").pipe(
      Argument.withDescription("The code of an issue or repair, such as tool-unknown; without one, all are listed"),
      Argument.atLeast(0)
    ),
    json: switchFlag("json", "Print the rules as one JSON array")
  },
  Effect.fn("explain")(function* ({ codes, json }) {
    const { result } = yield* Output
    const chosen = codes.length === 0 ? rules : yield* Effect.forEach(codes, findRule)
    if (json)
      return yield* result(
        printableJson(
          chosen.map((rule) => ({ ...rule, example: exampleOf(rule.code) })),
          2
        )
      )
    yield* result(codes.length === 0 ? listText() : chosen.map(ruleText).join("\n\n"))
  })
).pipe(
  withHelp("Explain the code of an issue or repair: meaning, remedy and an example. Without a code, list all", {
    "task-conductor explain reference-glob": "What the code in brackets means",
    "task-conductor explain": "All codes, by family"
  })
)
