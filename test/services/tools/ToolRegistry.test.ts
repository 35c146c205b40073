import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { type Arguments, ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import type { Permit } from "../../../src/services/permissions/Gate.ts"
import { inTask } from "../../support/OpenGate.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const failureOf = <A>(effect: Effect.Effect<A, ToolFailure>) =>
  Effect.map(Effect.flip(effect), ({ message, type }) => [type, message])

const shapes = definePlugin({
  name: "shapes",
  tools: Effect.succeed({
    draw: tool({
      description: "Draws.",
      parameters: Schema.Struct({
        size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })).annotate({ description: "How large." }),
        filled: Schema.Boolean,
        points: Schema.optionalKey(Schema.Array(Schema.Struct({ x: Schema.Finite }))),
        label: Schema.optionalKey(Schema.String)
      }),
      risk: "safe",
      effect: "pure",
      execute: () => Effect.succeed("drawn")
    }),
    visit: tool({
      description: "Visits.",
      parameters: Schema.Struct({ url: Schema.String }),
      risk: "safe",
      effect: "once",
      access: ({ url }) => [{ _tag: "FetchUrl", url }],
      execute: () => Effect.succeed(null)
    })
  })
})

/** What a plugin could make itself. */
const forgedPermit = (prepared: Permit["prepared"]): Permit => ({
  prepared,
  admit: () => Effect.void,
  denied: () => undefined,
  mayRead: () => Effect.succeed(true)
})

const where = { section: "Tool Calls", task: "Draw 1" }
const all = new Set(["draw", "read_file", "get_current_time"])

describe("the check of a call", () => {
  type Expected = readonly [code: string, what: string, how: unknown]
  const rejected: ReadonlyArray<[name: string, call: ReturnType<typeof callOf>, ...issues: Array<Expected>]> = [
    [
      "a call without a name",
      callOf(""),
      ["tool-call-name", "The tool call has no name.", "Use one of: `draw`, `read_file`, `get_current_time`."]
    ],
    [
      "an unknown tool, with the nearest the skill may use",
      callOf("reed_file"),
      ["tool-unknown", 'There is no tool "reed_file".', "Use one of: `read_file`."]
    ],
    [
      "a name with look-alike letters",
      callOf("r\u0435ad_file"),
      ["tool-unknown", 'There is no tool "r\u0435ad_file".', "Use one of: `read_file`."]
    ],
    [
      "a tool the skill may not use",
      callOf("write_file", { path: "a", content: "b" }),
      ["tool-not-allowed", "The skill may not use the tool write_file.", expect.stringContaining("Use one of: `draw`,")]
    ],
    [
      "arguments that are missing, do not fit, or are unknown, all at once and in this order",
      callOf("draw", { size: 12, points: [{ x: "a" }, { x: 1, y: 2 }], lable: "a", zzzzzz: 1 }),
      ["argument-missing", 'The argument "filled" of draw is missing.', 'Add "filled" (boolean).'],
      [
        "argument-invalid",
        'The argument "size" of draw is the number 12, which does not fit.',
        "Write a value between 1 and 9."
      ],
      ["argument-invalid", 'The argument "points[0].x" of draw is a string, which does not fit.', "Write a number."],
      ["argument-invalid", 'draw has no argument "points[1].y".', "Remove it."],
      ["argument-unknown", 'draw has no argument "lable".', 'Remove it, or use one of: "label".'],
      [
        "argument-unknown",
        'draw has no argument "zzzzzz".',
        'Remove it, or use one of: "size", "filled", "points", "label".'
      ]
    ],
    [
      "an unknown argument in the place of a missing one, as one mistake",
      callOf("read_file", { document: "a.ts" }),
      [
        "argument-unknown",
        'read_file has no argument "document".',
        expect.stringMatching(/^Rename "document" to "path" \(string\): /)
      ]
    ],
    [
      "each unknown argument in the place of the missing one that it means",
      callOf("draw", { filed: true, dimension: 3 }),
      ["argument-unknown", 'draw has no argument "filed".', 'Rename "filed" to "filled" (boolean).'],
      ["argument-missing", 'The argument "size" of draw is missing.', expect.any(String)],
      ["argument-unknown", 'draw has no argument "dimension".', expect.any(String)]
    ],
    [
      "an argument for a tool without any",
      callOf("get_current_time", { zone: "UTC" }),
      ["argument-unknown", 'get_current_time has no argument "zone".', "Remove it: the tool takes no arguments."]
    ]
  ]
  nodeTest.each(rejected)("rejects %s", function* ([, call, ...issues]) {
    const { registry } = yield* openTools({ plugins: [shapes] })
    expect(registry.check(call, all, "Draw 1")).toEqual({
      call,
      issues: issues.map(([code, what, how]) => ({ code, what, how, where, quote: JSON.stringify(call) })),
      repairs: []
    })
  })

  /** What a check makes of a call: its arguments, and the codes of issues and repairs. */
  const checkOf = Effect.fnUntraced(function* (tool: string) {
    const { registry } = yield* openTools({ plugins: [shapes] })
    return (given: Arguments) => {
      const { call, issues, repairs } = registry.check(callOf(tool, given), new Set([tool]))
      return [call.arguments, issues.map(({ code }) => code), repairs.map(({ code }) => code)] as const
    }
  })

  nodeTest("reads numbers and truth values that were given as text, and leaves out null, with a note", function* () {
    const { registry } = yield* openTools({ plugins: [shapes] })
    const call = callOf("draw", { size: " 3", filled: "True", label: null })
    expect(registry.check(call, all, "Draw 1")).toEqual({
      call: { ...call, arguments: { size: 3, filled: true } },
      issues: [],
      repairs: [
        {
          code: "argument-coerced",
          where,
          message: 'The argument "size" was the text " 3" and is read as 3.'
        },
        {
          code: "argument-coerced",
          where,
          message: 'The argument "filled" was the text "True" and is read as true.'
        },
        { code: "argument-dropped", where, message: 'The argument "label" was null and is left out.' }
      ]
    })
  })

  nodeTest("reads names of tools in another spelling or one letter off, if one tool is near", function* () {
    const { registry } = yield* openTools({ plugins: [shapes] })
    const spelled = ["read-file", "readFile", "ReadFile", "READ_FILE", "functions.read_file", "read_file()"]
    for (const name of [...spelled, "read_files", "red_file", "readFil", "read-filee"]) {
      const { call, issues, repairs } = registry.check(callOf(name, { path: "a.md" }), all, "Draw 1")
      expect([call.name, issues], name).toStrictEqual(["read_file", []])
      const message = `Read the tool "${name}" as "read_file".`
      expect(repairs).toStrictEqual([{ code: "tool-renamed", where, message }])
    }
    const forbidden = ["write-file", "writeFile", "writ_file", "reader", "read_all", "other.read_file"]
    for (const name of [...forbidden, "reed_file", "read_file2", "read_fi", "rea_fle"]) {
      const { call, issues } = registry.check(callOf(name, { path: "a.md" }), all)
      expect([call.name, issues.map(({ code }) => code)], name).toStrictEqual([name, ["tool-unknown"]])
    }
  })

  nodeTest("leaves out reasons that a tool has no argument for, and nothing else", function* () {
    const read = yield* checkOf("read_file")
    for (const name of ["reason", "explanation", "thought", "Reasoning", "purpose"])
      expect(read({ path: "a.md", [name]: "To see it." })).toStrictEqual([{ path: "a.md" }, [], ["argument-remark"]])
    const others: ReadonlyArray<Arguments> = [{ reason: 3 }, { description: "The file." }, { comment: "b.md" }]
    for (const more of others)
      expect(read({ path: "a.md", ...more })[1], JSON.stringify(more)).toStrictEqual(["argument-unknown"])
    expect(read({ reason: "a.md" })[1]).toStrictEqual(["argument-missing"])
  })

  nodeTest("reads lists that stand in a text", function* () {
    const check = yield* checkOf("edit_file")
    const edits = [{ old_text: "a", new_text: "b" }]
    const good = check({ path: "a.md", edits: JSON.stringify(edits) })
    expect(good).toStrictEqual([{ path: "a.md", edits }, [], ["argument-coerced"]])
    const broken = ["[{'old_text': 'a'}]", '[{"old_text": "a"', "a", '{"old_text":"a","new_text":"b"}', "[] []"]
    for (const wrong of broken) expect(check({ path: "a.md", edits: wrong })[1].length, wrong).toBeGreaterThan(0)
  })

  nodeTest("reads names of arguments in another spelling when only one can be meant", function* () {
    const read = yield* checkOf("read_file")
    const good = { path: "a.md", start_line: 2 }
    for (const [given, renamed] of [
      [{ path: "a.md", startLine: 2 }, 1],
      [{ Path: "a.md", "start-line": 2 }, 2],
      [{ file_path: "a.md", start_line: 2 }, 1],
      [{ arguments: good }, 1]
    ] as const)
      expect(read(given)).toStrictEqual([good, [], Array.from({ length: renamed }, () => "argument-renamed")])
    for (const [given, unknown] of [
      [{ path: "a.md", file: "b.md" }, 1],
      [{ file: "a.md", filename: "b.md" }, 2],
      [{ path: "a.md", dry_run: true }, 1]
    ] as const)
      expect(read(given)).toStrictEqual([given, Array.from({ length: unknown }, () => "argument-unknown"), []])
  })

  nodeTest("leaves out an empty text only where the tool cannot take it", function* () {
    const [search, draw, read] = yield* Effect.all([checkOf("search_files"), checkOf("draw"), checkOf("read_file")])
    expect(search({ pattern: "a", glob: "" }).slice(0, 2)).toStrictEqual([{ pattern: "a" }, []])
    const drawn = { size: 1, filled: true, label: "" }
    expect(draw(drawn)).toStrictEqual([drawn, [], []])
    expect(read({ path: "" })[1]).toStrictEqual(["argument-invalid"])
  })

  nodeTest("does not turn numbers into text, nor text without one meaning into numbers", function* () {
    const draw = yield* checkOf("draw")
    for (const [size, label] of [
      ["three", "a"],
      ["3.5", "a"],
      ["3", 4]
    ] as const)
      expect(draw({ size, filled: true, label })[1]).toStrictEqual(["argument-invalid"])
    expect(draw({ size: "3", filled: true, label: "4" })[1]).toStrictEqual([])
  })
})

describe("the instructions for tools", () => {
  nodeTest("gives per tool its parameters and an example call, made from the schema where there is none", function* () {
    const { registry } = yield* openTools({ plugins: [shapes] })
    expect(registry.instructions(["draw", "unknown", "get_current_time"])).toBe(
      [
        '### draw\nDraws.\n- `size` (integer 1 to 9, required): How large.\n- `filled` (boolean, required)\n- `points` (array of { x: number })\n- `label` (string)\nFor example: `{"name":"draw","arguments":{"size":1,"filled":true}}`',
        '### get_current_time\nReturns the current date and time in UTC, as ISO 8601.\nFor example: `{"name":"get_current_time","arguments":{}}`'
      ].join("\n\n")
    )
  })

  nodeTest("has examples that pass the check for every built-in tool", function* () {
    const { registry } = yield* openTools()
    const names = registry.tools.map((one) => one.name)
    expect(names.join(" ")).toBe(
      "get_file_tree read_file search_files get_current_time add_task list_tasks update_task " +
        "write_file edit_file remove_file move_file run_command fetch_url"
    )
    const issues = registry.tools.flatMap(
      ({ example, name }) => registry.check(callOf(name, example), new Set(names)).issues
    )
    expect(issues).toStrictEqual([])
  })
})

describe("a prepared call", () => {
  nodeTest("makes targets canonical and raises the risk of what is outside, secret, written or fetched", function* () {
    const fs = yield* FileSystem.FileSystem
    const safeReader = definePlugin({
      name: "safe-reader",
      tools: Effect.succeed({
        peek: tool({
          description: "Reads.",
          parameters: Schema.Struct({ path: Schema.String }),
          risk: "safe",
          effect: "pure",
          access: ({ path }) => [{ _tag: "ReadFile", path }],
          execute: () => Effect.succeed("")
        })
      })
    })
    const { registry, root } = yield* openTools({ files: { "a.txt": "a" }, plugins: [safeReader, shapes] })
    yield* fs.symlink("/etc", `${root}/link`)
    const read = { _tag: "ReadFile", inside: true } as const
    const write = { _tag: "WriteFile", inside: true, content: "x", found: "absent" } as const
    const rows = [
      ["peek", { path: "./a.txt" }, "safe", { ...read, path: `${root}/a.txt` }],
      ["peek", { path: "link/hostname" }, "medium", { ...read, path: "/etc/hostname", inside: false }],
      ["peek", { path: "config/.env" }, "medium", { ...read, path: `${root}/config/.env` }],
      ["write_file", { path: "b/c.txt", content: "x" }, "high", { ...write, path: `${root}/b/c.txt` }],
      ["visit", { url: "HTTP://EXAMPLE.com" }, "medium", { _tag: "FetchUrl", url: "http://example.com/" }]
    ] as const
    for (const [name, given, risk, access] of rows) {
      expect(yield* registry.prepare(callOf(name, given))).toMatchObject({ risk, accesses: [access] })
    }
  })

  nodeTest("fails for unknown tools, wrong arguments, and targets that are none", function* () {
    const { registry } = yield* openTools({ plugins: [shapes] })
    expect(yield* failureOf(registry.prepare(callOf("drow")))).toStrictEqual([
      "not_found",
      'There is no tool "drow". Nearest: draw.'
    ])
    expect(yield* failureOf(registry.prepare(callOf("draw", { size: "3", extra: 1 })))).toStrictEqual([
      "validation_failed",
      "The arguments of draw do not fit: extra is unknown here. Remove it, or correct its name. size must be a number, but is a string. Write it without quotes. filled is missing. Add it."
    ])
    expect(yield* failureOf(registry.prepare(callOf("visit", { url: "file:///etc/passwd" })))).toStrictEqual([
      "validation_failed",
      '"file:///etc/passwd" is not an http or https URL. Give a complete one.'
    ])
    expect((yield* failureOf(registry.prepare(callOf("read_file", { path: "a\0b" }))))[0]).toBe("validation_failed")
  })
})

describe("a call that is executed", () => {
  const denied = ["permission_denied", "Permission denied: a tool runs only with a fresh permit of the gate."]

  nodeTest("runs a tool once per permit", function* () {
    const { gate, registry } = yield* openTools({ plugins: [shapes] })
    const permit = yield* gate.authorize(
      questionOfCall(inTask("T"), yield* registry.prepare(callOf("draw", { size: 1, filled: true })))
    )
    expect(yield* registry.execute(permit)).toBe("drawn")
    expect(yield* failureOf(registry.execute(permit))).toStrictEqual(denied)
  })

  nodeTest("runs nothing for a forged or copied permit, or for a call that it did not prepare", function* () {
    const fs = yield* FileSystem.FileSystem
    const { gate, registry, root } = yield* openTools({ files: { "a.txt": "old" } })
    const prepared = yield* registry.prepare(callOf("write_file", { path: "a.txt", content: "new" }))
    expect(yield* failureOf(registry.execute(forgedPermit(prepared)))).toStrictEqual(denied)
    const permit = yield* gate.authorize(questionOfCall(inTask("T"), prepared))
    expect(yield* failureOf(registry.execute({ ...permit }))).toStrictEqual(denied)
    const forged = yield* gate.authorize(questionOfCall(inTask("T"), { ...prepared, risk: "safe", accesses: [] }))
    expect(yield* failureOf(registry.execute(forged))).toStrictEqual(denied)
    const other = yield* openTools({})
    expect(yield* failureOf(other.registry.execute(permit))).toStrictEqual(denied)
    expect(yield* fs.readFileString(`${root}/a.txt`)).toBe("old")
  })
})
