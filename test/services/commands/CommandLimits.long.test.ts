import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { GivenCommandLimits } from "../../../src/domain/commands/CommandLimits.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"

interface Result {
  readonly exit_code: number | null
  readonly output: string
  readonly stopped?: string
  readonly limit?: string
}

/** Runs shell scripts and programs of Node under small limits. */
const open = Effect.fnUntraced(function* (mode: "required" | "off", limits: Partial<GivenCommandLimits>) {
  const environment = { PATH: process.env["PATH"] }
  const { log, root, run } = yield* openTools({ commands: { sandbox: { mode }, environment, limits } })
  const command = (argv: ReadonlyArray<string>) =>
    Effect.map(run("run_command", { argv, timeout_seconds: 60 }), ({ data }) => data as unknown as Result)
  return {
    root,
    log,
    script: (text: string) => command(["sh", "-c", text]),
    program: (text: string) => command([process.execPath, "-e", text])
  }
})

/** Holds memory that is really used, 20 MB more in each step. */
const allocates =
  "const held = []; setInterval(() => { held.push(Buffer.alloc(20e6, 1)); console.log(held.length) }, 20)"
const reserves = `const held = new ArrayBuffer(1_500_000_000); setTimeout(() => console.log("kept", held.byteLength), 1000)`

for (const mode of ["required", "off"] as const) {
  const isSandboxed = mode === "required"
  describe(
    `limits of commands, ${isSandboxed ? "in" : "without"} the sandbox`,
    isSandboxed ? needs("bwrap") : {},
    () => {
      liveTest("stop a program that allocates, and name the limit to model and person", function* () {
        const { log, program } = yield* open(mode, { commandMemoryMegabytes: 400 })
        const { exit_code, output, stopped } = yield* program(allocates)
        const sentence = "It used more than 400 MB of memory and was stopped (limits.commandMemoryMegabytes)."
        expect({ exit_code, stopped }).toStrictEqual({ exit_code: null, stopped: sentence })
        /* What comes between two looks is not held. */
        expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(100)
        const warnings = log
          .events()
          .flatMap((event) => (event.type === "message" && event.level === "warning" ? [event.text] : []))
        expect(
          warnings.some((text) => text.endsWith(sentence)),
          warnings.join("\n")
        ).toBe(true)
      })

      liveTest("count memory that is used, not what is only reserved", function* () {
        const { program } = yield* open(mode, { commandMemoryMegabytes: 400 })
        expect(yield* program(reserves)).toMatchObject({ exit_code: 0, output: "kept 1500000000\n" })
      })

      liveTest("stop a fork bomb, and leave none of it", function* () {
        const marker = `bomb-${mode}-${process.pid}`
        const { script } = yield* open(mode, { commandProcesses: 60 })
        /* Slow enough that a busy machine has it stopped before it takes what other tests need. */
        const text = `f() { sleep 0.3; f & f & wait; }; f; exit 1 # ${marker}`
        const { limit, stopped } = yield* script(text)
        expect(stopped ?? limit).toContain("(limits.commandProcesses)")
        yield* waitForProcesses(marker, (count) => count === 0)
      })

      liveTest("end a file that becomes too large", function* () {
        const { program, script } = yield* open(mode, { commandFileMegabytes: 2 })
        const sentence = "A file of a command may have at most 2 MB (limits.commandFileMegabytes)."
        const shell = yield* script("head -c 5000000 /dev/zero > large; code=$?; wc -c < large; exit $code")
        expect(shell).toMatchObject({ exit_code: 153, limit: sentence })
        expect(shell.output).toContain("2097152")
        const other = yield* program(`require("fs").writeFileSync("other", Buffer.alloc(5e6))`)
        expect(other.limit).toBe(sentence)
      })

      liveTest("say nothing of a command that stays below them", function* () {
        const { script } = yield* open(mode, {})
        expect(yield* script("echo fine")).toStrictEqual({ exit_code: 0, output: "fine\n" })
        expect(yield* script("echo bad; exit 3")).toStrictEqual({ exit_code: 3, output: "bad\n" })
      })
    }
  )
}

describe("temporary folders of the sandbox", needs("bwrap"), () => {
  liveTest("hold as much as memory may be used, and say so", function* () {
    const { script } = yield* open("required", { commandMemoryMegabytes: 100 })
    for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/run"]) {
      const { limit, output, stopped } = yield* script(`head -c 200000000 /dev/zero > ${folder}/a; exit $?`)
      expect(stopped ?? limit ?? "", `${folder} ${output}`).toMatch(
        /^It used more than 100 MB of memory|^\/tmp and each other temporary folder of the sandbox hold at most 100 MB/
      )
    }
    expect((yield* script("echo a > /dev/new")).output).toContain("Read-only file system")
    expect(yield* script("echo a > /dev/shm/a && echo b > /dev/null && cat /dev/shm/a")).toMatchObject({
      output: "a\n"
    })
  })

  liveTest("count as memory of the command", function* () {
    const { script } = yield* open("required", { commandMemoryMegabytes: 100 })
    const text = "for one in /tmp /var/tmp /run; do head -c 60000000 /dev/zero > $one/a; done; sleep 20"
    expect((yield* script(text)).stopped).toContain("(limits.commandMemoryMegabytes)")
  })
})
