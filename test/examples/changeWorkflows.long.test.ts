/** The jobs of the examples that open a change, executed as GitHub and GitLab do, with a scripted model. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { environmentOf, scopedSandbox, program } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { needs } from "../support/needs.ts"
import { liveTest } from "../support/liveTest.ts"

const examples = fileURLToPath(new URL("../../examples", import.meta.url))
const read = (path: string) => parse(readFileSync(join(examples, path), "utf8")) as Readonly<Record<string, unknown>>

interface Job {
  readonly script: ReadonlyArray<string>
  readonly after_script: ReadonlyArray<string>
}
const {
  variables,
  "check-plans": check,
  "open-a-change": job
} = read("gitlab/.gitlab-ci.yml") as {
  readonly variables: Readonly<Record<string, string>>
  readonly "check-plans": Job
  readonly "open-a-change": Job
}

const plan = `## Original prompt

Raise the timeout to 30 s.

## Goals / summary

The timeout is 30 s.

## Tasks

### Task section 1

- **Name** Raise 1
- **What is needed** Set the timeout in src/limits.js to 30 s.
- **Skill** edit-files
- **References** [the limits](src/limits.js)
- **Expected output** The changed line.
`

const edit = "```\n<<<<<<< SEARCH\nexport const timeout = 10\n=======\nexport const timeout = 30\n>>>>>>> REPLACE\n```"

/** A project under git whose remote takes push options, and the programs of the job: ours, and a `gh` that keeps its words. */
const project = Effect.gen(function* () {
  const { root, write } = yield* scopedSandbox()
  const server = yield* FakeOllama.make(({ messages }) =>
    messages.some(({ content }) => content.includes("### Changed: "))
      ? "## Result summary\n\nThe timeout is 30 s now: [src/limits.js](src/limits.js#L1)."
      : messages.some(({ content }) => content.includes("src/limits.js"))
        ? `src/limits.js\n${edit}`
        : "Done."
  )
  write("project/src/limits.js", "export const timeout = 10\n")
  write("project/plans/next.md", plan)
  const tools = join(root, "tools")
  mkdirSync(tools)
  const scripts = {
    "task-conductor": `exec "${process.execPath}" "${program}" "$@"`,
    /* It is installed already. */
    npm: "exit 0",
    gh: `printf '%s\\n' "$@" > "${root}/gh.txt"`
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(tools, name), `#!/usr/bin/env bash\n${script}\n`)
    chmodSync(join(tools, name), 0o755)
  }
  const cwd = join(root, "project")
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.invalid", ...words], { cwd, encoding: "utf8" })
  git("init", "--quiet", "--bare", "--initial-branch=main", join(root, "remote.git"))
  git("--git-dir", join(root, "remote.git"), "config", "receive.advertisePushOptions", "true")
  git("init", "--quiet", "--initial-branch=main")
  git("add", "--all")
  git("commit", "--quiet", "--message", "Begin")
  git("remote", "add", "origin", join(root, "remote.git"))
  const env = environmentOf(root, {
    OLLAMA_HOST: server.url,
    PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    RUNNER_TEMP: root
  })
  /** Executes a step, as a job does. */
  const step = (command: string, more: Readonly<Record<string, string>>) =>
    Effect.promise(
      () =>
        new Promise<{ readonly code: number | null; readonly text: string }>((resolve) => {
          const child = spawn("bash", ["-e", "-o", "pipefail", "-c", command], { cwd, env: { ...env, ...more } })
          let text = ""
          for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding("utf8").on("data", (piece: string) => void (text += piece))
          }
          child.on("close", (code) => resolve({ code, text }))
        })
    )
  return { git, root, step }
})

const pushed = (git: (...words: ReadonlyArray<string>) => string, root: string) =>
  git("--git-dir", join(root, "remote.git"), "show", "task-conductor/next-0:src/limits.js")

describe("the jobs that open a change", needs("bash", "git"), () => {
  liveTest("do it on GitHub, with the answer and the evidence as its text", function* () {
    const { git, root, step } = yield* project
    interface Workflow {
      readonly env: Readonly<Record<string, string>>
      readonly jobs: { readonly change: { readonly steps: ReadonlyArray<{ readonly run?: string }> } }
    }
    const { env, jobs } = read("github-actions/open-a-change.yml") as unknown as Workflow
    for (const { run } of jobs.change.steps) {
      if (run === undefined) continue
      const { code, text } = yield* step(run, { ...env, MODEL: fakeModel, PLAN: "plans/next.md" })
      assert.strictEqual(code, 0, `${run}\n${text}`)
    }
    assert.strictEqual(pushed(git, root), "export const timeout = 30\n")
    const words = readFileSync(join(root, "gh.txt"), "utf8").split("\n")
    assert.include(words, "Carry out plans/next.md")
    const body = readFileSync(words[words.indexOf("--body-file") + 1] ?? "", "utf8")
    assert.match(body, /timeout is 30 s[^]*# Run /)
    assert.include(readFileSync(join(root, "report.html"), "utf8"), "Raise 1")
  })

  liveTest("do it on GitLab, by the options of a push", function* () {
    const { git, root, step } = yield* project
    const remote = join(root, "remote.git")
    const more = { ...variables, MODEL: fakeModel, PUSH_TO: remote }
    /* What GitLab gets of the options. */
    const hook = join(remote, "hooks/pre-receive")
    writeFileSync(
      hook,
      `#!/usr/bin/env bash\nprintf '%s\\n' "$GIT_PUSH_OPTION_1" "$GIT_PUSH_OPTION_2" > "${root}/options.txt"\n`
    )
    chmodSync(hook, 0o755)
    for (const script of [job.script, job.after_script]) {
      const { code, text } = yield* step(script.join("\n"), more)
      assert.strictEqual(code, 0, text)
    }
    assert.strictEqual(pushed(git, root), "export const timeout = 30\n")
    assert.notInclude(git("--git-dir", remote, "ls-tree", "-r", "--name-only", "task-conductor/next-0"), ".evidence")
    const [title, description = ""] = readFileSync(join(root, "options.txt"), "utf8").split("\n")
    assert.strictEqual(title, "merge_request.title=Carry out plans/next.md")
    assert.match(description, /^merge_request\.description=.*timeout is 30 s.*<br># Run /)
    assert.include(readFileSync(join(root, "project/.evidence/report.html"), "utf8"), "Raise 1")
  })

  liveTest("stop before anything is pushed when the plan is wrong, or the change is not allowed", function* () {
    const { step } = yield* project
    const more = { ...variables, MODEL: fakeModel }
    const denied = yield* step(job.script.join("\n"), { ...more, ALLOWED: "edit_file:docs/**" })
    assert.strictEqual(denied.code, 4, denied.text)
    const checked = yield* step(`echo '## No plan' > plans/wrong.md\n${check.script.join("\n")}`, more)
    assert.deepStrictEqual([checked.code, checked.text.includes("plans/wrong.md")], [1, true])
  })
})
