import { expect, it } from "@effect/vitest"
import { commandKind } from "../../../src/domain/map/CommandKind.ts"

it.each([
  ["npm test", "node --test", "tests"],
  ["python -m pytest", "", "tests"],
  ["zig build test", "", "tests"],
  ["make check", "./run-all", "tests"],
  ["npm run typecheck", "tsc --noEmit", "types"],
  ["npm run check", "tsc --noEmit", "types"],
  ["npm run check", "tsc && vitest run", "tests"],
  ["npm run check", "biome check .", "lint"],
  ["cargo check", "", "types"],
  ["go vet ./...", "", "types"],
  ["uv run mypy .", "", "types"],
  ["uv run ruff check .", "", "lint"],
  ["npm run lint", "eslint .", "lint"],
  ["npm run lint:fix", "eslint . --fix", "format"],
  ["npm run format:check", "prettier --check .", "lint"],
  ["npm run build:test", "tsc -p test", "build"],
  ["make all", "", "build"],
  ["npm run watch:test", "vitest", undefined],
  ["npm run test", "jest --watch", undefined],
  ["make install", "", undefined],
  ["make misspell-check", "misspell -error .", undefined],
  ["npm run docs", "typedoc", undefined]
] as const)("commandKind %s, which runs %s, is of the kind %s", (run, does, kind) => {
  expect(commandKind(run, does)).toBe(kind)
})
