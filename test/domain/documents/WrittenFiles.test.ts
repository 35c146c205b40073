import { describe, expect, it } from "@effect/vitest"
import { readMessageTurn } from "../../../src/domain/conversation/MessageTurn.ts"
import { readTurn } from "../../../src/domain/documents/TurnFormat.ts"
import { lossOf, tidyNewText } from "../../../src/domain/files/NewText.ts"
import { splitLoneClosing } from "../../../src/domain/models/ThinkingSplit.ts"
import { taskFor } from "../../support/sampleTasks.ts"

const given = { task: taskFor("edit-files", "Change it."), inputs: [], kept: [], mayChange: true, paths: new Map() }
const read = (answer: string) => readTurn(answer, given)
const hear = (answer: string) => readMessageTurn(answer, { mayChange: true, tools: new Set(["run_command"]) })

const call = '{"name": "run_command", "arguments": {"command": ["rm", "a"]}}'

/** Texts of files that look like a part of an answer. */
const texts: ReadonlyArray<readonly [path: string, text: string]> = [
  ["README.md", "# Tool\n\nMIT\n"],
  ["README.md", "## Result summary\n\nAll is well.\n"],
  ["README.md", "## Tool Calls\n\nThey are made.\n"],
  ["README.md", `## Tool Calls\n\n\`\`\`json\n${call}\n\`\`\`\n`],
  ["README.md", "# A\n\n```sh\nnpm ci\n```\n\n## B\n\n```js\nrun()\n```\n"],
  ["README.md", "# A\n\nInstall:\n\n```\nnpm ci\n```\n\n## B\n"],
  ["README.md", "~~~\nx\n~~~\n\n# A\n"],
  ["README.md", "Title\n=====\n\nText\n"],
  ["README.md", "Title\n---\n\n- **Name** x\n- **Skill** y\n"],
  ["post.md", '---\ntitle: "A"\n---\n\n# A\n'],
  ["page.html", "<!-- ## Tool Calls -->\n<details>\n<summary>x</summary>\n</details>\n"],
  ["notes.md", "<!--\n## Tool Calls\n-->\n\n# A\n"],
  ["prompt.txt", "<think>\nFirst this.\n</think>\nThen that.\n"],
  ["prompt.txt", "<thinking>\nIt never ends.\n"],
  ["prompt.txt", "Before\n</think>\nafter\n"],
  ["chat.py", 'TAG = """\n<think>\n"""\nEND = "</think>"\n'],
  ["chat.py", 'text = """\n</think>\n## Result summary\n"""\n'],
  ["tokens.txt", "<|im_start|>user\nHello<|im_end|>\n"],
  ["tokens.txt", "[THINK]a[/THINK]\n<|channel|>final<|message|>b<|return|>\n"],
  ["calls.md", `<tool_call>\n${call}\n</tool_call>\n`],
  ["calls.md", `[TOOL_CALLS][${call}]\n`],
  ["data.json", '{"replace": "a", "with": "b"}\n'],
  ["call.json", `${call}\n`],
  ["fix.patch", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"],
  ["merge.txt", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"],
  ["list.md", "- [ ] **What is needed** x\n- [x] done\n"],
  ["labels.txt", "Other options…\nExisting users…\nRemaining time...\n"]
]

/** The ways in which an answer writes a file; marks and fences have another length than those of its text. */
const forms: Readonly<Record<string, (path: string, text: string) => string>> = {
  "a whole file at the front": (path, text) => `${path}\n\`\`\`\`\`\n${text}\`\`\`\`\`\n`,
  "a whole file with a type": (path, text) => `${path}\n\`\`\`\`\`${path.split(".").at(-1)}\n${text}\`\`\`\`\`\n`,
  "a whole file behind words": (path, text) => `I write it.\n\n### \`${path}\`\n\n~~~~~\n${text}~~~~~\n`,
  "a new part": (path, text) => `${path}\n<<<<<<<<< OLD\nold\n=========\n${text}>>>>>>>>> NEW\n`,
  "an old part": (path, text) => `${path}\n<<<<<<<<< OLD\n${text}=========\nnew\n>>>>>>>>> NEW\n`,
  "a part in a fence": (path, text) =>
    `${path}\n\`\`\`\`\`\n<<<<<<<<< OLD\nold\n=========\n${text}>>>>>>>>> NEW\n\`\`\`\`\`\n`
}

/** What may stand around that. */
const frames: Readonly<Record<string, (answer: string) => string>> = {
  nothing: (answer) => answer,
  "a thought": (answer) => `<think>\nI write it:\n\`\`\`\nx\n\`\`\`\n</think>\n\n${answer}`,
  "a report": (answer) => `${answer}\n## Result summary\n\nIt is written.\n`,
  "a wrapper": (answer) => `\`\`\`\`\`\`markdown\n## Changes\n\n${answer}\`\`\`\`\`\`\n`,
  "another file": (answer) => `src/new.js\n\`\`\`js\nexport const a = 1\n\`\`\`\n\n${answer}`,
  "line ends of Windows": (answer) => answer.replaceAll("\n", "\r\n")
}

const isSkipped = (form: string, text: string): boolean =>
  /* Of what has marks of this length, or a diff as its type, one part cannot be told from another. */
  form.includes("part") && /^={9}$/m.test(text)

describe("the text of a file in an answer", () => {
  it.each(texts)("stays as it is in %s: %j", (path, text) => {
    for (const [form, write] of Object.entries(forms)) {
      if (isSkipped(form, text)) continue
      const isPart = form.includes("part")
      const expected = form === "an old part" ? [text, "new\n"] : isPart ? ["old\n", text] : text
      for (const [name, frame] of Object.entries(frames)) {
        for (const reader of isPart ? [read, hear] : [read]) {
          const { calls, changes, issues } = reader(frame(write(path, text)))
          const written = changes
            .filter((change) => "path" in change && change.path === path)
            .map((change) =>
              change._tag === "Edit" ? [change.oldText, change.newText] : change._tag === "File" ? change.text : change
            )
          expect([written, calls, issues], `${form} within ${name}`).toEqual([[expected], [], []])
        }
      }
    }
  })

  it.each([
    ["`markdown", "# A\n\nInstall:\n\n```\nnpm ci\n```\n\n## B\n"],
    ["`markdown", "# A\n\n```sh\nnpm ci\n```\n\nText.\n"],
    ["`md", "# A\n\nFirst:\n\n```\na\n```\n\nSecond:\n\n```\nb\n```\n"],
    ["`", "# A\n\nInstall:\n```\nnpm ci\n```\n\n## B\n"],
    ["`python", '"""\nFor example:\n\n```\nrun()\n```\n\n"""\n']
  ])("holds fences of the length of its own, ``%s, %j", (info, text) => {
    const path = info === "`python" ? "a.py" : "README.md"
    const answer = `${path}\n\`\`${info}\n${text}\`\`\`\n\nsrc/new.js\n\`\`\`js\na()\n\`\`\`\n\n## Result summary\n\nDone.\n`
    expect(read(answer).changes).toMatchObject([
      { path, text },
      { path: "src/new.js", text: "a()\n" }
    ])
  })

  it("is an issue when fences of one length leave open where it ends", () => {
    for (const text of ["Install:\n```\nnpm ci\n```\nThen:\n```\nnpm t\n", "Install:\n\n```\nnpm ci\n"]) {
      const { changes, issues } = read(`README.md\n\`\`\`markdown\n${text}\`\`\`\n`)
      expect([changes, issues.map(({ code }) => code)]).toEqual([[], ["change-unfinished"]])
    }
  })

  it("is no file in a thought, a report or a fence that quotes", () => {
    const draft = "src/a.js\n```js\na()\n```\n"
    for (const answer of [
      `<think>\n${draft}</think>\n\n## Result summary\n\nDone.\n`,
      `## Result summary\n\nDone:\n\n${draft}`,
      `Write it like this:\n\n\`\`\`\`text\n${draft}\`\`\`\`\n\n## Result summary\n\nDone.\n`
    ])
      expect(read(answer).changes).toEqual([])
  })

  it("does not end the thoughts of a server that drops the opening tag", () => {
    const block = "a.txt\n<<<<<<< OLD\na\n=======\n</think>\n>>>>>>> NEW\n"
    expect(splitLoneClosing(block)).toEqual({ thinking: "", text: block })
    expect(splitLoneClosing(`I will.\n</think>\n${block}`)).toEqual({ thinking: "I will.", text: block.trimStart() })
  })

  it("is not taken for marks where it underlines a title in code", () => {
    const newText = '"""\nResults\n=======\n\nNone.\n"""\n'
    expect(tidyNewText({ path: "a.py", base: null, newText })).toEqual({ newText, removedParts: [] })
  })
})

const elided = (path: string, line: string, request = "") =>
  lossOf({ path, request, oldText: "a\n", newText: `a\n${line}\n` }, true)?.code

describe("a line that may stand for others", () => {
  it.each([
    ["menu.jsx", "      Other options…"],
    ["index.html", "<li>Remaining items…</li>"],
    ["App.vue", "  Same procedure as every year..."],
    ["README.md", "# Existing features…"],
    ["README.md", "... and the rest is silence."],
    ["README.md", "…and other stories"],
    ["notes.txt", "The rest is silence..."],
    ["strings.json", "  Other options…"],
    ["a.csv", "Other things..."],
    ["a.ts", '  "Other options…",'],
    ["a.ts", "  Previous page…"],
    ["page.tex", "Other results..."],
    ["settings", "Other options…"]
  ])("is text in %s: %s", (path, line) => expect(elided(path, line)).toBeUndefined())

  /* test/domain/files/Loss.test.ts has the forms in JavaScript. */
  it.each([
    ["a.ts", "rest of the code..."],
    ["a.py", "    # remaining methods stay the same"],
    ["a.sql", "-- ... rest of the query"],
    ["a.html", "<!-- ... rest of the page ... -->"],
    ["a.jsx", "{/* ... other items ... */}"],
    ["a.jsx", "... existing code ..."],
    ["README.md", "<!-- rest of the file is unchanged -->"],
    ["README.md", "[... existing content ...]"],
    ["README.md", "... (rest of the document) ..."],
    ["a.json", "... existing lines ..."]
  ])("stands for others in %s: %s", (path, line) => expect(elided(path, line)).toBe("change-elided"))

  it.each([
    ["a.ts", "// Other options…", 'Add the comment "// Other options…" above the menu.'],
    ["a.ts", "// Other options...", "Add the comment `Other options…` above the menu"],
    ["a.py", "# ... existing code ...", 'Write the sentinel "# ... existing code ..." into the template.']
  ])("is text where the request quotes it, in %s: %s", (path, line, request) => {
    expect(elided(path, line)).toBe("change-elided")
    expect(elided(path, line, request)).toBeUndefined()
    expect(elided(path, line, `Never write ${request.slice(request.search(/["`]/))}`)).toBe("change-elided")
  })
})
