import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import {
  matchesAllow,
  exactPattern,
  type Target,
  matchesDeny,
  type CommandPlace,
  placePrefix
} from "../../../src/domain/permissions/TargetPattern.ts"

const inside = (relative: string): Target => ({ kind: "file", canonical: `/p/${relative}`, relative })
const outside = (canonical: string): Target => ({ kind: "file", canonical })
const other = (canonical: string): Target => ({ kind: "other", canonical })
const start = (canonical: string): Target => ({ kind: "start", canonical })

type Case = readonly [pattern: string | undefined, target: Target, expected: boolean]
const nameOf = ([pattern, { canonical, relative }, expected]: Case, verb: string) =>
  `${pattern ?? "no pattern"} ${expected ? verb : `never ${verb}`} ${relative ?? canonical}`

describe("matchesAllow", () => {
  const cases: ReadonlyArray<Case> = [
    ["src/a.ts", inside("src/a.ts"), true],
    ["./src/a.ts", inside("src/a.ts"), true],
    ["src", inside("src/a.ts"), false],
    ["src/*", inside("src/a.ts"), true],
    ["src/*", inside("src/deep/a.ts"), false],
    ["src/**", inside("src/deep/a.ts"), true],
    ["src/**/a.ts", inside("src/a.ts"), true],
    ["src/**/a.ts", inside("src/deep/er/a.ts"), true],
    ["src/**/a.ts", inside("src/ba.ts"), false],
    ["**/*.ts", inside("a.ts"), true],
    ["**/*.ts", inside("src/a.ts"), true],
    ["*.ts", inside("src/a.ts"), false],
    ["**", inside("src/a.ts"), true],
    ["**", outside("/etc/passwd"), false],
    ["/etc/*", outside("/etc/passwd"), true],
    ["/p/src/**", inside("src/a.ts"), true],
    ["/etc", outside("/etc-old"), false],
    ["/etc", outside("/etc/passwd"), false],
    ["SRC/*", inside("src/a.ts"), false],
    ["a?[b]", inside("a?[b]"), true],
    ["a?", inside("ab"), false],
    ["a\\*", inside("a*"), true],
    ["a\\*", inside("ab"), false],
    ["https://example.com/**", other("https://example.com/a/b?c"), true],
    ["https://example.com/*", other("https://example.com/a/b"), false],
    ["**", other("https://example.com/"), true],
    ["word-count sha256:*", start("word-count sha256:00ff"), true]
  ]
  for (const one of cases) {
    it(nameOf(one, "covers"), () => assert.strictEqual(matchesAllow(one[0], one[1]), one[2]))
  }

  const careful: ReadonlyArray<Case> = [
    [undefined, inside("src/a.ts"), true],
    [undefined, other("https://example.com/"), true],
    [undefined, outside("/etc/passwd"), false],
    [undefined, inside(".env"), false],
    [undefined, inside(".vscode/tasks.json"), false],
    [undefined, start("word-count sha256:00ff"), false],
    ["**", inside(".env"), false],
    ["config/*", inside("config/.env"), false],
    ["/home/you/**", outside("/home/you/.ssh/id_rsa"), false],
    [".env", inside(".env"), true],
    ["**/.env", inside("config/.env"), true],
    [".env*", inside(".env.local"), true],
    ["keys/*.pem", inside("keys/a.pem"), true],
    ["/home/you/.ssh/*", outside("/home/you/.ssh/id_rsa"), true],
    ["\\.env", inside(".env"), true],
    ["**", inside(".github/workflows/ci.yml"), false],
    [".github/**", inside(".github/workflows/ci.yml"), false],
    [".github/workflows/*", inside(".github/workflows/ci.yml"), true],
    [".vscode/**", inside(".vscode/tasks.json"), true],
    ["**", inside(".github/CODEOWNERS"), true]
  ]
  for (const one of careful) {
    it(nameOf(one, "covers"), () => assert.strictEqual(matchesAllow(one[0], one[1]), one[2]))
  }

  it.prop("an exact pattern covers its text and nothing longer", [Schema.String], ([name]) => {
    const path = `/${name}`
    const pattern = exactPattern(path)
    return matchesAllow(pattern, outside(path)) && !matchesAllow(pattern, outside(`${path}x`))
  })

  it("ends soon for a pattern that makes a backtracking matcher run for years", () => {
    const pattern = `/${"**a*".repeat(200)}b`
    assert.isFalse(matchesAllow(pattern, outside(`/${"a".repeat(4000)}`)))
  })
})

describe("matchesDeny", () => {
  const cases: ReadonlyArray<Case> = [
    ["*.ts", inside("src/deep/a.ts"), true],
    ["*.ts", inside("src/a.tsx"), false],
    ["docs", inside("docs/a.md"), true],
    ["docs", inside("packages/a/docs/b.md"), true],
    ["docs/", inside("docs/a.md"), true],
    ["docs", inside("docs-old/a.md"), false],
    ["src/gen", inside("src/gen/a.ts"), true],
    ["src/gen", inside("lib/src/gen/a.ts"), false],
    ["src/gen/*", inside("src/gen/deep/a.ts"), true],
    ["p", inside("src/a.ts"), false],
    ["README.md", inside("readme.MD"), true],
    ["./src", inside("src/a.ts"), true],
    ["**/*.pem", outside("/home/you/key.pem"), true],
    ["*.pem", outside("/home/you/key.pem"), true],
    [".ssh/id_rsa", outside("/home/you/.ssh/id_rsa"), true],
    ["**", outside("/etc/passwd"), true],
    ["/etc", outside("/etc/ssl/a"), true],
    ["/", outside("/etc/passwd"), true],
    ["/etc", outside("/etcetera"), false],
    ["https://example.com", other("https://example.com/a?b"), true],
    ["example.com", other("https://example.com/a"), true],
    ["example.com", other("http://example.com/"), true],
    ["example.com", other("https://example.com.evil.org/"), false],
    ["*.example.com", other("https://docs.example.com/"), true],
    ["https://example.com/Docs", other("https://example.com/docs/a"), true],
    ["example.com", other("https://example.com:8443/a"), true],
    ["example.com", other("https://example.com./a"), true],
    ["example.com", other("https://example.com.:8443/"), true],
    ["example.com.", other("https://example.com/"), true],
    ["https://example.com", other("https://example.com:444/a?b"), true],
    ["https://example.com/secret", other("https://example.com/%73ecret"), true],
    ["https://example.com/secret", other("https://example.com:8443/SECRET?x"), true],
    ["https://example.com/a/*", other("https://example.com./a/b"), true],
    ["*.example.com", other("https://docs.example.com.:81/"), true],
    ["b\u00fccher.example", other("https://xn--bcher-kva.example/"), true],
    ["*.b\u00fccher.example", other("https://www.xn--bcher-kva.example:1/"), true],
    ["xn--bcher-kva.example", other("https://xn--bcher-kva.example/"), true],
    ["example.com:8443", other("https://example.com:8443/"), true],
    ["example.com:8443", other("https://example.com/"), false],
    ["example.com", other("https://example.com.evil.org:80/"), false],
    ["example.com", other("https://evil.org/example.com"), false],
    ["ample.com", other("https://example.com/"), false],
    ["[::1]", other("http://[::1]:8080/"), true],
    ["127.0.0.1", other("http://127.0.0.1:11434/"), true]
  ]
  for (const one of cases) {
    it(nameOf(one, "touches"), () => assert.strictEqual(matchesDeny(one[0] ?? "", one[1]), one[2]))
  }

  const part = Schema.Literals(["a", "B", "Σ", ".env", "*", "**", "/", ".", "\\", "./"])
  const pattern = Arbitrary.array(Arbitrary.schema(part), { minLength: 1, maxLength: 6 })
  const path = Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "B", "ΑΣ", ".env"])), {
    minLength: 1,
    maxLength: 3
  })
  const kind = Arbitrary.schema(Schema.Literals(["inside", "outside", "other"]))
  const targets = {
    inside,
    outside: (name: string) => outside(`/${name}`),
    other: (name: string) => other(`https://${name}`)
  }
  const allowed = Arbitrary.all({ kind, path, pattern }).pipe(
    Arbitrary.map((given) => ({ text: given.pattern.join(""), target: targets[given.kind](given.path.join("/")) })),
    Arbitrary.filter(({ target, text }) => matchesAllow(text, target))
  )
  it.prop(
    "concerns everything that the same pattern covers",
    { allowed },
    ({ allowed: { target, text } }) => matchesDeny(text, target),
    { arbitrary: { maxDiscards: 20_000 } }
  )
})

const target = (canonical: string, place: CommandPlace): Target => ({
  kind: place.sandboxed ? "other" : "start",
  canonical,
  place
})
const here: CommandPlace = { folder: ".", sandboxed: true }
const below: CommandPlace = { folder: "packages/a", sandboxed: true }
const bare: CommandPlace = { folder: ".", sandboxed: false }
const both: CommandPlace = { folder: "packages/a", sandboxed: false }

/** Which of the four places a pattern covers. */
const covered = (pattern: string | undefined, command = "npm test"): string =>
  [here, below, bare, both].map((place) => (matchesAllow(pattern, target(command, place)) ? "y" : "-")).join("")

/** In which of the four places a pattern denies. */
const denied = (pattern: string): string =>
  [here, below, bare, both].map((place) => (matchesDeny(pattern, target("npm test x", place)) ? "y" : "-")).join("")

describe("a rule for commands", () => {
  const cases: ReadonlyArray<readonly [string | undefined, string]> = [
    [undefined, "yy--"],
    ["npm test", "y---"],
    ["npm *", "y---"],
    ["**", "y---"],
    ["(packages/a) npm test", "-y--"],
    ["(packages/*) npm test", "-y--"],
    ["(**) npm **", "yy--"],
    ["(packages/b) npm test", "----"],
    ["(packages) npm test", "----"],
    ["(no sandbox) npm test", "y-y-"],
    ["(no sandbox) **", "y-y-"],
    ["(packages/a, no sandbox) npm test", "-y-y"],
    ["(**, no sandbox) **", "yyyy"],
    ["(., no sandbox) npm test", "y-y-"],
    ["(./packages/a/) npm test", "-y--"],
    ["**) npm test", "----"],
    ["(*", "----"],
    ["(no sandbox)npm test", "----"]
  ]
  for (const [pattern, expected] of cases) {
    it(`covers only the places that it names: ${pattern ?? "without a pattern"}`, () =>
      assert.strictEqual(covered(pattern), expected))
  }

  it("is not covered by a command whose words look like a place", () => {
    assert.isFalse(matchesAllow("(no sandbox) npm test", target('"(no" "sandbox)" npm test', bare)))
    assert.isFalse(matchesAllow("npm test", target("npm test", { folder: "no sandbox", sandboxed: false })))
    assert.isFalse(matchesAllow("(no sandbox) x", target("x", { folder: "no sandbox", sandboxed: true })))
  })

  it("that denies holds in every place, unless it names a folder, and then for what is in it too", () => {
    assert.deepStrictEqual(
      ["npm test", "(packages) npm test", "(Packages/A) NPM test", "(no sandbox) npm test", "(x) npm test"].map(denied),
      ["yyyy", "-y-y", "-y-y", "yyyy", "----"]
    )
  })

  it("can be written for every place, and then covers exactly this one", () => {
    for (const folder of [".", "a", "a b", "a*", "(x)", "no sandbox", "x, no sandbox", 'q"', "ä"]) {
      for (const sandboxed of [true, false]) {
        const place = { folder, sandboxed }
        const pattern = `${placePrefix(place)}make`
        /* Parentheses in the name of a folder cannot be written, so that such a command always asks. */
        assert.strictEqual(matchesAllow(pattern, target("make", place)), !/[()]/.test(folder), pattern)
        assert.isFalse(matchesAllow(pattern, target("make", { folder: "other", sandboxed: false })), pattern)
      }
    }
  })

  it("takes commands that begin like a URL and are none", () => {
    for (const command of ["https://a:999999", "http://%", "https://[::1", "http://"]) {
      assert.strictEqual(matchesAllow(command, target(command, here)), true, command)
      assert.strictEqual(matchesAllow("*", target(`npm ${command}`, here)), false, command)
    }
  })
})

describe("an allow rule for a change that loses text", () => {
  const file: Target = { kind: "file", canonical: "/p/src/a*.ts", relative: "src/a*.ts", loses: true }

  it.each([
    ["src/a\\*.ts", true],
    ["./src/a\\*.ts", true],
    ["/p/src/a\\*.ts", true],
    ["src/a*.ts", false],
    ["src/**", false],
    [undefined, false]
  ] as const)("%s names this file alone: %s", (pattern, expected) => {
    assert.strictEqual(matchesAllow(pattern, file), expected)
    assert.isTrue(matchesAllow(pattern, { kind: "file", canonical: file.canonical, relative: "src/a*.ts" }))
  })

  it("names a file outside the project by its path", () => {
    assert.isTrue(matchesAllow("/etc/a", { kind: "file", canonical: "/etc/a", loses: true }))
    assert.isFalse(matchesAllow("/etc/*", { kind: "file", canonical: "/etc/a", loses: true }))
  })
})

it("a URL that carries what was read is allowed by exactly this URL alone", () => {
  const url = "https://docs.example/?q=a*b"
  const carrying: Target = { kind: "other", canonical: url, carries: true }
  assert.deepStrictEqual(
    [exactPattern(url), url, "https://docs.example/**", "**", undefined].map((pattern) =>
      matchesAllow(pattern, carrying)
    ),
    [true, false, false, false, false]
  )
  assert.isTrue(matchesAllow("https://docs.example/**", { kind: "other", canonical: url }))
})
