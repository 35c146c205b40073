/**
 * What documents are made of, and what is awkward in markdown, as pieces of texts that were made to break a reader.
 */

// oxfmt-ignore
export const markdownTokens: ReadonlyArray<string> = [
  "word", "Find the loader", " ", "  ", "\t", "\n", "\n\n", "\n  ", "\n    ", "`", "``", "```", "````", "~~~",
  "\n```\n", "\n```ts\n", "\n~~~\n", "\n- ```\n", "- ", "* ", "+ ", "1. ", "12) ", "\n- ", "\n1. ", "#", "## ",
  "\n# ", "\n## Tasks\n", "\n### Task section 2\n", "\n**Tasks**\n", "\nTasks\n---\n", "**", "__", "*", "_", "[",
  "]", "(", ")", "[a](b)", "![i](j)", "<", ">", "<div", "\n<div hidden>\n", "\n<details>\n", "\n<!--\n",
  "\n-->\n", "<span hidden>", "<think>", "\n<think>\n", "\n</think>\n", "<!-- x -->", "<br>", "&amp;", "&", '\\',
  '\\\\', "\n\\# x", "\n\\- ", ":", "：", "-", "---", "\n---\n", "***", "===", "\n===\n", "|", "\n> ", "> ",
  "**Name** x", "\n- **Name** x", "\n- **Skill** y\n", "\n**Skill** z", "\n- Skill: q\n", "\nReferences: none",
  "\n- **Output** o", "\n- **Other** p", "\n- [ ] t", "What is needed", "\nExpected output: w\n", "“", "”", '"',
  "'", "é", "日本", "🎯", "\u00a0", "\u200b", "\u2028", "\ufeff", "{user_prompt}", "output:x",
  "https://e.x/?a=b&c=(d)"
]

const labels =
  "Name|What is needed|Skill|References|Expected output|Requires user approval|Output|Other|skill|What is|Expected ouput"
const headings =
  "Original prompt|Goals / summary|Tasks|Task section 1|Task section 2|Task|Tool Calls|Result summary|Notes|Summary|Task list"
const targets =
  "#a-results|#A 1-results|output:a|task://a.md|src/a.ts#L1-L2|src/|*.ts||ftp://a|https://|a b.md|%zz|#|file:///a|a:1"

/** Pieces of documents of every kind. */
export const documentTokens: ReadonlyArray<string> = [
  ...markdownTokens,
  ...labels
    .split("|")
    .flatMap((label) => [
      `\n- **${label}** `,
      `\n- **${label}:** x`,
      `\n  - **${label}** y`,
      `\n${label}: z`,
      `\n1. **${label}**: `,
      `\n- **${label} w`,
      `\n**${label}**`
    ]),
  ...headings
    .split("|")
    .flatMap((text) => [
      `\n## ${text}\n`,
      `\n### ${text}\n`,
      `\n# ${text}\n`,
      `\n**${text}**\n`,
      `\n${text}\n---\n`,
      `\n##${text}\n`
    ]),
  ...targets
    .split("|")
    .flatMap((target) => [
      `[x](${target})`,
      `**[x]**(${target})`,
      `\`[x](${target})\``,
      `[x] (${target})`,
      `[](${target})`
    ]),
  ..."{ } [ ] , : \" ' “ ” // /* \\ \\u12 \\ud800 null True 1e400 9007199254740993 -0 01 ... [TOOL_CALLS] <function=a>".split(
    " "
  ),
  ...'"uid": "a"|"name": "read_file"|"arguments": {|"arguments": {}|"args": "x"|"__proto__": {}|"path": "a.ts"'.split(
    "|"
  ),
  '{"name":"read_file","arguments":{"path":"a"}}',
  "\n<tool_call>\n",
  "\n</tool_call>\n",
  "\n```json\n{",
  "}\n```\n",
  "read_file(a)"
]
