/**
 * Plans with mistakes of every rule: the example of each rule about plans, then lists put together from several examples,
 * many of them damaged. The same seed gives the same plan.
 */
import { harmless, meaningful } from "../mutations/MutationScore.ts"
import { choose, pick, type Random, randomFrom } from "../mutations/Damage.ts"
import { type ExampleKind, exampleKinds } from "./ExampleKinds.ts"
import { type RuleExample, ruleExamples } from "./RuleExamples.ts"

const aboutPlans: ReadonlySet<ExampleKind> = new Set([
  "task-list",
  "tasks",
  "task",
  "references",
  "project-task",
  "project-references"
])

/** The rules about plans. */
/* Whether a task repeats another is known where the finished tasks are. */
export const planExamples: ReadonlyArray<RuleExample> = ruleExamples.filter(
  ({ code, kind }) => aboutPlans.has(kind) && code !== "task-repeated"
)

const ofTasks = planExamples.filter(({ kind }) => kind === "task" || kind === "project-task")
const ofReferences = planExamples.filter(({ kind }) => kind === "references" || kind === "project-references")

const textOf = (examples: ReadonlyArray<RuleExample>, random: Random): string => {
  const example = pick(examples, random)
  return (random() < 0.5 ? example?.before : example?.after) ?? ""
}

/** A reference of an example, or to a task that there is not. */
const aReference = (random: Random): string =>
  random() < 0.1 ? "[nobody](task://nobody.md)" : textOf(ofReferences, random)

const aTask = (number: number, random: Random): string =>
  [
    `- **Name** Work ${number}`,
    "- **What is needed** Read the loader.",
    `- **Skill** ${choose(random, "read-code", "search-code", "edit-files", "explain-file", "read_code", "guess")}`,
    ...(random() < 0.8 ? [`- **References** ${aReference(random)}`] : []),
    ...(number > 1 && random() < 0.5 ? [`- **References** [before](#work-${number - 1}-results)`] : []),
    "- **Expected output** One paragraph."
  ].join("\n")

/** A list of some sections, each with tasks of its own and of examples. */
const composed = (random: Random): string => {
  const sections = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => {
    const tasks = random() < 0.5 ? [aTask(index + 1, random)] : [aTask(index + 1, random), textOf(ofTasks, random)]
    return `### Task section ${index + 1}\n\n${tasks.join("\n\n")}\n`
  })
  return exampleKinds.tasks.frame(sections.join("\n"))
}

const damaged = (text: string, random: Random): string => {
  const damage = pick(random() < 0.5 ? harmless : meaningful, random)
  return damage?.apply({ kind: "task-list", text, options: {} }, random) ?? text
}

/** So many plans; the examples come first. */
export const generatedPlans = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => {
    const example = planExamples[index]
    if (example !== undefined) return exampleKinds[example.kind].frame(example.before)
    const random = randomFrom(index)
    const text = composed(random)
    return random() < 0.5 ? damaged(text, random) : text
  })
