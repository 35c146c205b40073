/**
 * Secrets in the objects of repositories: whatever git, or a program that reads its files, gives out of them in the sandbox.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools, type OpenTools } from "../../support/OpenTools.ts"
import { makeProject } from "../../support/Project.ts"

const canary = "committed-canary"

const author = ["-c", "user.name=T", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"]

/** Runs a script of a shell in a folder, where `g` is git with an author. */
const setUp = (folder: string, script: string): void => {
  const git = `g() { git ${author.join(" ")} "$@"; }\n`
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" }
  execFileSync("sh", ["-ec", git + script], { cwd: folder, env, stdio: "ignore" })
}

/** Prints every object that git lists, and what the files of objects hold. */
const searchAll = `
  for object in $(git rev-list --objects --all --reflog --indexed-objects 2>&1 | cut -d" " -f1); do git cat-file -p $object; done
  git cat-file --batch-all-objects --batch; git stash show -p; git show HEAD:.env; git show HEAD~1:.env
  find . -path "*objects/*" -type f | node -e '
    const { inflateSync } = require("node:zlib")
    for (const file of require("node:fs").readFileSync(0, "utf8").trim().split("\\n")) {
      try { console.log(String(inflateSync(require("node:fs").readFileSync(file)))) } catch {}
    }'`

const begin = `git init -q -b main; echo hello > a.txt; g add a.txt; g commit -qm first\n`
const secret = `echo ${canary} > .env; g add -f .env; g commit -qm second`

const open = Effect.fnUntraced(function* (script: string, sandbox: NonNullable<OpenTools["commands"]>["sandbox"] = {}) {
  const project = yield* makeProject({ ".keep": "" })
  setUp(project, script)
  const { run } = yield* openTools({ project, commands: { sandbox } })
  return {
    project,
    sh: (text: string) =>
      Effect.map(run("run_command", { argv: ["sh", "-c", text] }), ({ data, error_message }) =>
        data === null ? String(error_message) : JSON.stringify(data)
      )
  }
})

describe("a repository with a file that looks like a secret", needs("bwrap", "git"), () => {
  const places: ReadonlyArray<readonly [where: string, script: string]> = [
    ["in its last commit", `${begin}${secret}`],
    ["that a later commit removed", `${begin}${secret}; g rm -q .env; g commit -qm third`],
    ["on another branch", `${begin}git checkout -q -b other; ${secret}; git checkout -q main`],
    [
      "behind a tag alone",
      `${begin}${secret}; git tag v1; git reset -q --hard HEAD~1; git reflog expire --expire=now --all`
    ],
    ["in a stash", `${begin}echo ${canary} > .env; g add -f .env; g stash -q`],
    ["in its index", `${begin}echo ${canary} > .env; g add -f .env`],
    ["in a pack", `${begin}${secret}; git gc -q`],
    ["in a commit that was taken back", `${begin}${secret}; git reset -q --hard HEAD~1`],
    ["in a repository within the project", `mkdir sub; cd sub; ${begin}${secret}`],
    [
      "in a bare repository of the project",
      `git init -q w; cd w; ${begin}${secret}; cd ..; git clone -q --bare w b; rm -rf w`
    ],
    ["in a linked worktree", `mkdir w; cd w; ${begin}${secret}; git worktree add -q ../t; cd ..`],
    [
      "in a folder below",
      `${begin}mkdir -p deploy/keys; echo ${canary} > deploy/keys/server.pem; g add -f deploy; g commit -qm x`
    ]
  ]
  liveTest("gives out nothing of it, wherever it is", function* () {
    const begun = places.map(
      ([, script], index) =>
        `mkdir r${index}; cd r${index}\n${script.replaceAll(canary, `${canary}-${index}`)}\ncd "$top"\n`
    )
    const { project, sh } = yield* open(`top=$PWD\n${begun.join("")}`)
    execFileSync("sh", ["-c", "find . -name .env -not -path '*/.git/*' -exec rm {} +; rm -rf r*/deploy"], {
      cwd: project
    })
    const output = yield* sh(
      `for at in r*; do for in in . sub b t w; do (cd $at/$in 2>/dev/null && { ${searchAll}; }); done; done`
    )
    const found = places.flatMap(([where], index) => (output.includes(`${canary}-${index}`) ? [where] : []))
    assert.deepStrictEqual(found, [])
  })

  liveTest("names the setting that shows its commits, which then are there", function* () {
    const { project, sh } = yield* open(`${begin}${secret}`)
    const objects = join(project, ".git", "objects")
    const hint = `because a file in them looks like a secret. Only the user can allow it, in ~/.config/task-conductor/config.json: \\"sandbox\\": { \\"readable\\": [\\"${objects}\\"] }`
    assert.include(yield* sh("git log --oneline"), hint)
    const shown = yield* openTools({ project, commands: { sandbox: { readable: [objects] } } })
    const { data } = yield* shown.run("run_command", { argv: ["git", "log", "--format=%s"] })
    assert.include(JSON.stringify(data), "second")
  })

  liveTest("is as it is for commands that may commit, and so is one without such a file", function* () {
    const committing = yield* open(`${begin}${secret}`, { git: true })
    assert.include(yield* committing.sh("git log --format=%s"), "second")
    const plain = yield* open(`${begin}echo VALUE= > .env.example; g add -f .env.example; g commit -qm second`)
    assert.include(yield* plain.sh("git log --format=%s; git status --short"), "second")
  })
})
