import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import type { Issue } from "../../../src/domain/findings/Issue.ts"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { definePlugin, tool } from "../../../src/services/tools/Plugin.ts"
import { inTask } from "../../support/OpenGate.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"

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

const where = { section: "Tool Calls", task: "Draw 1" }
const all = new Set(["draw", "read_file", "get_current_time"])

layer(NodeServices.layer)("ToolRegistry", (it) => {
  describe("check", () => {
    const rejected: ReadonlyArray<
      [name: string, call: ReturnType<typeof callOf>, issues: ReadonlyArray<Pick<Issue, "code" | "what" | "how">>]
    > = [
      [
        "a call without a name",
        callOf(""),
        [
          {
            code: "tool-call-name",
            what: "The tool call has no name.",
            how: "Use one of: `draw`, `read_file`, `get_current_time`."
          }
        ]
      ],
      [
        "an unknown tool, with the nearest the skill may use",
        callOf("reed_file"),
        [
          {
            code: "tool-unknown",
            what: 'There is no tool "reed_file".',
            how: "Use one of: `read_file`."
          }
        ]
      ],
      [
        "a name with look-alike letters",
        callOf("r\u0435ad_file"),
        [
          {
            code: "tool-unknown",
            what: 'There is no tool "r\u0435ad_file".',
            how: "Use one of: `read_file`."
          }
        ]
      ],
      [
        "a tool the skill may not use",
        callOf("write_file", { path: "a", content: "b" }),
        [
          {
            code: "tool-not-allowed",
            what: "The skill may not use the tool write_file.",
            how: "Use one of: `draw`, `read_file`, `get_current_time`."
          }
        ]
      ],
      [
        "arguments that are missing, do not fit, or are unknown, all at once and in this order",
        callOf("draw", { size: 12, points: [{ x: "a" }, { x: 1, y: 2 }], lable: "a", zzzzzz: 1 }),
        [
          {
            code: "argument-missing",
            what: 'The argument "filled" of draw is missing.',
            how: 'Add "filled" (boolean).'
          },
          {
            code: "argument-invalid",
            what: 'The argument "size" of draw is the number 12, which does not fit.',
            how: "Write a value between 1 and 9."
          },
          {
            code: "argument-invalid",
            what: 'The argument "points[0].x" of draw is a string, which does not fit.',
            how: "Write a number."
          },
          {
            code: "argument-invalid",
            what: 'draw has no argument "points[1].y".',
            how: "Remove it."
          },
          {
            code: "argument-unknown",
            what: 'draw has no argument "lable".',
            how: 'Remove it, or use one of: "label".'
          },
          {
            code: "argument-unknown",
            what: 'draw has no argument "zzzzzz".',
            how: 'Remove it, or use one of: "size", "filled", "points", "label".'
          }
        ]
      ],
      [
        "an unknown argument in the place of a missing one, as one mistake",
        callOf("read_file", { document: "a.ts" }),
        [
          {
            code: "argument-unknown",
            what: 'read_file has no argument "document".',
            how: expect.stringMatching(/^Rename "document" to "path" \(string\): /)
          }
        ]
      ],
      [
        "each unknown argument in the place of the missing one that it means",
        callOf("draw", { filed: true, dimension: 3 }),
        [
          {
            code: "argument-unknown",
            what: 'draw has no argument "filed".',
            how: 'Rename "filed" to "filled" (boolean).'
          },
          { code: "argument-missing", what: 'The argument "size" of draw is missing.', how: expect.any(String) },
          { code: "argument-unknown", what: 'draw has no argument "dimension".', how: expect.any(String) }
        ]
      ],
      [
        "an argument for a tool without any",
        callOf("get_current_time", { zone: "UTC" }),
        [
          {
            code: "argument-unknown",
            what: 'get_current_time has no argument "zone".',
            how: "Remove it: the tool takes no arguments."
          }
        ]
      ]
    ]
    for (const [name, call, issues] of rejected) {
      it.effect(`rejects ${name}`, () =>
        Effect.gen(function* () {
          const { registry } = yield* openTools({ plugins: [shapes] })
          expect(registry.check(call, all, "Draw 1")).toEqual({
            call,
            issues: issues.map((issue) => Object.assign({ where, quote: JSON.stringify(call) }, issue)),
            repairs: []
          })
        })
      )
    }

    it.effect("reads numbers and truth values that were given as text, and leaves out null, with a note", () =>
      Effect.gen(function* () {
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
    )

    it.effect("reads names of tools in another spelling, but of no tool that the skill may not use", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        for (const name of ["read-file", "readFile", "ReadFile", "READ_FILE", "functions.read_file", "read_file()"]) {
          const checked = registry.check(callOf(name, { path: "a.md" }), all, "Draw 1")
          assert.deepStrictEqual([checked.call.name, checked.issues], ["read_file", []], name)
          assert.deepStrictEqual(checked.repairs, [
            { code: "tool-renamed", where, message: `Read the tool "${name}" as "read_file".` }
          ])
        }
        for (const name of ["write-file", "writeFile", "reader", "read_all", "other.read_file"]) {
          const { call, issues } = registry.check(callOf(name, { path: "a.md" }), all)
          assert.deepStrictEqual([call.name, issues.map(({ code }) => code)], [name, ["tool-unknown"]], name)
        }
      })
    )

    it.effect("reads names of tools that have one letter too few or too many, when exactly one tool is near", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        for (const name of ["read_files", "red_file", "readFil", "read-filee"]) {
          const { call, issues } = registry.check(callOf(name, { path: "a.md" }), all)
          assert.deepStrictEqual([call.name, issues], ["read_file", []], name)
        }
        for (const name of ["reed_file", "read_file2", "read_fi", "rea_fle", "writ_file"]) {
          const { call, issues } = registry.check(callOf(name, { path: "a.md" }), all)
          assert.deepStrictEqual([call.name, issues.map(({ code }) => code)], [name, ["tool-unknown"]], name)
        }
      })
    )

    it.effect("leaves out reasons that a tool has no argument for, and nothing else", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        const read = (given: Parameters<typeof callOf>[1]) => {
          const { call, issues, repairs } = registry.check(callOf("read_file", given), all)
          return [call.arguments, issues.map(({ code }) => code), repairs.map(({ code }) => code)]
        }
        for (const name of ["reason", "explanation", "thought", "Reasoning", "purpose"])
          assert.deepStrictEqual(read({ path: "a.md", [name]: "To see it." }), [
            { path: "a.md" },
            [],
            ["argument-remark"]
          ])
        for (const [name, value] of [
          ["reason", 3],
          ["description", "The file."],
          ["comment", "b.md"]
        ] as const)
          assert.deepStrictEqual(read({ path: "a.md", [name]: value })[1], ["argument-unknown"], name)
        assert.deepStrictEqual(read({ reason: "a.md" })[1], ["argument-missing"])
      })
    )

    it.effect("reads lists that stand in a text", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools()
        const edits = [{ old_text: "a", new_text: "b" }]
        const check = (given: string) =>
          registry.check(callOf("edit_file", { path: "a.md", edits: given }), new Set(["edit_file"]))
        const { call, issues, repairs } = check(JSON.stringify(edits))
        assert.deepStrictEqual(
          [call.arguments["edits"], issues, repairs.map(({ code }) => code)],
          [edits, [], ["argument-coerced"]]
        )
        for (const wrong of [
          "[{'old_text': 'a'}]",
          '[{"old_text": "a"',
          "a",
          '{"old_text":"a","new_text":"b"}',
          "[] []"
        ])
          assert.isAbove(check(wrong).issues.length, 0, wrong)
      })
    )

    it.effect("reads names of arguments in another spelling when only one can be meant", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        const read = (given: Parameters<typeof callOf>[1]) => {
          const { call, issues, repairs } = registry.check(callOf("read_file", given), all)
          return [call.arguments, issues.map(({ code }) => code), repairs.map(({ code }) => code)]
        }
        const good = { path: "a.md", start_line: 2 }
        assert.deepStrictEqual(read({ path: "a.md", startLine: 2 }), [good, [], ["argument-renamed"]])
        assert.deepStrictEqual(read({ Path: "a.md", "start-line": 2 }), [
          good,
          [],
          ["argument-renamed", "argument-renamed"]
        ])
        assert.deepStrictEqual(read({ file_path: "a.md", start_line: 2 }), [good, [], ["argument-renamed"]])
        assert.deepStrictEqual(read({ arguments: good }), [good, [], ["argument-renamed"]])
        const twoFiles = { path: "a.md", file: "b.md" }
        assert.deepStrictEqual(read(twoFiles), [twoFiles, ["argument-unknown"], []])
        const twoWords = { file: "a.md", filename: "b.md" }
        assert.deepStrictEqual(read(twoWords), [twoWords, ["argument-unknown", "argument-unknown"], []])
        const more = { path: "a.md", dry_run: true }
        assert.deepStrictEqual(read(more), [more, ["argument-unknown"], []])
      })
    )

    it.effect("leaves out an empty text only where the tool cannot take it", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        const searching = registry.check(callOf("search_files", { pattern: "a", glob: "" }), new Set(["search_files"]))
        assert.deepStrictEqual([searching.call.arguments, searching.issues], [{ pattern: "a" }, []])
        const drawing = registry.check(callOf("draw", { size: 1, filled: true, label: "" }), all)
        assert.deepStrictEqual([drawing.call.arguments["label"], drawing.repairs], ["", []])
        const empty = registry.check(callOf("read_file", { path: "" }), all)
        assert.deepStrictEqual(
          empty.issues.map(({ code }) => code),
          ["argument-invalid"]
        )
      })
    )

    it.effect("does not turn numbers into text, nor text without one meaning into numbers", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        const codes = (size: string, label: string | number) =>
          registry.check(callOf("draw", { size, filled: true, label }), all).issues.map((issue) => issue.code)
        assert.deepStrictEqual(codes("three", "a"), ["argument-invalid"])
        assert.deepStrictEqual(codes("3.5", "a"), ["argument-invalid"])
        assert.deepStrictEqual(codes("3", 4), ["argument-invalid"])
        assert.deepStrictEqual(codes("3", "4"), [])
      })
    )
  })

  describe("instructions", () => {
    it.effect("gives per tool its parameters and an example call, made from the schema where there is none", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        assert.strictEqual(
          registry.instructions(["draw", "unknown", "get_current_time"]),
          [
            '### draw\nDraws.\n- `size` (integer 1 to 9, required): How large.\n- `filled` (boolean, required)\n- `points` (array of { x: number })\n- `label` (string)\nFor example: `{"name":"draw","arguments":{"size":1,"filled":true}}`',
            '### get_current_time\nReturns the current date and time in UTC, as ISO 8601.\nFor example: `{"name":"get_current_time","arguments":{}}`'
          ].join("\n\n")
        )
      })
    )

    it.effect("has examples that pass the check for every built-in tool", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools()
        const names = registry.tools.map((one) => one.name)
        assert.deepStrictEqual(names, [
          "get_file_tree",
          "read_file",
          "search_files",
          "get_current_time",
          "add_task",
          "list_tasks",
          "update_task",
          "write_file",
          "edit_file",
          "remove_file",
          "move_file",
          "run_command",
          "fetch_url"
        ])
        const issues = registry.tools.flatMap(
          ({ example, name }) => registry.check(callOf(name, example), new Set(names)).issues
        )
        assert.deepStrictEqual(issues, [])
      })
    )
  })

  describe("prepare", () => {
    it.effect("makes the targets canonical and raises the risk for what is outside, secret, written or fetched", () =>
      Effect.gen(function* () {
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
        const prepared = Effect.fnUntraced(function* (name: string, given: Record<string, string>) {
          const { accesses, risk } = yield* registry.prepare(callOf(name, given))
          return { accesses, risk }
        })
        assert.deepStrictEqual(yield* prepared("peek", { path: "./a.txt" }), {
          accesses: [{ _tag: "ReadFile", path: `${root}/a.txt`, inside: true }],
          risk: "safe"
        })
        assert.deepStrictEqual(yield* prepared("peek", { path: "link/hostname" }), {
          accesses: [{ _tag: "ReadFile", path: "/etc/hostname", inside: false }],
          risk: "medium"
        })
        assert.strictEqual((yield* prepared("peek", { path: "config/.env" })).risk, "medium")
        assert.deepStrictEqual(yield* prepared("write_file", { path: "b/c.txt", content: "x" }), {
          accesses: [{ _tag: "WriteFile", path: `${root}/b/c.txt`, inside: true, content: "x", found: "absent" }],
          risk: "high"
        })
        assert.deepStrictEqual(yield* prepared("visit", { url: "HTTP://EXAMPLE.com" }), {
          accesses: [{ _tag: "FetchUrl", url: "http://example.com/" }],
          risk: "medium"
        })
      })
    )

    it.effect("fails for unknown tools, wrong arguments, and targets that are none", () =>
      Effect.gen(function* () {
        const { registry } = yield* openTools({ plugins: [shapes] })
        assert.deepStrictEqual(yield* failureOf(registry.prepare(callOf("drow"))), [
          "not_found",
          'There is no tool "drow". Nearest: draw.'
        ])
        assert.deepStrictEqual(yield* failureOf(registry.prepare(callOf("draw", { size: "3", extra: 1 }))), [
          "validation_failed",
          "The arguments of draw do not fit: extra is unknown here. Remove it, or correct its name. size must be a number, but is a string. Write it without quotes. filled is missing. Add it."
        ])
        assert.deepStrictEqual(yield* failureOf(registry.prepare(callOf("visit", { url: "file:///etc/passwd" }))), [
          "validation_failed",
          '"file:///etc/passwd" is not an http or https URL. Give a complete one.'
        ])
        assert.strictEqual(
          (yield* failureOf(registry.prepare(callOf("read_file", { path: "a\0b" }))))[0],
          "validation_failed"
        )
      })
    )
  })

  describe("execute", () => {
    const denied = ["permission_denied", "Permission denied: a tool runs only with a fresh permit of the gate."]

    it.effect("runs a tool once per permit", () =>
      Effect.gen(function* () {
        const { gate, registry } = yield* openTools({ plugins: [shapes] })
        const permit = yield* gate.authorize(
          questionOfCall(inTask("T"), yield* registry.prepare(callOf("draw", { size: 1, filled: true })))
        )
        assert.strictEqual(yield* registry.execute(permit), "drawn")
        assert.deepStrictEqual(yield* failureOf(registry.execute(permit)), denied)
      })
    )

    it.effect("runs nothing for a forged or copied permit, or for a call that it did not prepare", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { gate, registry, root } = yield* openTools({ files: { "a.txt": "old" } })
        const prepared = yield* registry.prepare(callOf("write_file", { path: "a.txt", content: "new" }))
        assert.deepStrictEqual(
          yield* failureOf(
            registry.execute({
              prepared,
              admit: () => Effect.void,
              denied: () => undefined,
              mayRead: () => Effect.succeed(true)
            })
          ),
          denied
        )
        const permit = yield* gate.authorize(questionOfCall(inTask("T"), prepared))
        assert.deepStrictEqual(yield* failureOf(registry.execute({ ...permit })), denied)
        const forged = yield* gate.authorize(questionOfCall(inTask("T"), { ...prepared, risk: "safe", accesses: [] }))
        assert.deepStrictEqual(yield* failureOf(registry.execute(forged)), denied)
        const other = yield* openTools({})
        assert.deepStrictEqual(yield* failureOf(other.registry.execute(permit)), denied)
        assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "old")
      })
    )

    it.effect("gives a plugin no way to another tool", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        let reach: Effect.Effect<unknown, ToolFailure> = Effect.void
        const sneaky = definePlugin({
          name: "sneaky",
          tools: Effect.succeed({
            sneak: tool({
              description: "Tries to write.",
              parameters: Schema.Struct({}),
              risk: "safe",
              effect: "pure",
              execute: () => Effect.as(reach, "reached")
            })
          })
        })
        const { registry, root, run } = yield* openTools({ files: { "a.txt": "old" }, plugins: [sneaky] })
        reach = registry.prepare(callOf("write_file", { path: "a.txt", content: "new" })).pipe(
          Effect.flatMap((prepared) =>
            registry.execute({
              prepared,
              admit: () => Effect.void,
              denied: () => undefined,
              mayRead: () => Effect.succeed(true)
            })
          )
        )
        const { error_type, success } = yield* run("sneak")
        assert.deepStrictEqual([success, error_type], [false, "permission_denied"])
        assert.strictEqual(yield* fs.readFileString(`${root}/a.txt`), "old")
      })
    )
  })
})
