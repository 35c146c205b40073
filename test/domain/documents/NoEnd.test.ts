import { assert, describe, it } from "@effect/vitest"
import { noEnd, unwrapped } from "../../../src/domain/documents/NoEnd.ts"

describe("a text at the end of the work", () => {
  it.each([
    "I will look at the file first.",
    "Okay, I'll start by reading `src/limits.ts`.",
    "To answer this I need to read src/limits.ts.",
    "## Result summary\n\nI will now read the file.",
    '{"name": "read_file", "arguments": {"path": "a.ts"}}',
    '```json\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n```',
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.ts"}',
    "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n</tool_call>",
    "<what was found or done, complete and short, with links>",
    "The answer is:",
    "I'm sorry, but I cannot access files on your computer.",
    "Unfortunately, I don't have access to your file system.",
    "## Tasks\n\n### Task section 1\n\n- **Name** A\n- **What is needed** Look.\n- **Skill** read-code"
  ])("ends nothing: %j", (text) => {
    assert.isDefined(noEnd(text))
  })

  it.each([
    "The limit is 5, see [limits](src/limits.ts#L3).",
    "I raised the limit to 10 in [limits](src/limits.ts). You should run the tests first.",
    "The file could not be read: it does not exist.",
    "I cannot read the file, because reading it was denied.",
    "No, `load` reads the file once.",
    "The program will first read the configuration, then the arguments.",
    "It reads these files:\n\n- a.ts\n- b.ts",
    "To run it:\n\n```bash\nnpm test\n```",
    "I will not change it, since the tests depend on it.",
    "The function cannot open files that are larger than 1 MB; it is denied by the check in `open`.",
    'The call is `{"name": "read_file"}`.'
  ])("may end the work: %j", (text) => {
    assert.isUndefined(noEnd(text))
  })

  it("is read out of an object that holds nothing else", () => {
    assert.isUndefined(noEnd("I cannot access files on your computer.", { hasFiles: false }))
    const whole = ['{"answer": "It is 5."}', '```json\n{ "final_answer": "It is 5." }\n```']
    assert.deepStrictEqual(whole.map(unwrapped), ["It is 5.", "It is 5."])
    const others = ['{"answer": "It is 5.", "sources": []}', '{"port": "5"}', '{"answer": 5}']
    assert.deepStrictEqual(
      [...others, 'See `{"answer": "It is 5."}`.'].filter((text) => unwrapped(text) !== undefined),
      []
    )
  })
})
