import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import { readMessageTurn } from "../../../src/domain/conversation/MessageTurn.ts"
import { pathQuestions } from "../../../src/domain/files/ChangeBlocks.ts"
import { alikePath } from "../../../src/domain/files/PathList.ts"
import { block, lines, order, testBlockPaths, workWith } from "../../support/BlockPaths.ts"
import { openStages } from "../../support/OpenStages.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const edit = (path: string, old: string, now: string) => ({
  name: "edit_file",
  arguments: { path, old_text: old, new_text: now }
})

const plain = (path: string): string => alikePath(path.replace(/^[./]+(?=\w+)|\\/g, ""))

const marked = (path: string) => block(3).replace("OLD", `OLD ${path}`)

testBlockPaths("main")

layer(NodeServices.layer)("a block of a task", (it) => {
  nodeTest("is for the file of the block right before it, and for none behind another change", function* () {
    const again = "<<<<<<< OLD\nversion = 2\n=======\nversion = 4\n>>>>>>> NEW\n"
    const joined = yield* workWith(`settings\n${block(2)}\n${again}`, ["settings"])
    expect(joined.changes).toEqual([["settings", "version = 4"]])
    const object = `settings\n${block(2)}\n{"remove": "a.py"}\n\n${again}`
    expect((yield* workWith(object, ["settings"])).codes[0]).toBe("change-path")
    const written = `b.py\n\`\`\`python\nversion = 2\n\`\`\`\n${block(3)}`
    expect((yield* workWith(written, [])).codes[0]).toBe("change-path")
  })

  nodeTest("may be for a file that the same answer makes", function* () {
    const made = "`settings`\n<<<<<<< OLD\n=======\nversion = 1\n>>>>>>> NEW\n"
    const { changes } = yield* workWith(`${made}\nsettings\n${block(3)}`, [])
    expect(changes).toEqual([["settings", "version = 3"]])
  })

  nodeTest("takes the path behind its mark", function* () {
    const { changes } = yield* workWith(`a.py\n${block(2)}\n${marked("my notes")}`, ["my notes"])
    expect(changes).toEqual([
      ["a.py", "version = 2"],
      ["my notes", "version = 3"]
    ])
    expect((yield* workWith(`a.py\n${block(2)}\n${marked("other notes.md")}`, [])).codes[0]).toBe("change-path")
  })

  nodeTest("and a call of a tool mean the same file, however each spells it", function* () {
    const { log, taskAgent } = yield* openStages({
      files: { "src/my notes.py": "version = 1\n" },
      answers: [
        refinementWith([edit("/src/my\u00a0notes.py", "version = 9", "version = 2")]),
        `src/my notes.py\n${block(2)}`,
        refinementWith([edit("`src/my notes.py`", "version = 2", "version = 3")]),
        resultSaying("It is raised.")
      ]
    })
    const { calls, files = [] } = yield* taskAgent.work({ ...order })
    expect([calls.map((one) => one.arguments["path"]), files.map(({ path }) => path)]).toEqual([
      ["src/my notes.py"],
      ["src/my notes.py"]
    ])
    expect(calls[0]?.arguments["new_text"]).toBe("version = 3")
    const codes = log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
    expect(codes).toEqual([])
  })

  it("is for the same file in a conversation", () => {
    for (const [line, file] of lines) {
      const answer = `a.py\n${block(2)}\n${line}\n${block(3)}`
      const names = pathQuestions(answer).flatMap((readings) => readings.filter((one) => plain(one) === plain(file)))
      const { changes } = readMessageTurn(answer, {
        mayChange: true,
        tools: new Set(),
        paths: new Map(names.map((one) => [one, file]))
      })
      expect(changes.map((one) => ("path" in one ? one.path : ""))).toEqual(["a.py", file])
    }
  })
})
