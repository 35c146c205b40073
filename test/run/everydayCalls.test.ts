/**
 * An ordinary afternoon: calls of all tools in one session, in which the user answers every question with "session".
 * `expected` says what a careful person would want: `free`, `asked`, or `refused`.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Arguments } from "../../src/domain/tools/ToolCall.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { inTask } from "../support/OpenGate.ts"
import { callOf, openTools } from "../support/OpenTools.ts"
import { makeProject } from "../support/Project.ts"
import { questionOfCall } from "../../src/services/permissions/GateQuestion.ts"
import everyday from "../fixtures/everyday-calls.json" with { type: "json" }

interface EverydayCall {
  readonly tool: string
  readonly arguments: Arguments & { readonly argv?: ReadonlyArray<string> }
  readonly expected: string
}

const everydayCalls: ReadonlyArray<EverydayCall> = everyday.calls as never

/** The files of the project, three lines in most of them. */
const projectFiles = {
  ...Object.fromEntries(
    everyday.files.map((path) => {
      const name = path.split("/").at(-1)
      return [path, `first line of ${name}\nlimit of ${name} is 10\nlast line of ${name}\n`]
    })
  ),
  "package.json":
    '{ "name": "todo-web", "version": "1.4.0", "scripts": { "test": "vitest run", "lint": "eslint .", "build": "vite build" } }\n',
  ".env": "API_TOKEN=not-a-real-one\n"
}

type Outcome = "free" | "asked" | "refused" | "failed"

/** A folder with programs of the names that the calls start, whatever is installed here; none of them is run. */
const standIns = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = new Set(everydayCalls.flatMap(({ arguments: given }) => given.argv?.slice(0, 1) ?? []))
  const folder = yield* makeProject(Object.fromEntries([...names].map((name) => [name, "#!/bin/sh\n"])))
  for (const name of names) yield* fs.chmod(`${folder}/${name}`, 0o755)
  return folder
})

/** Judges all calls in order and says what became of each; nothing is run. */
const play = Effect.gen(function* () {
  let questions = 0
  const patient = Layer.succeed(Approver)(
    Approver.of({
      call: () =>
        Effect.sync(() => {
          questions += 1
          return { answer: "session", by: "person" } as const
        }),
      step: () => Effect.die("no step is asked about"),
      inDoubt: () => Effect.die("no call is in doubt")
    })
  )
  const { gate, registry } = yield* openTools({
    files: projectFiles,
    approver: patient,
    commands: { environment: { PATH: `${yield* standIns}:${process.env["PATH"]}` } }
  })
  return yield* Effect.forEach(everydayCalls, ({ arguments: given, tool }) =>
    Effect.gen(function* () {
      const before = questions
      const prepared = yield* Effect.result(registry.prepare(callOf(tool, given)))
      if (Result.isFailure(prepared)) return "failed" as Outcome
      const permit = yield* Effect.result(gate.authorize(questionOfCall(inTask("Afternoon"), prepared.success)))
      if (Result.isFailure(permit)) return "refused" as Outcome
      return questions > before ? "asked" : ("free" as Outcome)
    })
  )
})

/** The rows with this difference, as a person reads them. */
const rows = (outcomes: ReadonlyArray<Outcome>, expected: Outcome, got: Outcome): ReadonlyArray<string> =>
  everydayCalls.flatMap((call, index) =>
    call.expected === expected && outcomes[index] === got ? [`${call.tool} ${JSON.stringify(call.arguments)}`] : []
  )

nodeTest("an afternoon of work asks what it must, and hardly anything else", function* () {
  const outcomes = yield* play
  const unsafe = (["asked", "refused"] as const).flatMap((expected) => rows(outcomes, expected, "free"))
  assert.deepStrictEqual([...unsafe, ...rows(outcomes, "refused", "asked")], [], "needs a question or a refusal")
  const refusals = (["refused", "failed"] as const).flatMap((got) =>
    (["free", "asked"] as const).flatMap((expected) => rows(outcomes, expected, got))
  )
  assert.deepStrictEqual(refusals, [], "is refused for nothing")
  const needless = rows(outcomes, "free", "asked")
  /* Names that look like those of secrets; to stay aware of them. */
  assert.deepStrictEqual(needless, [
    'read_file {"path":"keys/public.asc"}',
    'read_file {"path":".docker/Dockerfile"}',
    'read_file {"path":"src/.env.d.ts"}'
  ])
})
