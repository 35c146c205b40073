/**
 * How much of its prompts a server need not read again, because an earlier prompt had the same beginning. Computed for
 * a server that keeps only its last prompt, and for a server that keeps all prompts of a run. The run has ten tasks of
 * four skills on this repository.
 *
 *   node bench/prompt-starts.ts
 */
import { join } from "node:path"
import { run } from "../src/index.ts"
import { slotModel, startSlotServer } from "./SlotServer.ts"
import { stageName } from "../test/support/stageName.ts"

/** A task with its calls: name, skill, request, results that it uses, and calls of its refinement. */
interface Work {
  readonly name: string
  readonly skill: string
  readonly needed: string
  readonly from?: ReadonlyArray<string>
  readonly calls: ReadonlyArray<readonly [tool: string, values: Readonly<Record<string, string | number>>]>
}

const slots = "src/services/models/ModelSlots.ts"
const templates = "src/domain/models/PromptTemplate.ts"
const search = (pattern: string, path: string) => ["search_files", { pattern, path }] as const
const read = (path: string, end_line: number) => ["read_file", { path, start_line: 1, end_line }] as const

const steps: ReadonlyArray<ReadonlyArray<Work>> = [
  [
    {
      name: "Find order",
      skill: "search-code",
      needed: "Find where calls are ordered.",
      calls: [search("withSlot", "src")]
    },
    {
      name: "Find templates",
      skill: "search-code",
      needed: "Find where templates are filled.",
      calls: [search("fillTemplate", "src"), search("userPartMarker", "src")]
    },
    {
      name: "Find pages",
      skill: "search-docs",
      needed: "Find what the pages say about prompts.",
      calls: [search("prompts hold", "docs")]
    },
    {
      name: "Find slots",
      skill: "search-code",
      needed: "Find where slots are set.",
      calls: [search("OLLAMA_NUM_PARALLEL", "src")]
    }
  ],
  [
    {
      name: "Read order",
      skill: "read-code",
      needed: `Read ${slots}.`,
      from: ["find-order"],
      calls: [read(slots, 120)]
    },
    {
      name: "Read templates",
      skill: "read-code",
      needed: `Read ${templates}.`,
      from: ["find-templates"],
      calls: [read(templates, 150)]
    },
    {
      name: "Read page",
      skill: "read-code",
      needed: "Read docs/internals/prompts.md.",
      from: ["find-pages"],
      calls: [read("docs/internals/prompts.md", 60)]
    }
  ],
  [
    {
      name: "Compare order",
      skill: "review",
      needed: "Compare the order with the page.",
      from: ["read-order", "read-page"],
      calls: [read(slots, 60)]
    },
    {
      name: "Compare templates",
      skill: "review",
      needed: "Compare the templates with the page.",
      from: ["read-templates", "read-page"],
      calls: [read("docs/internals/prompts.md", 40)]
    },
    {
      name: "Draw together",
      skill: "summarize",
      needed: "Write one list.",
      from: ["read-order", "find-slots"],
      calls: []
    }
  ]
]

const links = ({ from = [] }: Work): string => {
  const description = from.length === 2 ? ["[project](#project-description)"] : []
  const all = [...from.map((slug) => `[${slug}](#${slug}-results)`), ...description]
  return all.length === 0 ? "" : `- **References** ${all.join(" ")}\n`
}

const taskText = (work: Work): string =>
  `- **Name** ${work.name}\n- **What is needed** ${work.needed}\n- **Skill** ${work.skill}\n${links(work)}- **Expected output** What was found, with file and line.\n`

const plan = [
  "## Original prompt\n\nx\n\n## Goals / summary\n\nIt is known in which order calls go out and what prompts share.\n\n## Tasks",
  ...steps.map((works, index) => `### Task section ${index + 1}\n\n${works.map(taskText).join("\n")}`)
].join("\n\n")

const callsOf = (name: string): string =>
  (steps.flat().find((work) => work.name === name)?.calls ?? [])
    .map(([tool, values], index) => {
      const call = JSON.stringify({ uid: `call-${index + 1}`, name: tool, arguments: values })
      return `\`\`\`json\n${call}\n\`\`\``
    })
    .join("\n\n")

const answerTo = (stage: string, name: string): string => {
  switch (stage) {
    case "creation":
      return plan
    case "refinement":
      return `## Tool Calls\n\n${callsOf(name)}\n`
    case "execution":
      return `## Result summary\n\n${name}: the order is decided in [${slots}](${slots}#L22) by the stage and the step of a call. Prompts are filled in [${templates}](${templates}#L110) in one pass.\n`
    case "iteration":
      return "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n"
    default:
      return "Execution comes before refinement."
  }
}

const sharedStart = (one: string, other: string): number => {
  const end = Math.min(one.length, other.length)
  let same = 0
  while (same < end && one.charCodeAt(same) === other.charCodeAt(same)) same += 1
  return same
}

interface Count {
  calls: number
  characters: number
  /** The length of the common beginning with the last prompt, and with the best earlier prompt. In characters. */
  last: number
  any: number
}

const counts = new Map<string, Count>()
const before: Array<string> = []

/** Counts a prompt. Remembers the prompt with its answer, as a server does. */
const countPrompt = (stage: string, prompt: string, answer: string): void => {
  const count = counts.get(stage) ?? { calls: 0, characters: 0, last: 0, any: 0 }
  counts.set(stage, {
    calls: count.calls + 1,
    characters: count.characters + prompt.length,
    last: count.last + sharedStart(before.at(-1) ?? "", prompt),
    any: count.any + before.reduce((most, one) => Math.max(most, sharedStart(one, prompt)), 0)
  })
  before.push(prompt + answer)
}

const server = await startSlotServer({
  slots: 1,
  /** Longer than tools usually take, in ms. */
  latency: 400,
  answer: (system, user) => {
    const stage = stageName({ system, user })
    const answer = answerTo(stage, /^## Task\n\n- \*\*Name\*\* (.+)$/m.exec(user)?.[1] ?? "")
    countPrompt(stage, `${system}\n${user}\n`, answer)
    return answer
  }
})
const report = await run({
  prompt: "In which order do calls go out, what do prompts share, and does docs/internals/prompts.md say the same?",
  project: join(import.meta.dirname, ".."),
  model: slotModel,
  host: server.url,
  parallel: 1,
  contextWindow: 16_384,
  allow: ["read_file", "search_files"],
  keep: false
}).report
await server.close()
if (report.status !== "done" || report.failures.length > 0) throw new Error(`${report.status}: ${report.message}`)

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`
const sum = (of: (count: Count) => number): number => [...counts.values()].reduce((all, one) => all + of(one), 0)
const row = (name: string, { any, calls, characters, last }: Count): string =>
  `${name.padEnd(12)}${String(calls).padEnd(7)}${String(Math.round(characters / calls)).padEnd(21)}${percent(last, characters).padEnd(20)}${percent(any, characters)}`

console.log("stage       calls  characters per call  like the last one   like any before")
for (const [stage, count] of counts) console.log(row(stage, count))
const whole = {
  calls: sum((one) => one.calls),
  characters: sum((one) => one.characters),
  last: sum((one) => one.last),
  any: sum((one) => one.any)
}
console.log(row("all", whole))
console.log(
  `read anew, in characters: ${whole.characters - whole.last}, with all prompts kept ${whole.characters - whole.any}`
)
