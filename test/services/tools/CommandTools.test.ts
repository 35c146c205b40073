import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readConfiguration } from "../../../src/domain/configuration/Configuration.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { commandPlugins, type DeclaredTools, declarationProblems } from "../../../src/services/tools/CommandTools.ts"
import { Gate } from "../../../src/services/permissions/Gate.ts"
import { liveTest } from "../../support/liveTest.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { allow, openGate } from "../../support/OpenGate.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

type Tools = DeclaredTools["ofUser"]

const show: Tools = {
  show: {
    description: "Shows words.",
    command: ["printf", "[%s]", "--file={file}", "{words}", "{count}"],
    parameters: {
      type: "object",
      properties: {
        file: { type: "string", pattern: "^[a-z.]+$" },
        words: { type: "array", items: { type: "string" } },
        count: { type: "integer", minimum: 1 }
      },
      required: ["words"]
    },
    example: { words: ["a", "b"] }
  }
}

/** The tools of a run for which this is declared. */
const open = Effect.fnUntraced(function* (
  declared: Partial<DeclaredTools>,
  given: Parameters<typeof openGate>[0] = {}
) {
  const { gate } = yield* openGate(given)
  const { plugins, problems } = yield* commandPlugins("/project", { ofProject: {}, ofUser: {}, ...declared }).pipe(
    Effect.provideService(Gate, gate)
  )
  return { ...(yield* openTools({ plugins })), problems: problems.map(({ message }) => message) }
})

describe("a declared tool", () => {
  liveTest("runs its command with the arguments of the call", function* () {
    const { registry, run } = yield* open({ ofUser: show })
    const tool = registry.find("show")
    expect(tool).toMatchObject({ origin: "user configuration", risk: "high", effect: "once" })
    const words = ["a b", "$(id)", "; rm -rf x"]
    expect((yield* run("show", { words, file: "x.ts", count: 2 })).data).toStrictEqual({
      exit_code: 0,
      output: "[--file=x.ts][a b][$(id)][; rm -rf x][2]"
    })
    expect((yield* run("show", { words: [] })).data).toStrictEqual({ exit_code: 0, output: "[]" })
  })

  nodeTest("tells a model which arguments do not fit", function* () {
    const { registry } = yield* open({ ofUser: show })
    const issues = (given: Arguments) =>
      registry.check(callOf("show", given), new Set(["show"])).issues.map(({ how, what }) => `${what} ${how}`)
    expect(issues({ words: ["-rf"] })).toStrictEqual([
      'The arguments of show do not fit. The argument "words" becomes "-rf", which a program may take for an option. Write "./-rf" if it is the name of a file.'
    ])
    expect(issues({ words: ["a"], file: "A B" })).toHaveLength(1)
    expect(issues({ words: ["a"], count: 0 })).toHaveLength(1)
  })

  nodeTest("of a project counts only once the user has trusted exactly this declaration", function* () {
    const approver = scriptedApprover({ calls: ["remember", "deny"] })
    const { gate } = yield* openGate({ approver: approver.layer })
    const trust = (ofProject: Tools) =>
      commandPlugins("/project", { ofProject, ofUser: {} }).pipe(Effect.provideService(Gate, gate))
    expect((yield* trust(show)).plugins).toHaveLength(1)
    expect((yield* trust(show)).plugins).toHaveLength(1)
    const changed: Tools = { show: { ...show["show"]!, command: ["curl", "{words}", "{file}", "{count}"] } }
    const { plugins, problems } = yield* trust(changed)
    expect([plugins, problems.map(({ message }) => message)]).toStrictEqual([
      [],
      ["The tools of task-conductor.json are not used: you did not trust them."]
    ])
    const file = "File: /project/task-conductor.json"
    expect(approver.asked.flat().map(({ details, risk }) => [risk, details])).toStrictEqual([
      ["medium", [file, 'Tool show runs: printf "[%s]" "--file={file}" "{words}" "{count}"']],
      ["medium", [file, 'Tool show runs: curl "{words}" "{file}" "{count}"']]
    ])
  })

  nodeTest("of a project is left out when nobody can be asked, and a rule can allow it", function* () {
    const { problems, registry } = yield* open({ ofProject: show })
    expect(registry.find("show")).toBeUndefined()
    expect(problems[0]).toContain('use --allow "load_plugin:tools of task-conductor.json *"')
    const rules = [allow("load_plugin", "tools of task-conductor.json *")]
    const allowed = yield* open({ ofProject: show }, { options: () => ({ rules }) })
    expect(allowed.registry.find("show")?.origin).toBe("task-conductor.json")
  })

  nodeTest("does not take the place of another tool, and leaves the others in use", function* () {
    const { registry } = yield* open({ ofUser: { read_file: { description: "Mine.", command: ["true"] }, ...show } })
    expect(registry.find("read_file")?.origin).toBe("built-in")
    expect(registry.find("show")).toBeDefined()
    expect(registry.problems.map(({ message }) => message)).toStrictEqual([
      'The plugin "user configuration" is not used: its tool "read_file" exists already (built-in). Rename it, or remove one of them.'
    ])
  })
})

describe("a declaration", () => {
  const declared = show["show"]!
  it("may be right", () => expect(declarationProblems("show", declared)).toStrictEqual([]))

  it("is wrong with an example that does not fit, and with a schema that cannot be used", () => {
    const what = (changes: Partial<typeof declared>) =>
      declarationProblems("show", { ...declared, ...changes }).map((one) => [one.path.join("."), one.what])
    expect(what({ example: { words: ["-x"] } })).toStrictEqual([
      ["example", "the example does not fit the parameters."]
    ])
    expect(what({ example: {} })).toStrictEqual([["example", "the example does not fit the parameters."]])
    const broken = {
      ...declared.parameters,
      properties: { ...(declared.parameters!["properties"] as object), file: { type: "string", pattern: "(" } }
    }
    expect(what({ parameters: broken })[0]?.[0]).toBe("parameters")
  })

  it("is read from a file of the user or of a project, which may not choose the sandbox", () => {
    const tools = { a: { description: "A.", command: ["true"] } }
    expect(readConfiguration(JSON.stringify({ tools }), "project")._tag).toBe("Success")
    const settings = { sandbox: { mode: "off", network: true, writable: ["~/x", "/y"] }, commandEnvironment: ["CI"] }
    expect(readConfiguration(JSON.stringify(settings), "user")._tag).toBe("Success")
    for (const key of ["sandbox", "commandEnvironment"] as const) {
      expect(readConfiguration(JSON.stringify({ [key]: settings[key] }), "project")._tag).toBe("Failure")
    }
    const problems = [
      '{"commandEnvironment":["GITHUB_TOKEN"]}',
      '{"commandEnvironment":["LD_PRELOAD"]}',
      '{"sandbox":{"writable":["relative"]}}',
      '{"tools":{"a":{"description":"A.","command":[]}}}'
    ].map((text) => {
      const read = readConfiguration(text, "user")
      return read._tag === "Success" ? "fine" : read.failure.map(({ what }) => what).join(" ")
    })
    expect(problems).toStrictEqual([
      '"commandEnvironment[0]": "GITHUB_TOKEN" looks like a secret; no command gets it.',
      '"commandEnvironment[0]": "LD_PRELOAD" makes programs run other code; no command gets it.',
      '"sandbox.writable[0]": Expected an absolute path, or one that begins with "~/".',
      '"tools.a.command[0]": Missing key.'
    ])
  })
})
