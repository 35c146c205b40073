import { expect, it } from "@effect/vitest"
import { skippedText } from "../../../src/domain/files/SkippedFiles.ts"

it("counts skipped files by reason, in the order of the reasons, and names those that have room", () => {
  const skipped = [
    { path: "a.png", reason: "binary" as const },
    { path: ".env", reason: "secret" as const },
    { path: "b.png", reason: "binary" as const }
  ]
  expect(skippedText(skipped)).toBe("1 file that looks like a secret (.env), 2 files that are not text (a.png, b.png)")
  expect(skippedText([])).toBe("")
})

const named = (length: number) =>
  skippedText([0, 1].map((at) => ({ path: `${at}`.repeat(length), reason: "large" as const })))

it("shows at most 120 characters of names for a reason", () => {
  expect(named(59)).not.toContain("more")
  expect(named(60)).toContain("1 more")
})
