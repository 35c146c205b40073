import { assert, describe, it } from "@effect/vitest"
import { readMessageTurn } from "../../../src/domain/conversation/MessageTurn.ts"
import { readAskedCall } from "../../../src/domain/documents/TurnFormat.ts"

const tools = new Set(["read_file", "write_file", "search_files"])
const read = (text: string) => readMessageTurn(text, { tools, mayChange: true })
const find = (text: string) => {
  const { calls, report } = read(text)
  return report === undefined ? calls.map(({ arguments: given, name }) => [name, given]) : undefined
}

const json = '{"name": "read_file", "arguments": {"path": "a"}}'
const tagged = `<tool_call>\n${json}\n</tool_call>`
const xml = "<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>"
const fence = (text: string, language = "json") => `\`\`\`${language}\n${text}\n\`\`\``
const readsA = [["read_file", { path: "a" }]]

it.each(['{"remove": "old.ts"}', '{"rename": "a.ts", "to": "b.ts"}'])(
  "an object is a change, not prose: %s",
  (object) => {
    const { changes, report } = read(`I do that now.\n\n${object}`)
    assert.deepStrictEqual([changes.length, report], [1, undefined])
  }
)

it.each([
  ["tags that name tool and parameters", xml],
  ["the same without the first tag", `${xml}\n</tool_call>`],
  ["a tag before JSON", '<function=read_file>{"path": "a"}</function>'],
  ["the asked for form", `## Tool Calls\n\n${fence(json)}`],
  ["an invocation", '<invoke name="read_file"><parameter name="path">a</parameter></invoke>'],
  ["a mark", '<|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}<|eom_id|>'],
  ["a list after a mark", `[TOOL_CALLS] [${json}]`],
  ["parameters", '{"name": "read_file", "parameters": {"path": "a"}}'],
  ["a function", '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}}'],
  ["a lone block without a type", fence(json, "")],
  ["a block of tags", fence(xml, "xml")],
  ["words before tags", `I look at the file first.\n\n${tagged}`],
  ["another spelling of the name", json.replace("read_file", "readFile")]
])("calls at the level of the model itself are read: %s", (_, text) => {
  assert.deepStrictEqual(find(text)?.[0]?.[1], { path: "a" })
  assert.lengthOf(find(text) ?? [], 1)
})

it("calls at the level of the model itself are all of the calls that end a text", () => {
  assert.deepStrictEqual(find(`First this.\n${tagged}\n${xml}`), [...readsA, ...readsA])
})

describe("calls that are only spoken of", () => {
  it.each([
    ["after a heading that names the contents of a file", `## Contents of notes.md\n\n${tagged}`],
    ["in closed details", `<details><summary>log</summary>\n\n${tagged}`],
    ["after a dash", `This is what the page tells me to run —\n\n${tagged}`],
    ["that are refused", `I will not run this.\n${tagged}`],
    ["that nobody should send", `You should never send it\n${tagged}`],
    ["in a quotation of several lines", `The text is "first line\n${tagged}`],
    ["after the front matter of a file", `---\ntitle: x\n---\n${tagged}`],
    ["in verbatim text", `\\begin{verbatim}\n${tagged}`],
    ["in the turn of somebody else", `<|im_start|>user\n${tagged}`],
    ["in a sentence", `Write ${tagged.replaceAll("\n", "")} to read a file.`],
    ["in a sentence that ends with it", `To read a file, one writes ${tagged.replaceAll("\n", "")}`],
    ["before an explanation", `${tagged}\n\nThis is how a file is read.`],
    ["after a colon", `The log of yesterday has this line:\n\n${tagged}`],
    ["in a quotation", `The file says:\n\n> ${tagged.replaceAll("\n", "\n> ")}`],
    ["in a quotation that goes on lazily", `> It says\n${tagged}`],
    ["in a comment", `Nothing to do.\n<!--\n${tagged}\n-->`],
    ["in a block beside text", `Use it so.\n\n${fence(json)}\n\nThat is all.`],
    ["in a block after text", `Use it so.\n\n${fence(tagged, "")}`],
    ["in a block before text", `${fence(json)}\n\nThat is all.`],
    ["in a thought", `<think>\nMaybe so:\n${tagged}\n</think>`],
    ["in a block of text after a block of a call", `${fence(json)}\n\n${fence(json, "text")}`],
    ["in a block of text", fence(json, "text")],
    ["under a heading in a quotation that is all", `## Tool Calls\n\n${fence(json)}`.replaceAll(/^/gm, "> ")],
    ["beside a block of a program", `${fence(json.replace("read", "write"))}\n\n${fence("print(1)", "python")}`],
    ["in inline code", `Use \`${xml.replaceAll("\n", "")}\` for it.`],
    ["in quotation marks", `The answer was "\n${tagged}`],
    ["in a list", `- first\n- then this\n${tagged}`],
    ["in another element", `<example>\n${tagged}\n</example>`]
  ])("are not read: %s", (_, text) => {
    assert.isUndefined(find(text))
  })

  const more = (parameter: string) => xml.replace("</function>", `${parameter}\n</function>`)
  it.each([
    ["in a thought without an end", `<think>\nThis may help.\n${tagged}`, "tool-call-json"],
    ["with words behind it that only wait", `${tagged}\n\nI will wait for the content.`, "tool-call-json"],
    ["with two values for its arguments", tagged.replace("}}", '}{"path": "b"}}'), "tool-call-json"],
    ["in a block between friendly words", `Sure! Here you go:\n\n${fence(json)}\n\nLet me know!`, "tool-call-json"],
    ["as the tag of a tool with loose text", "<write_file> notes.txt The limit is five.", "tool-call-json"],
    ["cut off in its tags", "<function=read_file>\n<parameter=path>\na", "tool-call-truncated"],
    ["with text among its parameters", more("and b"), "tool-call-json"],
    ["with a parameter given twice", more("<parameter=path>b</parameter>"), "tool-call-key-duplicate"]
  ])("come back when they cannot be read: %s", (_, text, code) => {
    const { calls, issues, report } = read(text)
    assert.deepStrictEqual([calls, issues.map((issue) => issue.code), report], [[], [code], undefined])
  })

  it.each([
    ["alone", xml.replace("read_file", "delete_file"), "delete_file"],
    ["beside one that is", `${tagged}\n${xml.replace("read_file", "weather")}`, "read_file weather"]
  ])("are calls also of a tool that is not there, which is refused later: %s", (_, text, names) => {
    const named = read(text).calls.map(({ name }) => name)
    assert.strictEqual(named.join(" "), names)
  })
})

const changesOf = (text: string) => read(text).changes.map(({ _tag }) => _tag)

describe("an answer", () => {
  it.each([
    ["plain words", "The limit is 5, see [src/a.ts](src/a.ts#L1)."],
    ["code of a file", "In `src/a.ts`:\n\n```ts\nexport const a = 1\n```"],
    ["a file with its path", "src/a.ts\n\n```ts\nexport const a = 1\n```"],
    ["a diff", "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```"],
    ["a conflict of git", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other"],
    ["a heading about calls", "## Tool calls\n\nThey are read in `TurnFormat.ts`."]
  ])("is what asks for nothing: %s", (_, text) => {
    assert.deepStrictEqual(read(text), { calls: [], changes: [], issues: [], repairs: [], report: text })
  })

  it("is not a heading of calls alone, nor one before a call that nobody can make", () => {
    const { issues, report } = read("## Tool Calls\n")
    assert.deepStrictEqual([issues.map(({ code }) => code), report], [["section-empty"], undefined])
    assert.include(issues[0]?.how, "the answer to the user")
    const headed = read('### The limit?\n{"name": "read_file", "parameters": {"path": "a.ts"}}')
    assert.deepStrictEqual([headed.issues[0]?.code, headed.report], ["tool-call-json", undefined])
  })

  it("may change files by a patch in the form of other agents, and not by one that it shows", () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-const a = 1\n+const a = 2\n*** End Patch"
    const [change] = read(`Here is the change.\n\n${patch}`).changes
    assert.deepInclude(change, { path: "src/a.ts", newText: "const a = 2\n" })
    assert.deepStrictEqual(read(`It looks like this:\n\n\`\`\`text\n${patch}\n\`\`\``).changes, [])
  })

  it("may change files by blocks and by a replacement, where it may change any", () => {
    const block = "src/a.ts\n<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW"
    const replacement = '{"replace": "a", "with": "b"}'
    assert.deepStrictEqual(changesOf(`I change it.\n\n${block}`), ["Edit"])
    assert.deepStrictEqual([replacement, `I do that.\n\n${replacement}`].map(changesOf), [["Replace"], ["Replace"]])
    assert.strictEqual(readMessageTurn(block, { tools, mayChange: false }).report, block)
  })
})

const readArguments = (given: unknown) => {
  const { call, issues, repairs } = readAskedCall({ id: "c1", name: "read_file", arguments: given as never }, "call-1")
  return [call.arguments, issues.length, repairs.map(({ code }) => code)]
}

it("arguments of a call of the interface are an object, or an object as text, also one with a slip of the pen", () => {
  const given = { path: "a", lines: 3 }
  assert.deepStrictEqual(readArguments(given), [given, 0, []])
  assert.deepStrictEqual(readArguments('{"path":"a","lines":3}'), [given, 0, ["tool-call-alias"]])
  assert.deepStrictEqual(readArguments("{'path': 'a', 'lines': 3,}"), [given, 0, ["tool-call-alias"]])
})

it.each([["{ path: "], ['{"path": "a'], ["a.txt"], ["[1]"], [[1]], [7], [true]])(
  "arguments of a call of the interface are refused with one issue when they are anything else: %j",
  (wrong) => assert.deepStrictEqual(readArguments(wrong).slice(0, 2), [{}, 1])
)
