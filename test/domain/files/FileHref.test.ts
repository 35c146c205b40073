import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { bareHrefOfPath, fileLink, hrefOfPath } from "../../../src/domain/files/FileHref.ts"
import { check } from "../../../src/index.ts"

const planWith = (href: string): string =>
  [
    "## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n\n### Task section 1\n",
    "- **What is needed** x\n- **Skill** review",
    `- **References** [file](${href})\n- **Expected output** x\n`
  ].join("\n")

it.each([
  ["src/a.ts", "src/a.ts"],
  ["Ünïcode/größe.ts", "Ünïcode/größe.ts"],
  ["c#notes.md", "c%23notes.md"],
  ["100%20done.txt", "100%2520done.txt"],
  ["new\nline.txt", "new%0Aline.txt"],
  ["a<b>.md", "a%3Cb%3E.md"]
])("hrefOfPath writes %j as %s", (path, href) => {
  assert.deepStrictEqual([hrefOfPath(path), decodeURIComponent(href)], [href, path])
})

it.prop("hrefOfPath can be undone", [Schema.String], ([path]) => decodeURIComponent(hrefOfPath(path)) === path)

it.each(["my file.ts", "c#notes.md", "100%20done.txt", "a(b)[c].md", "größe.ts"])("bareHrefOfPath takes %s", (path) => {
  const { value } = check(planWith(bareHrefOfPath(path)))
  assert.include(JSON.stringify(value), `"kind":"file","target":${JSON.stringify(path)}`)
})

it.each([
  { path: "src/a.ts", line: 7, link: "[src/a.ts](src/a.ts#L7)" },
  { path: "my file.ts", link: "[my file.ts](<my file.ts>)" },
  { path: "app/[id]/page.tsx", link: "[app/[id]/page.tsx](app/[id]/page.tsx)" },
  { path: "half[.md", link: "[half\\[.md](half[.md)" },
  { path: "c#.md", line: 1, link: "[c#.md](c%23.md#L1)" }
])("fileLink writes $link", ({ line, link, path }) => {
  assert.strictEqual(fileLink(path, line), link)
})
