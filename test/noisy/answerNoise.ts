/**
 * Answers that are no document of their stage: broken off, empty, endless, of another stage, of another shape, or copied
 * from the format.
 */
import { choose } from "../mutations/Damage.ts"
import { group, type Noise, only } from "./Noise.ts"
import { plannedFor } from "./KnowingModel.ts"
import { sectionOf, taskIn } from "./PromptView.ts"

const summaryOf = (text: string): string => text.replace(/^## Result summary\s*/, "").trim()

const taskOf = (task: string): Readonly<Record<string, string>> => {
  const [name = ""] = task.split("\n", 1)
  const fields = [...task.matchAll(/^- \*\*(.+?)\*\* ?(.*)$/gm)].map(([, label, value]) => [label, value])
  return { name, ...Object.fromEntries(fields) }
}

const tasksOf = (text: string): ReadonlyArray<Readonly<Record<string, string>>> =>
  text
    .split(/^- \*\*Name\*\* /m)
    .slice(1)
    .map(taskOf)

/** A sentence over and over. */
const loop = (text: string, times: number): string =>
  `${text}\n\n${"One detail is left to be seen here. ".repeat(times)}`

export const answerNoise: ReadonlyArray<Noise> = [
  ...group("cut off", 4, {
    "in the answer": ({ text }, random) => ({
      text: text.slice(0, Math.floor(text.length * (0.2 + random() * 0.7))),
      finish: "length"
    }),
    "in thoughts": (_, random) => ({
      text: `<think>\nThe task has ${2 + Math.floor(random() * 900)} sides. First, the file has to be found, and then`,
      finish: "length"
    })
  }),
  ...group("empty", 3, {
    nothing: () => ({ text: "" }),
    "an empty block": () => ({ text: "```\n```" }),
    "thoughts only": () => ({ text: "", thinking: "The line has to be found first." }),
    refusal: () => ({ text: "I'm sorry, but I cannot read or change files on your machine." })
  }),
  ...group("loops", 3, {
    "after the answer": ({ text }) => loop(text, 120),
    "in the middle": ({ text }) => loop(text.slice(0, Math.floor(text.length / 2)), 120),
    "of thoughts": () => ({ text: "", thinking: loop("The line is asked for.", 200) }),
    "of one line": ({ text }) => `${text}\n${`${text.split("\n").at(-2) ?? "- And"} x\n`.repeat(80)}`
  }),
  ...group("another stage", 4, {
    "the answer for a plan": only("creation", () => "The values can be set in the files that you named."),
    "a result for a plan": only(
      "creation iteration",
      () => "## Result summary\n\nThe files were examined and everything is as it should be.\n"
    ),
    "a plan for a refinement": only("refinement", ({ prompt }) => {
      const { fields } = taskIn(prompt)
      return `## Original prompt\n\nDo it.\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n\n### Task section 1\n\n${fields.join("\n")}\n`
    }),
    "a result for a refinement": only(
      "refinement",
      () => "## Result summary\n\nThe file was examined and the change was made as it was asked for.\n"
    ),
    "calls for a result": only(
      "execution",
      ({ prompt }) =>
        `## Task\n\n${taskIn(prompt).fields.join("\n")}\n\n## Tool Calls\n\n\`\`\`json\n{"uid":"call-1","name":"read_file","arguments":{"path":"src/alpha.ts"}}\n\`\`\`\n`
    ),
    "a plan for an answer": only(
      "conclusion",
      () => "## Original prompt\n\nDo it.\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n"
    ),
    "a call for an answer": only(
      "conclusion",
      () => '## Tool Calls\n\n```json\n{"uid":"call-1","name":"read_file","arguments":{"path":"src/alpha.ts"}}\n```\n'
    ),
    "a result for an answer": only("conclusion", ({ text }) => `## Result summary\n\n${text}\n`)
  }),
  ...group("another shape", 4, {
    "a result as JSON": only("execution", ({ text }) => JSON.stringify({ result_summary: summaryOf(text) })),
    "a result on one line": only("execution", ({ text }) => `Result summary: ${summaryOf(text)}`),
    "a result without heading": only("execution", ({ text }) => summaryOf(text)),
    "another word for a result": only("execution", ({ text }, random) =>
      text.replace("## Result summary", choose(random, "## Results", "## Result", "## Findings", "# Answer"))
    ),
    "a plan as JSON": only("creation", ({ text }) => JSON.stringify({ tasks: tasksOf(text) }, null, 2)),
    "a plan that starts at its tasks": only("creation iteration", ({ text }) => text.replace(/^[^]*(?=## Tasks)/, "")),
    "a plan with headings for tasks": only("creation iteration", ({ text }) => {
      let count = 0
      return text.replace(/^- \*\*Name\*\* (.*)$/gm, (_, name: string) => `### Task ${(count += 1)}: ${name}\n`)
    }),
    "an answer as JSON": only("conclusion", ({ text }) => JSON.stringify({ answer: text }))
  }),
  ...group("copied format", 4, {
    "names of tasks": only("creation", ({ text }) => text.replace(/(\*\*Name\*\*) .*/, "$1 <short, unique>")),
    "texts of tasks": only("creation", ({ text }) =>
      text.replace(
        /(\*\*What is needed\*\*) .*/g,
        "$1 <what to find out or do, with the exact names and words to look for>"
      )
    ),
    "signs around values": only("creation refinement iteration", ({ text }) =>
      text.replace(/(\*\*(?:What is needed|Expected output)\*\*) (.*)/g, "$1 <$2>")
    ),
    "the example of a call": only("refinement", ({ text }) =>
      text.replace(
        /```json\n[^]*?\n```/,
        '```json\n{ "uid": "call-1", "name": "<tool>", "arguments": { "<argument>": "<value>" } }\n```'
      )
    ),
    "the example of the tool": only("refinement", ({ prompt, text }) => {
      const [, example] = /"example": (\{[^]*?\n {2}\})/.exec(prompt.system) ?? []
      return example === undefined
        ? undefined
        : text.replace(/```json\n[^]*?\n```/, () => `\`\`\`json\n${example}\n\`\`\``)
    }),
    "the summary": only(
      "execution",
      () => "## Result summary\n\n<what was found or done, complete and short, with links>\n"
    ),
    "the details": only(
      "execution",
      ({ text }) => `${text}\n## Details\n\n<only if the summary is not enough: excerpts, lists, reasons>\n`
    )
  }),
  ...group("work again", 2, {
    "finished tasks": only("iteration", ({ prompt }) => plannedFor(sectionOf(prompt, "User prompt")))
  })
]
