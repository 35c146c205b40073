import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { renderInputs } from "../../../src/domain/documents/InputFormat.ts"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"

const task =
  "## Task\n\n- **Name** Explain 1\n- **What is needed** Explain.\n- **Skill** explain\n- **Expected output** Text.\n"

it.each(["![i](j)", "[i](j)", "![i](<j k>)", "**b**", "`c`", '"q"', "none", "-", "\\x"])(
  "is read back as it is, also when it looks like marks: %s",
  (value) => {
    const inputs = [{ name: "reason", value }]
    const { issues, repairs, value: read } = readTaskReport(`${task}\n## Inputs\n\n${renderInputs(inputs)}\n`)
    expect([Option.getOrUndefined(read)?.inputs, issues, repairs]).toEqual([inputs, [], []])
  }
)
