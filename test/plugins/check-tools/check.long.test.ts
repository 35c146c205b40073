import { assert, describe, it } from "@effect/vitest"
import { chmodSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import type { SarifLog } from "../../../src/plugins/check-tools/SarifLog.ts"
import { processSandbox } from "../../support/fileSandbox.ts"
import { sarifProblems } from "../../support/sarifProblems.ts"

const sandbox = processSandbox()

const plan = (skill: string) => `## Original prompt

Find the port.

## Goals / summary

Find out where the port is defined.

## Tasks

### Task section 1

- **Name** Research 1
- **What is needed** Find the definition of the port.
${skill}- **Expected output** File and line.
`

sandbox.write("project/good.md", plan("- **Skill** search-code\n"))
sandbox.write("project/bad.md", plan(""))
mkdirSync(`${sandbox.root}/project/folder`)

const read = (file: string) => readFileSync(`${sandbox.root}/project/${file}`, "utf8")

describe.concurrent("check", () => {
  it("prints a rejection with place and remedy, and exits 1", async () => {
    const { code, stderr, stdout } = await sandbox.run(["check", "bad.md"])
    assert.deepStrictEqual([code, stderr], [1, ""])
    assert.isTrue(
      stdout.startsWith('bad.md:13:1: issue: The task "Research 1" has no field "Skill". [field-missing]\n')
    )
    assert.isTrue(stdout.endsWith("name one skill of the catalogue.\n\nbad.md: rejected, 1 issue\n"))
  })

  it("prints a JSON object for one file, and one a line with the name of the file for several", async () => {
    const single = await sandbox.run(["check", "good.md", "--json"])
    assert.containsSubset(JSON.parse(single.stdout), { kind: "task-list", verdict: "accepted" })
    const { code, stdout } = await sandbox.run(["check", "good.md", "bad.md", "--format", "json"])
    const verdicts = stdout.matchAll(/^\{"file":"([^"]+)".*"verdict":"(\w+)"/gm)
    assert.deepStrictEqual(
      [code, [...verdicts].map(([, ...said]) => said.join(" "))],
      [1, ["good.md accepted", "bad.md rejected"]]
    )
  })

  it("reports the others when a file cannot be read, and exits 2", async () => {
    assert.deepStrictEqual(await sandbox.run(["check", "missing.md", "good.md", "folder"]), {
      code: 2,
      stdout: "good.md: accepted\n\n3 documents: 1 accepted, 2 failed\n",
      stderr: "Cannot read missing.md: there is no such file.\nCannot read folder: it is a folder.\n"
    })
  })

  it("prints SARIF with paths relative to the current folder", async () => {
    const { code, stdout } = await sandbox.run([
      "check",
      `${sandbox.root}/project/bad.md`,
      "folder/../missing.md",
      "--format",
      "sarif"
    ])
    const log: unknown = JSON.parse(stdout)
    assert.deepStrictEqual([code, sarifProblems(log)], [2, []])
    const [run] = (log as SarifLog).runs
    assert.strictEqual(run?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri, "bad.md")
    assert.isFalse(run?.invocations[0]?.executionSuccessful)
  })
})

describe.concurrent("check --fix", () => {
  const colons = plan("- Skill: search-code\n")
  const fixed = plan("- **Skill** search-code\n")

  it("writes the fixed document and says what was fixed; a second time there is nothing to do", async () => {
    sandbox.write("project/colons.md", colons)
    const { code, stdout } = await sandbox.run(["check", "colons.md", "--fix"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^colons\.md:15:1: fixed: .+\[field-label\]\n/)
    assert.isTrue(stdout.endsWith("\ncolons.md: repaired, 1 repair; the fixed document was written\n"))
    assert.strictEqual(read("colons.md"), fixed)
    const again = await sandbox.run(["check", "colons.md", "--fix"])
    assert.deepStrictEqual([again.code, again.stdout], [0, "colons.md: accepted\n"])
    assert.strictEqual(read("colons.md"), fixed)
  })

  it("keeps the mode of the file and writes through a link", async () => {
    sandbox.write("project/real.md", colons)
    chmodSync(`${sandbox.root}/project/real.md`, 0o640)
    symlinkSync("real.md", `${sandbox.root}/project/link.md`)
    await sandbox.run(["check", "link.md", "--fix"])
    assert.isTrue(lstatSync(`${sandbox.root}/project/link.md`).isSymbolicLink())
    assert.deepStrictEqual([read("real.md"), lstatSync(`${sandbox.root}/project/real.md`).mode & 0o777], [fixed, 0o640])
  })

  it("touches neither rejected nor accepted files", async () => {
    const rejected = colons.replace("- **Expected output** File and line.\n", "")
    sandbox.write("project/rejected.md", rejected)
    sandbox.write("project/accepted.md", `${fixed}\n\n`)
    const before = ["rejected.md", "accepted.md"].map((file) => lstatSync(`${sandbox.root}/project/${file}`).ino)
    const { code } = await sandbox.run(["check", "rejected.md", "accepted.md", "--fix"])
    const after = ["rejected.md", "accepted.md"].map((file) => lstatSync(`${sandbox.root}/project/${file}`).ino)
    assert.deepStrictEqual(
      [code, read("rejected.md"), read("accepted.md"), after],
      [1, rejected, `${fixed}\n\n`, before]
    )
  })

  it("is a filter from stdin to stdout", async () => {
    const ended = await sandbox.run(["check", "-", "--fix"], { stdin: colons })
    assert.deepStrictEqual([ended.code, ended.stdout], [0, fixed])
    assert.match(ended.stderr, /^stdin:15:1: fixed: /)
    assert.deepStrictEqual(await sandbox.run(["check", "-", "--fix"], { stdin: fixed }), {
      code: 0,
      stdout: fixed,
      stderr: ""
    })
  })
})

it("check refuses two formats, and a report and a document on one stdout", async () => {
  for (const [words, said] of [
    [["good.md", "--json", "--format", "sarif"], "--json and --format sarif exclude each other.\n"],
    [["-", "--fix", "--json"], "--fix with - prints the document alone: leave out --format, --json and other files."]
  ] as const) {
    const { code, stderr } = await sandbox.run(["check", ...words], { stdin: "" })
    assert.deepStrictEqual([code, stderr.startsWith(said)], [2, true], stderr)
  }
})
