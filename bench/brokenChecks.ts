/**
 * Small projects with a check that cannot work, or that fails with and without the change. For each, shows what the
 * built program says, in which line, and how the run ends. Needs no network: a scripted model makes the change and
 * claims that the check passed. `node bench/real-work.ts checks` uses this file.
 */
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { FakeOllama } from "../test/support/FakeOllama.ts"
import { fakeModel } from "../test/support/FakeOllamaPaths.ts"
import { stageNameOf } from "../test/support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../test/support/TestRun.ts"

interface BrokenPiece {
  readonly name: string
  /** The program that this piece needs. If it is not installed, the piece is skipped. */
  readonly needs: string
  /** Files by path. `{outside}` in them is a folder that sandboxed commands cannot see. */
  readonly files: Readonly<Record<string, string>>
  readonly outside?: Readonly<Record<string, string>>
  readonly check: string
  readonly checkSeconds?: number
  /** The expected status of the check, and the expected exit code of the run. */
  readonly status: string
  readonly exitCode: number
}

const config = { "config.txt": "limit = 100\n" }
const goFiles = {
  ...config,
  "go.mod": "module example.com/limits\n\ngo 1.18\n",
  "rate_test.go": 'package limits\n\nimport "testing"\n\nfunc TestLimit(t *testing.T) {}\n'
}
const notChecked = { status: "not checked", exitCode: 1 }

export const brokenPieces: ReadonlyArray<BrokenPiece> = [
  {
    name: "Go, modules not downloaded, no network",
    needs: "go",
    files: {
      ...goFiles,
      "go.mod": `${goFiles["go.mod"]}\nrequire github.com/pkg/errors v0.9.1\n`,
      "go.sum":
        "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=\ngithub.com/pkg/errors v0.9.1/go.mod h1:bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0=\n",
      "rate.go": 'package limits\n\nimport "github.com/pkg/errors"\n\nvar Err = errors.New("limit")\n'
    },
    check: "go test ./...",
    ...notChecked
  },
  {
    name: "Go, does not build",
    needs: "go",
    files: { ...goFiles, "rate.go": "package limits\n\nvar Limit = undefinedLimit\n" },
    check: "go test ./...",
    ...notChecked
  },
  {
    name: "Rust, toolchain not installed",
    needs: "cargo",
    files: {
      ...config,
      "Cargo.toml": '[package]\nname = "limits"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "pub fn limit() -> u32 {\n    100\n}\n",
      "rust-toolchain.toml": '[toolchain]\nchannel = "1.20.0"\n'
    },
    check: "cargo test",
    ...notChecked
  },
  {
    name: "npm, packages not installed",
    needs: "npm",
    files: { ...config, "package.json": '{ "name": "limits", "scripts": { "test": "vitest run" } }\n' },
    check: "npm test",
    ...notChecked
  },
  {
    name: "npm, no such script",
    needs: "npm",
    files: { ...config, "package.json": '{ "name": "limits" }\n' },
    check: "npm test",
    ...notChecked
  },
  {
    name: "Python, no test",
    needs: "python3",
    files: { ...config, "limits.py": "limit = 100\n" },
    check: "python3 -m unittest",
    ...notChecked
  },
  {
    name: "Python, package not installed",
    needs: "python3",
    files: { ...config, "test_limits.py": "import not_installed\n" },
    check: "python3 -m unittest",
    ...notChecked
  },
  {
    name: "a program in a folder that the sandbox hides",
    needs: "bwrap",
    files: { ...config, Makefile: "test:\n\t{outside}/bin/check-limits\n" },
    outside: { "bin/check-limits": "#!/bin/sh\nexit 0\n" },
    check: "make test",
    ...notChecked
  },
  {
    name: "make, a file is missing",
    needs: "make",
    files: { ...config, Makefile: "test: rate.o\n\t./rate.o\n" },
    check: "make test",
    ...notChecked
  },
  {
    name: "ends never",
    needs: "node",
    files: { ...config, "check.mjs": "setInterval(() => {}, 1000)\n" },
    check: "node check.mjs",
    checkSeconds: 3,
    ...notChecked
  },
  {
    name: "control: fails as before, and names nothing",
    needs: "node",
    files: { ...config, "check.mjs": 'console.log("The limit is wrong.")\nprocess.exit(1)\n' },
    check: "node check.mjs",
    status: "failed",
    exitCode: 1
  },
  {
    name: "control: an old failure, and something passes beside",
    needs: "node",
    files: {
      ...config,
      "check.mjs":
        'console.log("not ok 1 - old thing\\nok 2 - limit\\n# tests 2\\n# pass 1\\n# fail 1")\nprocess.exit(1)\n'
    },
    check: "node check.mjs",
    status: "nothing new fails",
    exitCode: 0
  },
  {
    name: "control: passes",
    needs: "node",
    files: { ...config, "check.mjs": 'console.log("ok 1 - limit\\n# tests 1\\n# pass 1\\n# fail 0")\n' },
    check: "node check.mjs",
    status: "passed",
    exitCode: 0
  }
]

const answerTo = (stage: string): string => {
  switch (stage) {
    case "creation":
      return planOf([[{ name: "Set the limit", skill: "edit-files", needed: "Set the limit to 150." }]])
    case "refinement":
      return refinementWith([
        { name: "edit_file", arguments: { path: "config.txt", old_text: "limit = 100", new_text: "limit = 150" } }
      ])
    case "iteration":
      return planOf([])
    default:
      return resultSaying("The limit is 150. The check passed.")
  }
}

const writeAll = (folder: string, files: Readonly<Record<string, string>>, mode?: number): void => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    if (mode !== undefined) chmodSync(join(folder, name), mode)
  }
}

interface Ended {
  readonly code: number | null
  readonly stderr: string
  readonly stdout: string
}

/**
 * What a run prints about the check. If the check is faster than the plan, it is about the unchanged project. Otherwise
 * it comes after the change.
 */
const tried = /the check (?:proves|fails|passes)|^ *not checked .* It proves nothing/m

/** How long the model plans, in ms. Planning ends earlier if the check was reported. */
const planMs = 30_000

/** Runs the program. Its model plans until the check is reported, as a slow model would. */
const runProduct = (
  product: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv,
  plan: () => void
) =>
  Effect.callback<Ended>((resume) => {
    const child = spawn(process.execPath, [product, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    const texts = { stderr: "", stdout: "" }
    const timer = setTimeout(plan, planMs)
    child.stdout.on("data", (data: Buffer) => (texts.stdout += data.toString()))
    child.stderr.on("data", (data: Buffer) => {
      texts.stderr += data.toString()
      if (tried.test(texts.stderr)) plan()
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      resume(Effect.succeed({ code, ...texts }))
    })
    return Effect.sync(() => void child.kill())
  })

const scratchFolder = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, ".broken-check-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Runs one piece. Returns the rows of the table, and whether the run ended as expected. */
const play = (product: string, piece: BrokenPiece) =>
  Effect.gen(function* () {
    const { check, checkSeconds, exitCode, files, outside = {}, status } = piece
    const parent = yield* scratchFolder(tmpdir())
    const hidden = yield* scratchFolder(fileURLToPath(new URL("../node_modules/", import.meta.url)))
    const project = join(parent, "project")
    const own = join(parent, "config", "task-conductor")
    const placed = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, text.replaceAll("{outside}", hidden)])
    )
    writeAll(project, placed)
    writeAll(hidden, outside, 0o755)
    mkdirSync(own, { recursive: true, mode: 0o700 })
    writeFileSync(
      join(own, "config.json"),
      JSON.stringify({ limits: checkSeconds === undefined ? {} : { checkSeconds } })
    )
    const server = yield* FakeOllama.make(({ messages }) => {
      const stage = stageNameOf(messages)
      return stage === "creation" ? { text: answerTo(stage), hold: "plan" } : answerTo(stage)
    })
    const plan = () => Effect.runSync(server.release("plan"))
    const env = {
      ...process.env,
      OLLAMA_HOST: server.url,
      XDG_CONFIG_HOME: join(parent, "config"),
      XDG_STATE_HOME: join(parent, "state")
    }
    const named = check.replace("{outside}", hidden)
    const args = ["run", "--model", fakeModel, "--yes", "--check", named, "Set the limit to 150."]
    const ended = yield* runProduct(product, args, project, env, plan)
    writeAll(project, placed)
    const accepted = yield* runProduct(product, [...args, "--accept-unverified"], project, env, plan)
    const said = ended.stderr.split("\n").findIndex((line) => tried.test(line)) + 1
    const line = ended.stderr.split("\n")[said - 1] ?? ""
    const setting = /"sandbox": \{ [^}]*\}|limits\.[a-z]+Seconds|--check/.exec(line)?.[0] ?? ""
    const end = ended.stdout.includes(`- ${status}: \`${named}\``) ? status : "?"
    const isRight = end === status && ended.code === exitCode && accepted.code === 0 && said > 0 && said <= 10
    const cells = [piece.name, check, end, said, setting.replaceAll(hidden, "{outside}"), ended.code, accepted.code]
    return { isRight, cells }
  }).pipe(Effect.scoped)

const isThere = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0

/**
 * Runs all pieces whose programs are installed, and prints the table. Returns whether all of them ended as expected.
 */
export const playBrokenChecks = (product: string): Promise<boolean> =>
  Effect.runPromise(
    Effect.gen(function* () {
      console.log(
        "| piece | `--check` | at the end | said in line | what helps | exit code | with `--accept-unverified` |"
      )
      console.log("|---|---|---|---:|---|---:|---:|")
      const wrong: Array<string> = []
      for (const piece of brokenPieces) {
        if (!isThere(piece.needs)) {
          console.log(`| ${piece.name} | left out: there is no ${piece.needs} | | | | | |`)
          continue
        }
        const { cells, isRight } = yield* play(product, piece)
        if (!isRight) wrong.push(piece.name)
        console.log(
          `| ${cells.map((cell, at) => (at === 1 || (at === 4 && cell !== "") ? `\`${cell}\`` : cell)).join(" | ")} |`
        )
      }
      if (wrong.length > 0) console.error(`Not as they must be: ${wrong.join("; ")}`)
      return wrong.length === 0
    })
  )
