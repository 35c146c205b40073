import { expect, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { outcomeText } from "../../../src/domain/models/OutputText.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

it.each([
  ["a text", "a text"],
  [{ exitCode: 1, output: "one\ntwo\n" }, "exitCode: 1\n\none\ntwo\n"],
  [{ a: "x\ny", b: "z\n" }, "a:\nx\ny\n\nb:\nz\n"],
  [{ exit_code: 1, output: "one\ntwo\n" }, "exit code 1\n\none\ntwo\n"],
  [{ exit_code: 0, output: "" }, "exit code 0\n\n(It wrote nothing.)"],
  [
    { exit_code: null, stopped: "Too much.", changed_controls: [".git/hooks", "b"], output: "one" },
    "stopped: Too much.\nchanged_controls: .git/hooks, b\n\none"
  ],
  [["a", "b"], '[\n  "a",\n  "b"\n]'],
  [{ nested: { a: 1 }, text: "x\ny" }, '{\n  "nested": {\n    "a": 1\n  },\n  "text": "x\\ny"\n}'],
  [null, "null"]
] as ReadonlyArray<[Schema.Json, string]>)("shows %j as text", (data, text) => {
  expect(outcomeText({ ...gave("any", {}, ""), result: { ...gave("any", {}, "").result, data } })).toBe(text)
})

it("shows why a call failed", () => {
  expect(outcomeText(failed("any", {}, "io_error", "No disk."))).toBe("ERROR (io_error): No disk.")
})
