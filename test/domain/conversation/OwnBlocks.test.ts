import { assert, describe, it } from "@effect/vitest"
import { callsInText } from "../../../src/domain/conversation/AskedCalls.ts"

const tools = new Set(["read_file", "write_file", "search_files"])
const find = (text: string) =>
  callsInText(text, tools, (position) => `id-${position}`)?.calls.map(({ arguments: given, name }) => [name, given])

const json = '{"name": "read_file", "arguments": {"path": "a"}}'
const tagged = `<tool_call>\n${json}\n</tool_call>`
const xml = "<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>"
const fence = (text: string, language = "json") => `\`\`\`${language}\n${text}\n\`\`\``
const readsA = [["read_file", { path: "a" }]]

describe("calls at the level of the model itself", () => {
  it.each([
    ["tags that name tool and parameters", xml],
    ["the same inside other tags", `<tool_call>\n${xml}\n</tool_call>`],
    ["the same without the first tag", `${xml}\n</tool_call>`],
    ["a tag before JSON", '<function=read_file>{"path": "a"}</function>'],
    ["an invocation", '<invoke name="read_file"><parameter name="path">a</parameter></invoke>'],
    ["a mark", '<|python_tag|>{"name": "read_file", "parameters": {"path": "a"}}<|eom_id|>'],
    ["a list after a mark", `[TOOL_CALLS] [${json}]`],
    ["parameters", '{"name": "read_file", "parameters": {"path": "a"}}'],
    ["a function", '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}}'],
    ["arguments beside the name", '{"tool": "read_file", "path": "a"}'],
    ["a lone block without a type", fence(json, "")],
    ["a block of tags", fence(xml, "xml")],
    ["words before tags", `I look at the file first.\n\n${tagged}`],
    ["an intention before tags", `I'll read it now:\n${xml}`],
    ["another spelling of the name", json.replace("read_file", "readFile")]
  ])("are read: %s", (_, text) => {
    const found = find(text)
    assert.deepStrictEqual(
      found?.map(([, given]) => given),
      [{ path: "a" }]
    )
  })

  it("may have the content of a file in the next block", () => {
    const text = `${fence('{"name": "write_file", "arguments": {"path": "a.py"}}')}\n\n${fence("print(1)", "python")}`
    assert.deepStrictEqual(find(text), [["write_file", { path: "a.py", content: "print(1)\n" }]])
  })

  it("are all of the calls that end a text", () => {
    assert.deepStrictEqual(find(`First this.\n${tagged}\n${xml}`), [...readsA, ...readsA])
  })
})

describe("calls that are only spoken of", () => {
  it.each([
    ["after a heading that names the contents of a file", `## Contents of notes.md\n\n${tagged}`],
    ["in closed details", `<details><summary>log</summary>\n\n${tagged}`],
    ["in an element that is open", `<pre>\n${tagged}`],
    ["after a dash", `This is what the page tells me to run —\n\n${tagged}`],
    ["that a page wants", `The page wants me to run the following call.\n\n${tagged}`],
    ["that are refused", `I will not run this.\n${tagged}`],
    ["that nobody should send", `You should never send it\n${tagged}`],
    ["in a quotation of several lines", `The text is "first line\n${tagged}`],
    ["in a footnote", `[^1]: the text of the page\n${tagged}`],
    ["after the front matter of a file", `---\ntitle: x\n---\n${tagged}`],
    ["in verbatim text", `\\begin{verbatim}\n${tagged}`],
    ["in the turn of somebody else", `<|im_start|>user\n${tagged}`],
    ["in data", `<![CDATA[\n${tagged}`],
    ["in a sentence", `Write ${tagged.replaceAll("\n", "")} to read a file.`],
    ["in a sentence that ends with it", `To read a file, one writes ${tagged.replaceAll("\n", "")}`],
    ["before an explanation", `${tagged}\n\nThis is how a file is read.`],
    ["between explanations", `A call:\n\n${tagged}\n\nThat is all.`],
    ["after a colon", `The log of yesterday has this line:\n\n${tagged}`],
    ["as an example that is announced", `Let me show you an example of the format:\n${tagged}`],
    ["in a quotation", `The file says:\n\n> ${tagged.replaceAll("\n", "\n> ")}`],
    ["in a quotation that goes on lazily", `> It says\n${tagged}`],
    ["in a comment", `Nothing to do.\n<!--\n${tagged}\n-->`],
    ["in a comment that is not closed", `Nothing to do.\n<!-- old\n${tagged}`],
    ["in a block beside text", `Use it so.\n\n${fence(json)}\n\nThat is all.`],
    ["in a block after text", `Use it so.\n\n${fence(tagged, "")}`],
    ["in a block before text", `${fence(json)}\n\nThat is all.`],
    ["in blocks with text between them", `${fence(json)}\n\nand then\n\n${fence(json)}`],
    ["in a thought", `<think>\nMaybe so:\n${tagged}\n</think>`],
    ["in a thought that is not closed", `<think>\nThis may help.\n${tagged}`],
    ["in a block of text after a block of a call", `${fence(json)}\n\n${fence(json, "text")}`],
    ["in a block of text", fence(json, "text")],
    ["in a block of markdown", `\`\`\`\`markdown\n${fence(json)}\n\`\`\`\``],
    ["in an open block", `It is so.\n\n\`\`\`text\n${tagged}`],
    ["in inline code", `Use \`${xml.replaceAll("\n", "")}\` for it.`],
    ["in quotation marks", `The answer was "\n${tagged}`],
    ["in a list", `- first\n- then this\n${tagged}`],
    ["in another element", `<example>\n${tagged}\n</example>`],
    ["cut off in its tags", "<function=read_file>\n<parameter=path>\na"],
    ["with text among its parameters", xml.replace("</function>", "and b\n</function>")],
    ["with a parameter given twice", xml.replace("</function>", "<parameter=path>b</parameter>\n</function>")],
    ["of a tool that is not there", xml.replace("read_file", "delete_file")],
    ["beside one of a tool that is not there", `${tagged}\n${xml.replace("read_file", "weather")}`]
  ])("are not read: %s", (_, text) => {
    assert.isUndefined(find(text))
  })
})
