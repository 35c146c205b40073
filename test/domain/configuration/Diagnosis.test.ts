import { describe, expect, it } from "@effect/vitest"
import { canStart, type Finding, findingLines, verdictOf } from "../../../src/domain/configuration/Diagnosis.ts"

const findings: ReadonlyArray<Finding> = [
  { name: "server", state: "ok", what: "Ollama 0.32.9" },
  {
    name: "model",
    state: "problem",
    what: "none is chosen; the server has qwen3:8b, llama3.2:3b, and others",
    remedy: "Choose one for good: task-conductor init."
  }
]
const same = (text: string) => text
const paint = { ok: same, note: same, problem: (text: string) => `\u001b[31m${text}\u001b[39m` }

describe("findings", () => {
  it("stand in columns, and texts are broken below themselves", () => {
    expect(findingLines(findings, { paint, columns: 62 })).toEqual([
      "  ok       server  Ollama 0.32.9",
      "  \u001b[31mproblem  \u001b[39mmodel   none is chosen; the server has qwen3:8b,",
      "                   llama3.2:3b, and others",
      "                   Choose one for good: task-conductor init."
    ])
  })

  it("stand below their names in a narrow terminal, and in one line without a terminal", () => {
    expect(findingLines(findings, { paint, columns: 40 })).toEqual([
      "  ok       server",
      "    Ollama 0.32.9",
      "  \u001b[31mproblem  \u001b[39mmodel",
      "    none is chosen; the server has",
      "    qwen3:8b, llama3.2:3b, and others",
      "    Choose one for good: task-conductor",
      "    init."
    ])
    expect(findingLines(findings, { paint, columns: undefined })).toHaveLength(3)
  })

  it("have several lines when their text has, and no control sequence of a server", () => {
    const plain = { paint: { ...paint, problem: same }, columns: undefined }
    const broken: Finding = { name: "configuration", state: "problem", what: "a.json:1: x\na.json:2: y" }
    expect(findingLines([broken], plain)).toEqual([
      "  problem  configuration  a.json:1: x",
      "                          a.json:2: y"
    ])
    const control: Finding = { name: "model", state: "ok", what: "a\u001b[2Jb" }
    expect(findingLines([control], plain)).toEqual(["  ok       model  a\\u{1b}[2Jb"])
  })

  it("let a run start unless one is a problem", () => {
    expect([canStart(findings), verdictOf(findings)]).toEqual([false, "A run cannot start yet: 1 problem."])
    expect([canStart(findings.slice(0, 1)), verdictOf([])]).toEqual([true, "A run can start."])
  })
})
