/** A skill with a test, and the problems of such tests. */
import * as Effect from "effect/Effect"
import { testSkill } from "../../src/plugins/check-tools/skillTests.ts"
import { leavesMachine } from "../../src/app/providers.ts"
import { Skills } from "../../src/services/skills/Skills.ts"
import { makeProject } from "./Project.ts"

export const skillFile = `---
name: write-note
description: Writes a note. Use it when a note is asked for.
allowed-tools: write_file read_file
metadata:
  task-conductor.requires-approval: "true"
---

## Execution

Say where it is.
`

export const task = "## Task\n\n- **What is needed** Write.\n- **Expected output** A path.\n\n"
export const call = (name: string, given: object) => JSON.stringify({ name, arguments: given })
export const refinement = (calls: string) =>
  `## Refinement answer\n\n\`\`\`\`md\n## Tool Calls\n\n\`\`\`json\n${calls}\n\`\`\`\n\`\`\`\`\n\n`
export const execution = "## Execution answer\n\n```md\n## Result summary\n\nIt is in note.md.\n```\n\n"
export const written = call("write_file", { path: "note.md", content: "one\n" })

/** The problems of one test of the skill, each as its texts. */
export const problemsOf = (test: string) =>
  Effect.gen(function* () {
    const folder = yield* makeProject({ "write-note/SKILL.md": skillFile, "write-note/tests/one.md": test })
    const [result] = yield* testSkill(`${folder}/write-note/SKILL.md`)
    return (result?.problems ?? []).map(({ actual, expected, what }) => [what, expected, actual])
  })

export const layerShipped = Skills.layer({ home: "/nowhere", project: "/nowhere" }, leavesMachine)
