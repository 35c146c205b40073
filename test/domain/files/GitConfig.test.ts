import { assert, describe, it } from "@effect/vitest"
import { filesNamedByGit, gitFolderNamed, gitSettings, isBareRepository } from "../../../src/domain/files/GitConfig.ts"

const paths = (text: string): ReadonlyArray<string> => filesNamedByGit(text).map(({ path }) => path)

describe("the configuration of git", () => {
  it("is read as git reads it: sections, quotes, comments, continued lines, any letter case", () => {
    const text =
      '[Core]\n\tHooksPath = "a b" # c\n[filter "Lfs x"]\n  clean = git-lfs \\\n clean ; c\n[alias]x\n[ core ] pager=less\n'
    assert.deepStrictEqual(gitSettings(text), [
      { key: "core.hookspath", value: "a b" },
      { key: "filter.Lfs x.clean", value: "git-lfs  clean" },
      { key: "alias.x", value: "" },
      { key: "core.pager", value: "less" }
    ])
  })

  it("has escapes for signs that would end a value", () => {
    const [{ value } = { value: "" }] = gitSettings(String.raw`[a] x = "q\tb\"c\\d#" e # f`)
    assert.strictEqual(value, 'q\tb"c\\d# e')
  })

  const named: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["[core]\nhooksPath=.husky/_", [".husky/_"]],
    ["[core]\nfsmonitor = .git-hooks/fsmonitor.sh --x", [".git-hooks/fsmonitor.sh"]],
    ["[core]\nfsmonitor = true", []],
    ["[core]\nsshCommand = ssh -F conf/ssh", ["conf/ssh"]],
    ["[include]\npath = ../shared.gitconfig", ["../shared.gitconfig"]],
    ['[includeIf "gitdir:~/work/"]\npath = more', ["more"]],
    ['[filter "x"]\nclean = "sh tools/clean.sh %f"', ["tools/clean.sh", "%f"]],
    ['[filter "x"]\nprocess = ./filter', ["./filter"]],
    ["[alias]\nst = status\nx = !sh scripts/x.sh", ["scripts/x.sh"]],
    ['[diff "pdf"]\ntextconv = tools/pdf --lines=5', ["tools/pdf", "5"]],
    ['[merge "own"]\ndriver = node merge.js %O %A', ["merge.js", "%O", "%A"]],
    ['[credential "https://x"]\nhelper = "!f() { ./cred; }; f"', ["{", "./cred", "}", "f"]],
    ["[core]\n# a comment is not continued \\\nhooksPath = .hooks", [".hooks"]],
    ["[core]\nbare = no ; nor is this one \\\nhooksPath = .hooks", [".hooks"]],
    ["[user] [core] hooksPath = .hooks", [".hooks"]],
    ["[core]\nhooksPath = .ho\\\noks", [".hooks"]],
    ["[core]\nhooksPath = .hooks\0/more", [".hooks"]],
    ['[user]\nname = src\n[remote "origin"]\nurl = ./lib\n[submodule "lib"]\npath = lib', []]
  ]
  for (const [text, expected] of named) {
    it(`names what it runs or reads: ${text.replaceAll("\n", " ")}`, () =>
      assert.deepStrictEqual(paths(text), expected))
  }

  it("is redirected by a file, and found in a folder without the name", () => {
    assert.strictEqual(gitFolderNamed("gitdir: ../x/.git/modules/a b\n"), "../x/.git/modules/a b")
    assert.isUndefined(gitFolderNamed("ref: refs/heads/main\n"))
    assert.isTrue(isBareRepository(new Set(["HEAD", "objects", "refs"])))
    assert.isTrue(isBareRepository(new Set(["HEAD", "commondir"])))
    assert.isFalse(isBareRepository(new Set(["HEAD", "objects"])))
  })
})
