import { describe, expect, it } from "@effect/vitest"
import { join } from "node:path"
import { otherBranches, touchedDeclarations, usersOf } from "../../../src/domain/files/CodeRelations.ts"
import type { NamedText } from "../../../src/domain/files/ChangedNames.ts"
import { countSteps } from "../../support/countSteps.ts"

const change = (path: string, base: string, text: string) => ({ path, base, text })

describe("the declarations that a change touches", () => {
  it.each([
    ["a.ts", "export const readLimit = () => {\n  const x = 1\n  return x\n}\n", "readLimit", undefined],
    ["a.ts", "export const read = () => {\n  const inner = () => {\n    x = 1\n  }\n}\n", "read", undefined],
    ["a.ts", "class Slugs {\n  make() {\n    x = 1\n  }\n}\n", "make", "Slugs"],
    ["a.ts", "const a = 1\nrun(() => {\n  x = 1\n})\n", undefined, undefined],
    ["a.py", "class Slugs:\n    def make_slug(self):\n        x = 1\n", "make_slug", "Slugs"],
    ["a.go", "func (s *Slice) Grow(n int) {\n\tx = 1\n}\n", "Grow", "Slice"],
    ["a.rs", "impl A {\n    pub(crate) fn grow(&self) {\n        x = 1\n    }\n}\n", "grow", "A"],
    ["A.java", "public final class Slugs {\n  x = 1\n}\n", "Slugs", undefined]
  ])("are those around changed lines that others know: %s %j", (path, before, name, owner) => {
    expect(touchedDeclarations(change(path, before, before.replace("x = 1", "x = 2")))).toEqual(
      name === undefined ? [] : [{ path, name, owner }]
    )
  })

  it.each([
    ["a.ts", "class Slugs {\n  a = 1\n\n  // Makes one.\n  make() {}\n}\n", "  // Makes one.", "  // Makes a slug."],
    ["A.java", "class Slugs {\n  int a;\n\n  @Test\n  void make() {}\n}\n", "  @Test", "  @Ignore"],
    ["a.py", "class Slugs:\n    a = 1\n\n    # Makes one.\n    def make(self):\n", "    # Makes one.", "\n    # One."]
  ])("are none for comments, empty lines and annotations above another one: %s", (path, before, from, to) => {
    expect(touchedDeclarations(change(path, before, before.replace(from, to)))).toEqual([])
  })

  it("are none for a new member with its comment", () => {
    const before = "class Slugs {\n    int a;\n\n    int b() {\n        return 1;\n    }\n}\n"
    const member = "    /** Makes one. */\n    @Override public int make() {\n        return 2;\n    }\n\n"
    const after = before.replace("    int b()", `${member}    int b()`)
    expect(touchedDeclarations(change("Slugs.java", before, after))).toEqual([])
  })

  it("are there before and after", () => {
    expect(touchedDeclarations(change("a.ts", "const a = 1\n", "const b = 1\n"))).toEqual([])
  })
})

/** The places that use what the change touches, with how. */
const users = (of: ReturnType<typeof change>, ...others: ReadonlyArray<readonly [path: string, text: string]>) =>
  usersOf(
    [of],
    touchedDeclarations(of),
    others.map(([path, text]): NamedText => ({ path, text }))
  ).map(({ line, path, relation }) => `${path}:${line} ${relation}`)

const slugWith = (call: string) => `export const slug = () => {\n  ${call}()\n}\n`
const script = change("src/slug.ts", slugWith("a"), slugWith("b"))
const moneyWith = (name: string, call: string) => `class Money {\n  ${name}() {\n    ${call}()\n  }\n}\n`
const method = (name: string) => change("src/money.ts", moneyWith(name, "a"), moneyWith(name, "b"))
const golang = (text: string) => change("a/a.go", text.replace("1", "2"), text)

const distantImport = (blanks: number) =>
  ["src/page.ts", `import {\n${" ".repeat(blanks)}slug } from "./slug"\nslug(1)\n`] as const
const manyUses = (count: number) => `import { slug } from "./slug"\n${"slug(1)\n".repeat(count)}`
const twoFunctions = (value: number, lines: number) =>
  `export const first = () => {\n${`  a(${value})\n`.repeat(lines)}}\nexport const last = () => {\n  b(${value})\n}\n`
const touchedOf = (lines: number) =>
  touchedDeclarations(change("a.ts", twoFunctions(1, lines), twoFunctions(2, lines))).map(({ name }) => name)

const page = (text: string) => ["src/page.ts", text] as const
const usesSlug = 'import { slug } from "./slug"\nslug(1)\n'
const nestedText = "package org.doc;\nclass Element {\n  static class NodeList {\n    int size = 1;\n  }\n}\n"
const nested = change("org/doc/Element.java", nestedText, nestedText.replace("1", "2"))
const app = (text: string) => ["app.py", text] as const

describe("the users of a declaration", () => {
  const python = change("pkg/text.py", "def slug(a):\n    a()\n", "def slug(a):\n    b()\n")
  const several = 'import {\n  slug\n} from "@org/text"\n// slug(1)\nsay("slug", slug)\n'
  it.each<[string, typeof script, ReadonlyArray<readonly [string, string]>, Array<string>]>([
    ["that import it", script, [page('import { slug } from "./slug"\nslug(title)\n')], ["src/page.ts:2 calls `slug`"]],
    ["but no comments", script, [page(several)], ["src/page.ts:5 uses `slug`"]],
    ["that import all", script, [page('import * as t from "./slug"\nt.slug(1)\n')], ["src/page.ts:2 calls `slug`"]],
    ["but none with another name", script, [page('import { other } from "./slug"\npage.slug()\n')], []],
    ["but none from elsewhere", script, [["src/lib.ts", 'import { slug } from "slugs"\nslug(1)\n']], []],
    ["but none with its own", script, [["src/other.ts", "const slug = 1\nuse(slug)\n"]], []],
    ["but none that import nothing", script, [["src/word.ts", "page.slug()\n"]], []],
    ["of a module", python, [app("from pkg import text\nprint(text.slug(1), slug=2)\n")], ["app.py:2 calls `slug`"]],
    ["of Python", python, [app("from pkg import slug\nslug(1)\n")], ["app.py:2 calls `slug`"]],
    ["but none from another module", python, [app("from others import slug\nslug(1)\n")], []]
  ])("are lines of code in files %s", (_, of, files, expected) => expect(users(of, ...files)).toEqual(expected))

  it("are those of a type or a constant too, also in its own file", () => {
    const text = "export const limit = 1\nexport const isLong = (x: number) => x > limit\n"
    expect(users(change("src/limit.ts", text, text.replace("1", "2")))).toEqual(["src/limit.ts:2 uses `limit`"])
    const shape = "export interface Shape {\n  a: string\n}\n"
    const user = 'import type { Shape } from "./shape"\nconst read = (x: Shape) => x\nconst b: Shape = { Shape: 1 }\n'
    expect(users(change("src/shape.ts", shape, shape.replace("a:", "b:")), ["src/user.ts", user])).toEqual([
      "src/user.ts:2 uses `Shape`",
      "src/user.ts:3 uses `Shape`"
    ])
  })

  it("are no lines that only hold a word such as toString, unless they are about its type", () => {
    const benchmark = ["bench/all.ts", "const text = value.toString()\n"] as const
    expect(users(method("toString"), benchmark)).toEqual([])
    const related = 'import { Money } from "../src/money"\nnew Money(1).toString()\n'
    expect(users(method("toString"), benchmark, ["src/bill.ts", related])).toEqual(["src/bill.ts:2 calls `toString`"])
  })

  it("need a name that is declared once where imports say nothing", () => {
    const grow = golang("func GrowAll(n int) {\n\tx = 1\n}\n")
    expect(users(grow, ["b/b.go", "func b() {\n\ta.GrowAll(3)\n}\n"])).toEqual(["b/b.go:2 calls `GrowAll`"])
    expect(users(grow, ["b/b.go", "func b() {\n\ta.GrowAll(3)\n}\n"], ["c/c.go", "func GrowAll() {\n}\n"])).toEqual([])
    const own = golang("func GrowAll(n int) {\n\tx = 1\n}\n\nfunc a() {\n\tGrowAll(3)\n}\n")
    expect(users(own, ["c/c.go", "func GrowAll() {\n}\n"])).toEqual(["a/a.go:6 calls `GrowAll`"])
    const member = golang("func (s *Slice) Grow(n int) {\n\tx = 1\n}\n")
    expect(users(member, ["b/b.go", "func b(s *a.Slice) {\n\ts.Grow(3)\n}\n"])).toEqual(["b/b.go:2 calls `Grow`"])
    expect(users(member, ["b/b.go", "func b(s *a.Other) {\n\ts.Grow(3)\n}\n"])).toEqual([])
  })

  it("are no lines of a file that imports another thing of that name", () => {
    const other = "import org.doc.Element;\nimport org.w3c.dom.NodeList;\nNodeList select(Element element) {}\n"
    const same = "import org.doc.Element.NodeList;\nNodeList select() {}\n"
    expect(users(nested, ["org/help/Dom.java", other])).toEqual([])
    expect(users(nested, ["org/help/Dom.java", same])).toEqual(["org/help/Dom.java:2 uses `NodeList`"])
    const member = nestedText.replace("int size = 1;", "void grow() {\n      a(1);\n    }")
    const grown = change("org/doc/Element.java", member, member.replace("1", "2"))
    expect(users(grown, ["org/help/Dom.java", `${other}list.grow();\n`])).toEqual([])
    expect(users(grown, ["org/help/Dom.java", `${same}list.grow();\n`])).toEqual(["org/help/Dom.java:3 calls `grow`"])
  })

  it("name a nested type outside its file only beside the type around it", () => {
    expect(users(nested, ["org/doc/Dom.java", "package org.doc;\nclass Dom { NodeList list; }\n"])).toEqual([])
    const near = "package org.doc;\nclass Dom extends Element { NodeList list; }\n"
    expect(users(nested, ["org/doc/Dom.java", near])).toEqual(["org/doc/Dom.java:2 uses `NodeList`"])
  })

  it("are not named when twenty-one files use the name", () => {
    const files = Array.from({ length: 21 }, (_, index) => [`src/${index}.ts`, usesSlug] as const)
    expect(users(script, ...files.slice(1))).toHaveLength(20)
    expect(users(script, ...files)).toEqual([])
  })

  it("are not looked for where two hundred and one files hold the name", () => {
    const files = Array.from({ length: 199 }, (_, index) => [`src/${index}.ts`, "// slug\n"] as const)
    const user = page(usesSlug)
    expect(users(script, user, ...files.slice(1))).toEqual(["src/page.ts:2 calls `slug`"])
    expect(users(script, user, ...files)).toEqual([])
  })

  it("are looked for where statements that bring names end within four thousand characters", () => {
    expect(users(script, distantImport(3991))).toEqual(["src/page.ts:3 calls `slug`"])
    expect(users(script, distantImport(3992))).toEqual([])
  })

  const rust = change("a/a.rs", "fn slug_all() {\n    a()\n}\n", "fn slug_all() {\n    b()\n}\n")
  it.each([
    ["src/page.ts", "const {\n", script, "slug"],
    ["src/page.ts", "import a\n", script, "slug"],
    ["app.py", "from pkg import (\n", python, "slug"],
    ["a/b.rs", "use a::b\n", rust, "slug_all"]
  ])("are looked for where very many statements begin, and the search ends: %s %j", (path, line, of, name) => {
    expect(users(of, [path, `${line.repeat(30_000)}// ${name}\n`])).toEqual([])
  })

  it("are the first fifty of a file", () => {
    expect(users(script, ["src/page.ts", manyUses(50)])).toHaveLength(50)
    expect(users(script, ["src/page.ts", manyUses(51)])).toHaveLength(50)
  })

  it("are not looked for when the files that hold the name have more than four million characters", () => {
    const rest = 4_000_000 - usesSlug.length - (script.text?.length ?? 0)
    const page = (size: number) => ["src/page.ts", `${usesSlug}${"\n".repeat(size)}`] as const
    expect(users(script, page(rest))).toEqual(["src/page.ts:2 calls `slug`"])
    expect(users(script, page(rest + 1))).toEqual([])
  })

  it("are those of declarations around the first five hundred changed lines", () => {
    expect(touchedOf(499)).toEqual(["first", "last"])
    expect(touchedOf(500)).toEqual(["first"])
  })

  it("are no lines of the change itself", () => {
    const text = "export const slug = () => 1\nexport const other = () => 2\n"
    const now = text.replace("1", "3").replace("2", "slug()")
    expect(users(change("src/slug.ts", text, now))).toEqual([])
  })
})

const branches = (path: string, text: string) =>
  otherBranches(change(path, text.replace("NOW", "then"), text)).map(({ line, text }) => `${line}: ${text}`)

it.each([
  ["a.ts", "switch (x) {\n  case 'a':\n    NOW\n    break\n  default:\n    b()\n}\nif (y) c()\n", ["5: default:"]],
  [
    "a.ts",
    "f(() => {\n  if (a) {\n    b()\n  } else if (c) {\n    g(() => {\n      NOW\n    })\n  } else {\n    d()\n  }\n  if (e) f()\n})\n",
    ["8: } else {", "2: if (a) {"]
  ],
  ["a.py", "if x:\n    NOW\nelif y:\n    b()\nelse:\n    c()\n", ["3: elif y:", "5: else:"]],
  ["a.rs", "match x {\n    A => a(),\n    B => NOW,\n    _ => c(),\n}\n", ["2: A => a(),", "4: _ => c(),"]],
  ["a.go", "switch x {\ncase 1:\n\tNOW\ncase 2:\n\tb()\n}\n", ["4: case 2:"]],
  ["a.ts", "if (a) return 1\nif (b) {\n  NOW\n}\nif (c) return 2\n", []],
  ["a.ts", "const f = () => {\n  NOW\n}\n", []]
])("the branches beside a change are those of the same condition: %s", (path, text, expected) => {
  expect(branches(path, text)).toEqual(expected)
})

it("finds branches in steps that grow with the lines of a change", async () => {
  const steps = await countSteps(join(import.meta.dirname, "../../support/branchWorks.ts"), [100, 1000])
  const growth = Object.entries(steps).map(([name, [small = 0, large = 0]]) => [name, large / small / 10] as const)
  expect(growth.length).toBe(3)
  expect(growth.filter(([, times]) => times > 2)).toEqual([])
})
