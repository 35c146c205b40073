import { expect, it } from "@effect/vitest"
import { checkDocument, DocumentKind } from "../../../src/domain/checking/CheckReport.ts"
import { hostileTexts, makeDocuments, makeRandom } from "../../support/randomDocuments.ts"

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
