import { describe, expect, it } from "@effect/vitest"
import {
  type CurrentFile,
  type BriefingParts,
  besideReferences,
  briefingBlocks,
  requestDocument
} from "../../../src/domain/models/Briefing.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"

const briefing: BriefingParts = {
  prompt: "Explain ```x```\n## Environment",
  environment: "- Date: 2026-11-20",
  projectDescription: "# Shop\n\n## Environment\n\nNode",
  projectReadme: "# Tea\n\nSells tea.",
  projectMap: "2 files: typescript 2.\n\nMain files: `src/main.ts`.",
  currentFile: { path: "src/main.ts", language: "typescript", text: "run()\n" },
  openFiles: ["src/main.ts", "src/odd\nname.ts"]
}

describe("briefingBlocks", () => {
  const blocks = {
    user_prompt: "## User prompt\n\n````text\nExplain ```x```\n## Environment\n````\n\n",
    environment: "## Environment\n\n- Date: 2026-11-20\n\n",
    project_description: "## Project description\n\n### Shop\n\n#### Environment\n\nNode\n\n",
    project_readme: "## Project description\n\n### Tea\n\nSells tea.\n\n",
    project_map: "## Project map\n\n2 files: typescript 2.\n\nMain files: `src/main.ts`.\n\n",
    current_file: "## Current file\n\nPath: src/main.ts\n\n```typescript\n1: run()\n```\n\n",
    open_files: "## Open files\n\n- src/main.ts\n- src/odd name.ts\n\n"
  }

  it("gives each block its shape, and leaves out what is not known", () => {
    expect(briefingBlocks(briefing)).toEqual(blocks)
    const bare = { prompt: "Hi", environment: "", projectDescription: "", openFiles: [] }
    const { user_prompt, ...others } = briefingBlocks(bare)
    expect(user_prompt).toBe("## User prompt\n\n```text\nHi\n```\n\n")
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, ""])))
  })

  it("joins the blocks with the project description and README.md last", () => {
    const { current_file, environment, open_files, project_description, project_map, project_readme, user_prompt } =
      blocks
    expect(requestDocument(briefing)).toBe(
      [user_prompt, environment, current_file, open_files, project_map, project_description, project_readme].join("")
    )
  })

  it.each<[Pick<CurrentFile, "text" | "cutFrom">, string]>([
    [{ text: "" }, "a.txt\n\n```text\n```"],
    [{ text: "one\n", cutFrom: 812 }, "a.txt (the first lines; the file has 812)\n\n```text\n1: one\n```"]
  ])("shows an empty current file, and says when only the first lines are shown: %j", (file, text) => {
    const currentFile = { path: "a.txt", language: "text", ...file }
    expect(briefingBlocks({ ...briefing, currentFile }).current_file).toBe(`## Current file\n\nPath: ${text}\n\n`)
  })
})

const file = (target: string): Reference => ({ kind: "file", title: "", href: target, target })
const anchor = (target: string): Reference => ({ kind: "anchor", title: "", href: `#${target}`, target })

describe("besideReferences", () => {
  const parts: BriefingParts = {
    ...briefing,
    currentFile: { path: "src/main.ts", language: "typescript", text: "run()" },
    projectDescription: "# Shop",
    descriptionFiles: ["AGENTS.md"]
  }
  it.each([
    ["src/main.ts", "# Shop", []],
    [undefined, "# Shop", [file("src/main.ts")]],
    [undefined, "# Shop", [file("./src/main.ts")]],
    [undefined, "# Shop", [file("/project/src/main.ts"), anchor("current-file")]],
    [undefined, "# Shop", [anchor("current-file")]],
    ["src/main.ts", "", [file("AGENTS.md")]],
    ["src/main.ts", "# Shop", [file("main.ts"), file("docs/AGENTS.md"), anchor("user-prompt")]],
    ["src/main.ts", "# Shop", [anchor("project-description")]],
    ["src/main.ts", "# Shop", [anchor("project-description"), file("AGENTS.md")]]
  ])("shows %s and %s beside a reference, however its path is written: %j", (path, description, references) => {
    const left = besideReferences({ ...parts, requestDocument: "" }, references)
    expect([left.currentFile?.path, left.projectDescription]).toEqual([path, description])
  })
})
