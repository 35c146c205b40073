import { assert, describe, expect, it } from "@effect/vitest"
import rows from "../../../src/domain/files/automaticFiles.json" with { type: "json" }
import { isAutomatic } from "../../../src/domain/files/SensitivePath.ts"
import { eachTimeReason } from "../../../src/domain/tools/Access.ts"

/** A row is `product | source`, and below it, indented, `path | what it does` for each of its files. */
const cells = rows.map((row) => row.split(" | ").map((cell) => cell.trim()))
const isProduct = rows.map((row) => !row.startsWith(" "))
const products = cells.filter((_, index) => isProduct[index])
const files = cells.filter((_, index) => !isProduct[index])
const entries = cells.flatMap(([pattern = ""], index): ReadonlyArray<readonly [string, string]> => {
  const product = cells[isProduct.lastIndexOf(true, index)]?.[0] ?? ""
  return isProduct[index] === true ? [] : [[product, pattern]]
})

/** A file that the pattern is about. */
const fileOf = (pattern: string): string =>
  pattern.endsWith("/") ? `${pattern}any.file` : pattern.startsWith("*") ? `project${pattern.slice(1)}` : pattern

const isAsked = (path: string): boolean =>
  eachTimeReason({ _tag: "WriteFile", path: `/home/you/project/${path}`, inside: true, content: "" }) !== undefined

describe("files that programs run or read by themselves", () => {
  for (const [product, pattern] of entries) {
    it(`asks each time before ${pattern} is written, which ${product} reads`, () => {
      const file = fileOf(pattern)
      expect([file, `packages/a/${file}`, file.toUpperCase()].filter((path) => !isAsked(path))).toStrictEqual([])
    })

    it(`asks about no name near ${pattern} that nobody reads`, () => {
      const [, bare = ""] = /^\*?(.*?)\/?$/.exec(pattern) ?? []
      const near = pattern.endsWith("/")
        ? [`x${bare}/any.file`, `${bare}x/any.file`, bare]
        : pattern.startsWith("*")
          ? [`project${bare}x`, `${bare}/any.file`]
          : [`x${bare}`, `${bare}.md`, `${bare}/any.file`]
      assert.deepStrictEqual(near.filter(isAutomatic), [])
    })
  }

  it("are at least 85, each with a product, a source and a purpose, and none twice", () => {
    assert.isAtLeast(entries.length, 85)
    const patterns = entries.map(([, pattern]) => pattern)
    assert.deepStrictEqual(
      patterns.filter((pattern, index) => patterns.indexOf(pattern) !== index || pattern !== pattern.toLowerCase()),
      []
    )
    for (const [product, source = ""] of products) assert.match(source, /^[\w.-]+\.[a-z]{2,}/, product)
    for (const [pattern, purpose = ""] of files) assert.notStrictEqual(purpose, "", pattern)
  })

  it("hold those that other programs were attacked through", () => {
    const known = `.codex/config.toml .gemini/settings.json opencode.json .kiro/hooks/on-save.json .zed/tasks.json
      .devcontainer.json mise.toml .nvim.lua .cargo/config.toml .forgejo/workflows/ci.yml .hg/hgrc .pnpmfile.mjs
      .gitea/workflows/a.yaml .dir-locals.el .windsurf/hooks.json .clinerules/hooks/PreToolUse .github/hooks/a.json
      .mvn/extensions.xml gradle/wrapper/gradle-wrapper.properties Directory.Build.props tools/bazel .yarn/releases/y.cjs
      .bsp/a.json hie.yaml rust-analyzer.toml .autoenv a.pth .user.ini ansible.cfg .pi/extensions/a.ts .lefthook-local.json
      .Rprofile .irbrc .pdbrc .iex.exs sitecustomize.py .openhands/setup.sh lint-staged.config.mjs .tool-versions`
    expect(known.split(/\s+/).filter((path) => !isAutomatic(path))).toStrictEqual([])
  })

  it("hold none of the files of every day", () => {
    const everyDay = `package.json pnpm-workspace.yaml Makefile Cargo.toml go.mod pyproject.toml setup.py conftest.py
      build.gradle settings.gradle pom.xml CMakeLists.txt CMakePresets.json Dockerfile docker-compose.yml README.md
      AGENTS.md .github/CODEOWNERS .github/dependabot.yml .github/ISSUE_TEMPLATE/bug.yml .gitignore .gitattributes
      .editorconfig .prettierrc .eslintrc.json .nvmrc .python-version .clinerules/style.md .yarn/cache/a.zip
      .cargo/audit.toml gradle/libs.versions.toml gradle.properties tools/bazel.md src/hooks/index.ts hooks/useState.ts
      src/workflows/ci.ts src/actions/login.ts config/config.toml mise/notes.md docs/vscode/tasks.json kiro/hooks/a.json
      zed/tasks.json codex/config.toml src/mix.exs login logout profile project.ts .julia/registries/a.toml
      library/index.ts autostart/a.desktop .config/app.json .bundle/plugin/index .github/labels.yml idea/notes.md`
    assert.deepStrictEqual(everyDay.split(/\s+/).filter(isAutomatic), [])
  })
})
