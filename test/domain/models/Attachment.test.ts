import { assert, it } from "@effect/vitest"
import {
  type Briefing,
  attachmentBlock,
  attachmentNote,
  besideReferences,
  briefingBlocks,
  requestDocument
} from "../../../src/domain/models/Briefing.ts"

const log = { name: "stdin", text: Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n") }

it("shows the beginning and the end of what has no room, and tells how to see all", () => {
  const block = attachmentBlock(log, { isReference: true, budget: 90 })
  assert.include(block, "A task that refers to [attached input](#attached-input) sees all of it.")
  assert.include(block, "2: line 2\n3: line 3\n4: line 4\n[lines 5 to 93 are left out]\n94: line 94\n")
  assert.include(block, "100: line 100\n```")
  assert.strictEqual(
    attachmentNote(log, 90),
    "Prompts show stdin without 89 lines in its middle: it may have a quarter of the context window."
  )
})

it("says nothing of what is whole, and shows a line that is longer than the room", () => {
  assert.strictEqual(attachmentNote(log, 10_000), undefined)
  assert.include(
    attachmentBlock({ name: "a", text: "x".repeat(50) }, { isReference: false, budget: 10 }),
    "x".repeat(50)
  )
  assert.include(attachmentNote({ ...log, isCut: true }, 9000), "Only the first 791 characters of stdin are attached.")
})

const briefing: Briefing = {
  prompt: "Why?",
  environment: "",
  projectDescription: "",
  openFiles: [],
  attachment: { ...log, room: 90 },
  requestDocument: ""
}

it("is whole in the document that tasks refer to, and not twice in the prompt of a task that does", () => {
  assert.include(requestDocument(briefing), "\n50: line 50\n")
  assert.notInclude(briefingBlocks(briefing).current_file, "line 50")
  const reference = { kind: "anchor", title: "x", href: "#attached-input", target: "attached-input" } as const
  assert.strictEqual(briefingBlocks(besideReferences(briefing, [reference])).current_file, "")
})
