import { describe, expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { type CheckReport, checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import { documentFixtures } from "../../support/DocumentFixtures.ts"

const place = ({ code, where: { line } }: CheckReport["repairs"][number] | CheckReport["issues"][number]) =>
  line === undefined ? { code } : { code, line }

const verdicts: Readonly<Record<string, CheckReport["verdict"]>> = {
  ok: "accepted",
  repaired: "repaired",
  not: "rejected"
}

describe("documents as models write them", () => {
  it.each(documentFixtures)("$name", ({ expected, kind, name, options, text }) => {
    const { issues, repairs, value, verdict } = checkDocument(kind, text, options)
    expect({ verdict, issues: issues.map(place), repairs: repairs.map(place), value }).toEqual(expected)
    expect(verdict).toBe(verdicts[/\/([a-z]+)-/.exec(name)?.[1] ?? ""])
  })

  it("show every class of failure that concerns a reader", () => {
    const readme = readFileSync(new URL("../../fixtures/README.md", import.meta.url), "utf8")
    const rows = [...readme.matchAll(/^\| (\d+) \| (.+) \| (.+) \|$/gm)]
    const root = new URL("../../../", import.meta.url)
    const names = new Set(documentFixtures.map(({ name }) => name))
    const missing = rows
      .flatMap(([, , , shown = ""]) => [...shown.matchAll(/`([\w-]+\/[\w/.-]+)`/g)].map(([, path = ""]) => path))
      .filter((path) => !(path.startsWith("src/") ? existsSync(new URL(path, root)) : names.has(path)))
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 62 }, (_, index) => index + 1))
    expect(missing).toEqual([])
  })
})
