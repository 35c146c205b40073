import { expect, it } from "@effect/vitest"
import { callQuestion, stepQuestion } from "../../../src/domain/permissions/ApprovalText.ts"

it("shows a warning about a call below it, made printable", () => {
  expect(
    stepQuestion("Task section 1", [
      {
        task: "Edit 1",
        tool: "write_file",
        risk: "medium",
        call: { uid: "call-1", name: "write_file", arguments: { path: "a" } },
        targets: ["/p/a"],
        warnings: ["Two tasks write \u001b[31m/p/a."]
      }
    ]).split("\n")
  ).toEqual([
    "",
    "Approval request: Task section 1",
    "1. Task: Edit 1",
    "   Tool: write_file   Risk: MEDIUM",
    '   Arguments: {"path":"a"}',
    "   Target: /p/a",
    "   Warning: Two tasks write \\u{1b}[31m/p/a.",
    "[1] This step  [2] All remaining steps of this round  [3] Deny  [4] Choose single calls",
    ""
  ])
})

it("shows every hidden or turning character of foreign text as its code point", () => {
  const hidden = ["\u001b]0;x\u0007", "\u202e", "\u2066", "\u200b", "\ufeff", "\u{e0041}", "\r", "\u0008", "\u009b2J"]
  const text = hidden.join("|")
  const shown = "\\u{1b}]0;x\\u{7}|\\u{202e}|\\u{2066}|\\u{200b}|\\u{feff}|\\u{e0041}|\\u{d}|\\u{8}|\\u{9b}2J"
  const question = callQuestion({
    task: text,
    tool: text,
    origin: text,
    risk: "medium",
    targets: [text],
    details: [text],
    preview: `+${text.replace("\r", "")}`,
    warnings: [text],
    offers: { session: text, remember: text }
  })
  expect(question.split("\n")).toEqual([
    "",
    "Permission request",
    `Tool: ${shown} (plugin ${shown})   Risk: MEDIUM`,
    `Target: ${shown}`,
    shown,
    `+${shown.replace("\\u{d}", "")}`,
    `Warning: ${shown}`,
    `Task: ${shown}`,
    `Session allows ${shown}.`,
    `Remember allows ${shown}, in every run of every project.`,
    "[1] Allow once  [2] Session  [3] Remember  [4] Deny",
    ""
  ])
})
