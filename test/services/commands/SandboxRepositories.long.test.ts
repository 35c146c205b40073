/**
 * What makes git run programs stays as it is, wherever git really looks: in nested, linked and redirected repositories, and
 * in what their configuration names. Commands cannot change it in the sandbox, tools cannot write it, and what cannot be
 * prevented is named.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { openScripts as open } from "../../support/SandboxScripts.ts"

const head = "ref: refs/heads/main\n"
/** A repository in a folder, as git makes it. */
const repository = (folder: string, config = "[core]\n\tbare = false\n") => ({
  [`${folder}/HEAD`]: head,
  [`${folder}/config`]: config,
  [`${folder}/objects/info/packs`]: "",
  [`${folder}/refs/heads/main`]: `${"0".repeat(40)}\n`
})

interface Variant {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Links: path to target. */
  readonly links?: Readonly<Record<string, string>>
  /** Files that must not come into being, and files that must stay. */
  readonly guarded: string
  /** Other commands that must fail. */
  readonly attempts?: string
}

const scripts = { "clean.sh": "old", "conv.js": "old", "z.sh": "old", "bin/merge": "old" }
const drivers =
  '[filter "x"]\n\tclean = sh clean.sh\n[diff "d"]\n\ttextconv = node conv.js\n[alias]\n\tz = !./z.sh\n[merge "m"]\n\tdriver = bin/merge %A\n'

const variants: ReadonlyArray<Variant> = [
  {
    name: "a repository without hooks, worktrees or other configuration",
    files: repository(".git"),
    guarded: ".git/hooks/post-checkout .git/config .git/config.worktree .git/commondir .git/info/attributes",
    attempts: "mkdir -p .git/rebase-merge; mv .git old; rm -r .git; mkdir .git/worktrees"
  },
  {
    name: "a nested repository",
    files: { ...repository(".git"), ...repository("packages/a/.git"), "packages/a/x.txt": "x" },
    guarded: "packages/a/.git/hooks/pre-commit packages/a/.git/config",
    attempts: "mv packages/a packages/b; mv packages old; mv packages/a/.git packages/a/g; rm -r packages/a/.git"
  },
  {
    name: "a repository in a folder of packages that git ignores",
    files: { ".gitignore": "node_modules", ...repository("node_modules/x/.git") },
    guarded: "node_modules/x/.git/hooks/post-merge node_modules/x/.git/config"
  },
  {
    name: "a submodule, whose repository lies in that of the project",
    files: { ...repository(".git"), ...repository(".git/modules/lib"), "lib/.git": "gitdir: ../.git/modules/lib\n" },
    guarded: "lib/.git .git/modules/lib/hooks/x .git/modules/lib/config",
    attempts: "mv lib/.git lib/g; mv lib l2"
  },
  {
    name: "a file that redirects .git to an ordinary folder of the project",
    files: { ...repository("meta/store"), ".git": "gitdir: meta/store\n" },
    guarded: ".git meta/store/hooks/pre-push meta/store/config meta/store/commondir",
    attempts: "mv meta m2; mv meta/store meta/s2"
  },
  {
    name: "a worktree, whose shared folder is in the project",
    files: {
      ...repository("main/.git"),
      "main/.git/worktrees/w/HEAD": head,
      "main/.git/worktrees/w/commondir": "../..\n",
      "main/.git/worktrees/w/gitdir": "../../../../w/.git\n",
      "w/.git": "gitdir: ../main/.git/worktrees/w\n"
    },
    guarded: "w/.git main/.git/worktrees/w/config.worktree main/.git/hooks/x main/.git/worktrees/w/commondir"
  },
  {
    name: "a .git that is a link",
    files: repository("real/git"),
    links: { ".git": "real/git" },
    guarded: "real/git/hooks/pre-commit real/git/config",
    attempts: "mv real r2"
  },
  {
    name: "hooks that the configuration looks for in the project, which are there",
    files: { ...repository(".git", "[core]\n\thooksPath = tools/hooks\n"), "tools/hooks/pre-commit": "#!/bin/sh\n" },
    guarded: "tools/hooks/pre-commit tools/hooks/post-checkout",
    attempts: "mv tools t2; mv tools/hooks tools/h2"
  },
  {
    name: "hooks that the configuration looks for in the project, which are not there yet",
    files: repository(".git", "[core]\n\thooksPath = .husky/_\n"),
    guarded: ".husky/_/pre-commit",
    attempts: "mv .husky h2; mv .husky/_ .husky/x; mkdir .husky"
  },
  {
    name: "a program that watches files, which is not there yet",
    files: repository(".git", "[core]\n\tfsmonitor = .tools/watch.sh\n"),
    guarded: ".tools/watch.sh"
  },
  {
    name: "filters, drivers and aliases that run scripts of the project",
    files: { ...repository(".git", drivers), ...scripts },
    guarded: "clean.sh conv.js z.sh bin/merge",
    attempts: "mv clean.sh c2; mv bin b2"
  },
  {
    name: "more configuration that one includes, over two files",
    files: {
      ...repository(".git", "[include]\n\tpath = ../conf/team.gitconfig\n"),
      "conf/team.gitconfig": '[includeIf "gitdir:x"]\n\tpath = more\n[core]\n\thooksPath = team-hooks\n',
      "conf/more": "[alias]\n\tx = !sh run-me.sh\n",
      "run-me.sh": "old"
    },
    guarded: "conf/team.gitconfig conf/more run-me.sh team-hooks/pre-commit"
  },
  {
    name: "a repository that is not named .git",
    files: repository("fixtures/remote"),
    guarded: "fixtures/remote/hooks/post-receive fixtures/remote/config",
    attempts: "mv fixtures f2"
  },
  {
    name: "what controls this program, at any depth",
    files: { "sub/task-conductor.json": "{}", "sub/.mcp.json": "{}", "sub/.task-conductor/skills/a/SKILL.md": "a" },
    guarded: "sub/task-conductor.json sub/.mcp.json sub/.task-conductor/skills/b/SKILL.md"
  }
]

const guardedOf = ({ guarded }: Variant) => guarded.split(" ")

const contentsOf = (root: string, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.forEach(files, (file) =>
      Effect.orElseSucceed(fs.readFileString(`${root}/${file}`), () => null)
    )
  })

const prepare = Effect.fnUntraced(function* ({ files, links = {} }: Variant, folder: string) {
  const fs = yield* FileSystem.FileSystem
  yield* putFiles(folder, files)
  for (const [path, target] of Object.entries(links)) yield* fs.symlink(target, `${folder}/${path}`)
  return folder
})

/** Ways to bring something to a path. */
const writesOf = (file: string): ReadonlyArray<string> => [
  `mkdir -p $(dirname ${file}); echo evil > ${file}`,
  `rm ${file}`,
  `echo evil > tmp$$; mv -f tmp$$ ${file}`,
  `ln -sf /tmp/x ${file}`
]

const quiet = (attempt: string) => `(${attempt}) 2>/dev/null && echo 'ran: ${attempt.replaceAll("'", "")}'`

describe("repositories in the sandbox", needs("bwrap"), () => {
  liveTest("are kept as they are by commands, and cannot be written by tools", function* () {
    const project = yield* makeProject({})
    const folders = yield* Effect.forEach(variants, (variant, index) => prepare(variant, `${project}/v${index}`))
    const guarded = variants.flatMap((variant, index) => guardedOf(variant).map((file) => `v${index}/${file}`))
    const before = yield* contentsOf(project, guarded)
    const { run, script } = yield* open({ project })
    const attempts = variants.flatMap((variant, index) =>
      [...guardedOf(variant).flatMap(writesOf), ...(variant.attempts?.split("; ") ?? [])].map((attempt) =>
        quiet(`cd ${folders[index]}; ${attempt}`)
      )
    )
    yield* putFiles(project, { "attempts.sh": `${attempts.join("\n")}\nrm -f */tmp*; true` })
    const ended = yield* script("sh attempts.sh")
    assert.deepStrictEqual(ended, { exit_code: 0, output: "" })
    assert.deepStrictEqual(yield* contentsOf(project, guarded), before)
    for (const [index, { files, name }] of variants.entries()) {
      const paths = Object.keys(files).map((file) => `v${index}/${file}`)
      assert.deepStrictEqual(yield* contentsOf(project, paths), Object.values(files), name)
    }
    for (const path of guarded) {
      const { error_message } = yield* run("write_file", { path, content: "evil" })
      assert.include(error_message ?? "", "would change what controls git or this program", path)
    }
    assert.deepStrictEqual(yield* contentsOf(project, guarded), before)
  })

  liveTest("leave no trace of what was protected although it was not there", function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* makeProject(repository(".git", "[core]\n\thooksPath = .husky/_\n\tfsmonitor = w/x\n"))
    const { script } = yield* open({ project })
    yield* script("true")
    assert.deepStrictEqual(yield* fs.readDirectory(project), [".git"])
  })

  liveTest("around the project and of the user count too", function* () {
    const fs = yield* FileSystem.FileSystem
    const outer = yield* makeFolder
    const home = yield* makeFolder
    yield* putFiles(home, { ".gitconfig": "[core]\n\thooksPath = .githooks\n" })
    yield* putFiles(outer, { ...repository(".git", "[core]\n\tfsmonitor = app/watch.sh\n"), "app/a.txt": "a" })
    const project = `${outer}/app`
    const { run, script } = yield* open({ project, commands: { home } })
    const evil = ["watch.sh", ".githooks/pre-commit"]
    yield* script(
      `mkdir .githooks; ${evil.map((file) => `echo evil > ${file}`).join("; ")}; echo evil > ../.git/config`
    )
    for (const file of evil) assert.isFalse(yield* fs.exists(`${project}/${file}`), file)
    assert.include(yield* fs.readFileString(`${outer}/.git/config`), "fsmonitor")
    assert.isFalse((yield* run("write_file", { path: "watch.sh", content: "evil" })).success)
    const wide = yield* open({ project, commands: { home, sandbox: { writable: [outer] } } })
    yield* wide.script(
      "echo evil > ../.git/config; mkdir -p ../.git/hooks; echo evil > ../.git/hooks/x; echo new > ../b.txt"
    )
    assert.include(yield* fs.readFileString(`${outer}/.git/config`), "fsmonitor")
    assert.deepStrictEqual([yield* fs.exists(`${outer}/.git/hooks`), yield* fs.exists(`${outer}/b.txt`)], [false, true])
  })

  liveTest("cannot be completed by a tool, file by file", function* () {
    const project = yield* makeProject({ "a/objects/x": "", "a/refs/x": "", "b/HEAD": head, "c/refs/x": "" })
    const { run } = yield* open({ project })
    const written = yield* Effect.forEach(
      ["a/config", "a/HEAD", "b/commondir", "b/config", "c/HEAD", "c/objects/y", "c/config"],
      (path) => Effect.map(run("write_file", { path, content: head }), ({ success }) => `${path} ${success}`)
    )
    assert.deepStrictEqual(written, [
      "a/config true",
      "a/HEAD false",
      "b/commondir false",
      "b/config true",
      "c/HEAD true",
      "c/objects/y false",
      "c/config true"
    ])
  })

  liveTest("that a command makes are named, as are other files that programs run by themselves", function* () {
    const project = yield* makeProject({ ...repository("real"), ".vscode/tasks.json": "{}", "a/b.txt": "b" })
    const fs = yield* FileSystem.FileSystem
    yield* fs.symlink("real", `${project}/.git`)
    const { script, messages } = yield* open({ project })
    const bare = "mkdir -p bare/objects bare/refs; echo ref: refs/heads/m > bare/HEAD; echo '[core]' > bare/config"
    const attempts = [
      ["mkdir -p docs/.git/hooks; echo evil > docs/.git/hooks/pre-commit", "docs/.git"],
      ["echo 'gitdir: ../evil' > a/.git", "a/.git"],
      ["mkdir g; ln -sfn /tmp/evil g/.git", "g/.git"],
      [bare, "bare"],
      ["mkdir -p c/.git/x && mv c d", "d/.git"],
      ["rm .git; mkdir .git", ".git"],
      ["echo '{ }' > .vscode/tasks.json", ".vscode/tasks.json"],
      ["mkdir -p .github/workflows; echo x > .github/workflows/ci.yml", ".github/workflows/ci.yml"],
      ["echo x > .envrc", ".envrc"],
      ["mkdir e; echo {} > e/.mcp.json", "e/.mcp.json"],
      ["mkdir -p .task-conductor/skills", ".task-conductor"]
    ] as const
    const names = attempts.map(([, named]) => named).toSorted()
    yield* putFiles(project, { "attempts.sh": attempts.map(([attempt]) => `(${attempt})`).join("\n") })
    assert.deepStrictEqual((yield* script("sh attempts.sh")).changed_controls, names)
    assert.include(messages().at(-1) ?? "", names.join(", "))
    assert.deepStrictEqual(yield* script("echo more > a/b.txt; mkdir f"), { exit_code: 0, output: "" })
    assert.lengthOf(messages(), 1)
    assert.include((yield* script("echo evil > docs/.git/hooks/x")).output, "Read-only file system")
  })
})

describe("git itself in the sandbox", needs("bwrap", "git"), () => {
  const ident = "git -c user.name=a -c user.email=a@b"

  liveTest("reads the repository, and commits only when the user allows it", function* () {
    const project = yield* makeProject({ "a.txt": "a" })
    const { script } = yield* open({ project, commands: { sandbox: { mode: "off" } } })
    yield* script(`git init -q . && git add . && ${ident} commit -qm first && echo b > b.txt`)
    const closed = yield* open({ project })
    assert.strictEqual((yield* closed.script("git status --short && git log --format=%s")).output, "?? b.txt\nfirst\n")
    assert.include((yield* closed.script("git add b.txt")).output, "Read-only file system")
    const committing = yield* open({ project, commands: { sandbox: { git: true } } })
    assert.strictEqual(
      (yield* committing.script(`git add . && ${ident} commit -qm second && git log --format=%s`)).output,
      "second\nfirst\n"
    )
    const evil = ["git config core.fsmonitor ./x", "echo x > .git/hooks/pre-commit", "mv .git g"]
    assert.strictEqual((yield* committing.script(`${evil.map(quiet).join("\n")}\ntrue`)).output, "")
    const { changed_controls } = yield* committing.script("echo ../evil > .git/commondir")
    assert.deepStrictEqual(changed_controls, [".git/commondir"])
  })

  liveTest("reads the repository of a linked worktree, but none that a file merely points to", function* () {
    const folder = yield* makeFolder
    yield* putFiles(folder, { "main/a.txt": "a", "evil/.git": `gitdir: ${folder}/main/.git\n` })
    const outside = { commands: { sandbox: { mode: "off" } } } as const
    const main = yield* open({ project: `${folder}/main`, ...outside })
    yield* main.script(`git init -q . && git add a.txt && ${ident} commit -qm first && git worktree add -q ../w`)
    const linked = yield* open({ project: `${folder}/w` })
    assert.strictEqual((yield* linked.script("git log --format=%s")).output, "first\n")
    assert.include((yield* linked.script(`echo evil > ${folder}/main/.git/hooks/x`)).output, "Read-only file system")
    const evil = yield* open({ project: `${folder}/evil` })
    assert.notStrictEqual((yield* evil.script("git log --format=%s")).exit_code, 0)
    assert.notStrictEqual((yield* evil.script(`ls ${folder}/main/.git`)).exit_code, 0)
  })
})
