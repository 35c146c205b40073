import { describe, expect } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as os from "node:os"
import { requestDocument } from "../../../src/domain/models/Briefing.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { Briefer, type Request } from "../../../src/services/pipeline/Briefer.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Gate } from "../../../src/services/permissions/Gate.ts"
import { ProjectWriteLock } from "../../../src/services/files/ProjectWriteLock.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { RunEvents } from "../../../src/services/runs/RunEvents.ts"
import { allow } from "../../support/OpenGate.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { layerProjectMap } from "../../../src/services/map/MapReader.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const system = `${os.type()} (${os.arch()})`

/** A gate at which nobody answers; these rules decide. */
const gateWith = (rules: ReadonlyArray<Rule>) =>
  Gate.layer({ rules }).pipe(
    Layer.provide([Approver.layerDenyAll, Policies.layerMemory(), ProjectWriteLock.layerHeld, RunEvents.layerSilent])
  )

const brief = (
  root: string,
  request: Request,
  env: Record<string, string> = { SHELL: "/bin/zsh" },
  rules: ReadonlyArray<Rule> = [allow("read_file", "/etc/hosts")]
) =>
  Effect.gen(function* () {
    const noon = new Date(2026, 10, 20, 12, 0, 0).getTime()
    yield* TestClock.setTime(noon)
    const briefer = yield* Briefer
    return yield* briefer.brief(request)
  }).pipe(
    Effect.provide(
      Briefer.layer.pipe(
        Layer.provide([
          gateWith(rules).pipe(Layer.provide(Workspace.layer(root))),
          Workspace.layer(root),
          layerProjectMap(process.env["PATH"] ?? ""),
          RunSettings.layer({ limits: { ...defaultLimits, currentFileLines: 2 } })
        ])
      )
    ),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

describe("Briefer", () => {
  nodeTest("gathers request, environment, project and files", function* () {
    const root = yield* makeProject({ "AGENTS.md": "# Rules\n", "src/a.ts": "one\ntwo\nthree\n" })
    const briefing = yield* brief(root, {
      prompt: "Explain a.ts",
      currentFile: `${root}/src/a.ts`,
      openFiles: ["./src/a.ts", "/etc/hosts"]
    })
    const parts = {
      prompt: "Explain a.ts",
      environment: `- Date: 2026-11-20 (Friday)\n- Operating system: ${system}\n- Shell: /bin/zsh\n- Workspace: ${root}`,
      projectDescription: "# Rules",
      projectMap:
        "2 files: markdown 1, typescript 1.\n\nMain files: `AGENTS.md`.\n\nFolders, each with the number of files below it, and files:\n\n- at the top: `src/` 1\n- files at the top: `AGENTS.md`\n- files in `src/`: `a.ts`",
      descriptionFiles: ["AGENTS.md"],
      currentFile: { path: "src/a.ts", language: "typescript", text: "one\ntwo\n", cutFrom: 3 },
      openFiles: ["src/a.ts", "/etc/hosts"]
    }
    expect(briefing).toEqual({ ...parts, requestDocument: requestDocument(parts) })
  })

  nodeTest("tells only what is known", function* () {
    const root = yield* makeProject({})
    const briefing = yield* brief(root, { prompt: "Hi" }, {})
    expect(briefing).toEqual({
      prompt: "Hi",
      environment: `- Date: 2026-11-20 (Friday)\n- Operating system: ${system}\n- Workspace: ${root}`,
      projectDescription: "",
      openFiles: [],
      requestDocument: briefing.requestDocument
    })
  })

  nodeTest("keeps a README apart from the rules of the project, since tasks are shown only those", function* () {
    const root = yield* makeProject({
      "README.md": "# Shop\n\nSells tea.\n",
      "src/AGENTS.md": "Use tabs.\n",
      "src/a.ts": ""
    })
    const { descriptionFiles, projectDescription, projectReadme } = yield* brief(root, { prompt: "Explain src/a.ts" })
    expect([descriptionFiles, projectReadme]).toEqual([["src/AGENTS.md"], "# Shop\n\nSells tea."])
    expect(projectDescription).toContain("Use tabs.")
    expect(projectDescription).not.toContain("Sells tea.")
  })

  nodeTest("notes that prompts hold only a part of a long description", function* () {
    const root = yield* makeProject({ "AGENTS.md": "A rule.\n\n".repeat(2000) })
    const { notes } = yield* brief(root, { prompt: "Hi" })
    expect(notes).toEqual([expect.stringMatching(/^Prompts hold only the beginning of AGENTS\.md \(\d+ characters\)/)])
  })

  nodeTest("shows a short current file whole, and names an open file once and as a path of the project", function* () {
    const root = yield* makeProject({ "src/a.ts": "one\n", "b.ts": "two\n", "notes.md": "one\ntwo" })
    const openFiles = ["src/../b.ts", `${root}/src/a.ts`, "b.ts"]
    const briefing = yield* brief(root, { prompt: "Hi", currentFile: "notes.md", openFiles })
    expect(briefing.currentFile).toEqual({ path: "notes.md", language: "markdown", text: "one\ntwo" })
    expect(briefing.openFiles).toEqual(["b.ts", "src/a.ts"])
  })

  nodeTest("refuses an empty prompt, and a file that is missing or a folder", function* () {
    const root = yield* makeProject({ "src/a.ts": "one\n" })
    for (const [request, message] of [
      [{ prompt: " \n" }, "the prompt: it is empty. Say what is to be done."],
      [{ prompt: "Hi", currentFile: "none.ts" }, `the current file: There is no file at ${root}/none.ts.`],
      [{ prompt: "Hi", openFiles: ["src/a.ts", "none.ts"] }, `the open file: There is no file at ${root}/none.ts.`],
      [{ prompt: "Hi", openFiles: ["src"] }, `the open file: There is no file at ${root}/src.`]
    ] as const) {
      expect((yield* Effect.flip(brief(root, request))).message).toBe(`Cannot use ${message}`)
    }
  })
})
