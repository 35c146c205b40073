import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { checkDocument, type CheckReport, DocumentKind } from "../../../src/domain/documents/CheckReport.ts"
import { readResult } from "../../../src/domain/documents/ResultFormat.ts"
import { fixturesOf, makeDocuments, makeRandom, hostileTexts } from "../../support/randomDocuments.ts"

const check = (kind: DocumentKind, text: string): CheckReport => checkDocument(kind, text, { finished: [] })

const lineOf = ({ where }: { readonly where: { readonly line?: number } }): number => where.line ?? 0

for (const kind of DocumentKind.literals) {
  it(`reports the issues of a ${kind} in the order of the document, and the same ones each time`, () => {
    const next = makeDocuments(kind, makeRandom(11))
    const texts = [...fixturesOf(kind), ...Array.from({ length: 500 }, next)]
    for (const text of texts) {
      const { issues } = check(kind, text)
      const lines = issues.map(lineOf)
      expect(lines, JSON.stringify(text)).toEqual(lines.toSorted((a, b) => a - b))
      expect(check(kind, text).issues).toEqual(issues)
    }
  })
}

it("reads the document of a result as the same result", () => {
  const next = makeDocuments("result", makeRandom(13))
  let read = 0
  for (const text of [...fixturesOf("result"), ...Array.from({ length: 2000 }, next)]) {
    const { issues, value } = readResult(text)
    if (issues.length > 0 || Option.isNone(value)) continue
    read += 1
    const again = readResult(value.value.document)
    expect([again.issues, again.value], JSON.stringify(text)).toEqual([[], value])
  }
  expect(read).toBeGreaterThan(100)
})

for (const kind of DocumentKind.literals) {
  it(`gives every random ${kind} a verdict with its reasons`, () => {
    const next = makeDocuments(kind, makeRandom(7))
    for (let n = 0; n < 2000; n += 1) {
      const text = next()
      const { issues, repairs, verdict } = checkDocument(kind, text, { finished: [] })
      const expected = issues.length > 0 ? "rejected" : repairs.length > 0 ? "repaired" : "accepted"
      expect(verdict, JSON.stringify(text)).toBe(expected)
    }
  })
}

for (const [name, text] of Object.entries(hostileTexts(65_536))) {
  it(`comes to an end with 64 KiB of ${name}`, () => {
    for (const kind of DocumentKind.literals) {
      expect(["accepted", "repaired", "rejected"]).toContain(checkDocument(kind, text, { finished: [] }).verdict)
    }
  })
}
