import { assert, describe, expect, it } from "@effect/vitest"
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

/** A file of the project, one outside of it, a URL, or a start with its hash. */
const targetOf = (text: string): Target => {
  if (text.includes("sha256:")) return start(text)
  if (text.includes("://")) return other(text)
  return text.startsWith("/") ? outside(text) : inside(text)
}
/** A pattern, the targets that it matches, and others that it does not. */
type Row = [pattern: string | undefined, matched: Array<string>, others?: Array<string>]
const matched = (all: ReadonlyArray<string>, matches: (target: Target) => boolean) =>
  all.filter((text) => matches(targetOf(text)))

it.each<Row>([
  ["src/a.ts", ["src/a.ts"]],
  ["src", [], ["src/a.ts"]],
  ["src/*", ["src/a.ts"], ["src/deep/a.ts"]],
  ["src/**/a.ts", ["src/a.ts", "src/deep/er/a.ts"], ["src/ba.ts"]],
  ["**/*.ts", ["a.ts", "src/a.ts"]],
  ["*.ts", [], ["src/a.ts"]],
  ["/etc/*", ["/etc/passwd"]],
  ["/p/src/**", ["src/a.ts"]],
  ["/etc", [], ["/etc-old", "/etc/passwd"]],
  ["a?[b]", ["a?[b]"]],
  ["a?", [], ["ab"]],
  ["a\\*", ["a*"], ["ab"]],
  ["https://example.com/**", ["https://example.com/a/b?c"]],
  ["https://example.com/*", [], ["https://example.com/a/b"]],
  ["word-count sha256:*", ["word-count sha256:00ff"]],
  [undefined, ["src/a.ts", "https://a.b/"], ["/etc/passwd", ".env", ".vscode/tasks.json", "word-count sha256:00ff"]],
  ["**", ["src/a.ts", ".github/CODEOWNERS", "https://a.b/"], ["/etc/passwd", ".env", ".github/workflows/ci.yml"]],
  ["config/*", [], ["config/.env"]],
  ["/home/you/**", [], ["/home/you/.ssh/id_rsa"]],
  [".env", [".env"]],
  ["**/.env", ["config/.env"]],
  [".env*", [".env.local"]],
  ["/home/you/.ssh/*", ["/home/you/.ssh/id_rsa"]],
  ["\\.env", [".env"]],
  [".github/**", [], [".github/workflows/ci.yml"]],
  [".github/workflows/*", [".github/workflows/ci.yml"]],
  [".vscode/**", [".vscode/tasks.json"]]
])("matchesAllow %s covers %j and not %j", (pattern, covered, others = []) => {
  expect(matched([...covered, ...others], (one) => matchesAllow(pattern, one))).toStrictEqual(covered)
})

it("matchesAllow ends soon for a pattern that makes a backtracking matcher run for years", () => {
  const pattern = `/${"**a*".repeat(200)}b`
  assert.isFalse(matchesAllow(pattern, outside(`/${"a".repeat(4000)}`)))
})

it.each<Row>([
  ["*.ts", ["src/deep/a.ts"], ["src/a.tsx"]],
  ["docs", ["docs/a.md", "packages/a/docs/b.md"], ["docs-old/a.md"]],
  ["docs/", ["docs/a.md"]],
  ["src/gen", ["src/gen/a.ts"], ["lib/src/gen/a.ts"]],
  ["p", [], ["src/a.ts"]],
  ["*.pem", ["/home/you/key.pem"]],
  [".ssh/id_rsa", ["/home/you/.ssh/id_rsa"]],
  ["**", ["/etc/passwd"]],
  ["/etc", ["/etc/ssl/a"], ["/etcetera"]],
  ["/", ["/etc/passwd"]],
  ["https://example.com", ["https://example.com/a?b", "https://example.com:444/a?b"]],
  ["example.com", ["https://example.com/a", "http://example.com/", "https://example.com:8443/a"]],
  ["example.com", ["https://example.com./a", "https://example.com.:8443/"]],
  ["example.com", [], ["https://example.com.evil.org/", "https://example.com.evil.org:80/"]],
  ["example.com", [], ["https://evil.org/example.com"]],
  ["*.example.com", ["https://docs.example.com/", "https://docs.example.com.:81/"]],
  ["https://example.com/Docs", ["https://example.com/docs/a"]],
  ["example.com.", ["https://example.com/"]],
  ["https://example.com/secret", ["https://example.com/%73ecret", "https://example.com:8443/SECRET?x"]],
  ["b\u00fccher.example", ["https://xn--bcher-kva.example/"]],
  ["xn--bcher-kva.example", ["https://xn--bcher-kva.example/"]],
  ["example.com:8443", ["https://example.com:8443/"], ["https://example.com/"]],
  ["ample.com", [], ["https://example.com/"]]
])("matchesDeny %s touches %j and not %j", (pattern = "", touched, others = []) => {
  expect(matched([...touched, ...others], (one) => matchesDeny(pattern, one))).toStrictEqual(touched)
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
  it.each<[string | undefined, string]>([
    [undefined, "yy--"],
    ["npm test", "y---"],
    ["**", "y---"],
    ["(packages/a) npm test", "-y--"],
    ["(packages/*) npm test", "-y--"],
    ["(**) npm **", "yy--"],
    ["(packages/b) npm test", "----"],
    ["(no sandbox) npm test", "y-y-"],
    ["(packages/a, no sandbox) npm test", "-y-y"],
    ["(**, no sandbox) **", "yyyy"],
    ["(./packages/a/) npm test", "-y--"],
    ["**) npm test", "----"],
    ["(*", "----"],
    ["(no sandbox)npm test", "----"]
  ])("covers only the places that it names: %s", (pattern, expected) => assert.strictEqual(covered(pattern), expected))

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

it.each([
  ["src/a\\*.ts", true],
  ["./src/a\\*.ts", true],
  ["/p/src/a\\*.ts", true],
  ["src/a*.ts", false],
  ["src/**", false],
  [undefined, false]
] as const)("%s names this file alone, as an allow rule for a change that loses text must: %s", (pattern, expected) => {
  const one = inside("src/a*.ts")
  assert.deepStrictEqual([matchesAllow(pattern, { ...one, loses: true }), matchesAllow(pattern, one)], [expected, true])
})

it.each([
  ["/etc/a", true],
  ["/etc/*", false]
])("%s allows a change that loses text outside the project: %s", (pattern, expected) => {
  assert.strictEqual(matchesAllow(pattern, { ...outside("/etc/a"), loses: true }), expected)
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
