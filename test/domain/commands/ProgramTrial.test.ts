import { assert, describe, it } from "@effect/vitest"
import { programTrial } from "../../../src/domain/commands/ProgramTrial.ts"

describe("programTrial", () => {
  it("starts the same program, and only asks it for its version", () => {
    const trials = {
      "npm run lint": "npm --version",
      ".venv/bin/python -m pytest -q": ".venv/bin/python -m pytest --version",
      "python -m unittest": "python --version",
      "go test ./...": "go version",
      "./gradlew test": "./gradlew --version"
    }
    for (const [run, trial] of Object.entries(trials)) assert.strictEqual(programTrial(run).join(" "), trial)
  })
})
