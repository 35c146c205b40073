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

const currentFileBlock = (currentFile: CurrentFile) => briefingBlocks({ ...briefing, currentFile }).current_file

describe("briefingBlocks", () => {
  it("gives each block its shape", () => {
    expect(briefingBlocks(briefing)).toEqual({
      user_prompt: "## User prompt\n\n````text\nExplain ```x```\n## Environment\n````\n\n",
      environment: "## Environment\n\n- Date: 2026-11-20\n\n",
      project_description: "## Project description\n\n### Shop\n\n#### Environment\n\nNode\n\n",
      project_readme: "## Project description\n\n### Tea\n\nSells tea.\n\n",
      project_map: "## Project map\n\n2 files: typescript 2.\n\nMain files: `src/main.ts`.\n\n",
      current_file: "## Current file\n\nPath: src/main.ts\n\n```typescript\n1: run()\n```\n\n",
      open_files: "## Open files\n\n- src/main.ts\n- src/odd name.ts\n\n"
    })
  })

  it("leaves out what is not known", () => {
    expect(briefingBlocks({ prompt: "Hi", environment: "", projectDescription: "", openFiles: [] })).toEqual({
      user_prompt: "## User prompt\n\n```text\nHi\n```\n\n",
      environment: "",
      project_description: "",
      project_readme: "",
      project_map: "",
      current_file: "",
      open_files: ""
    })
  })

  it("shows an empty current file, and says when only the first lines are shown", () => {
    expect(currentFileBlock({ path: "a.txt", language: "text", text: "" })).toBe(
      "## Current file\n\nPath: a.txt\n\n```text\n```\n\n"
    )
    expect(currentFileBlock({ path: "a.txt", language: "text", text: "one\n", cutFrom: 812 })).toBe(
      "## Current file\n\nPath: a.txt (the first lines; the file has 812)\n\n```text\n1: one\n```\n\n"
    )
  })
})

describe("requestDocument", () => {
  it("joins the blocks with the project description and README.md last", () => {
    const { current_file, environment, open_files, project_description, project_map, project_readme, user_prompt } =
      briefingBlocks(briefing)
    expect(requestDocument(briefing)).toBe(
      [user_prompt, environment, current_file, open_files, project_map, project_description, project_readme].join("")
    )
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
  const shown = (...references: ReadonlyArray<Reference>) => {
    const left = besideReferences({ ...parts, requestDocument: "" }, references)
    return [left.currentFile?.path, left.projectDescription]
  }

  it("leaves out what a reference shows, however its path is written", () => {
    expect(shown()).toEqual(["src/main.ts", "# Shop"])
    expect(shown(file("src/main.ts"))).toEqual([undefined, "# Shop"])
    expect(shown(file("./src/main.ts"))).toEqual([undefined, "# Shop"])
    expect(shown(file("/project/src/main.ts"), anchor("current-file"))).toEqual([undefined, "# Shop"])
    expect(shown(anchor("current-file"))).toEqual([undefined, "# Shop"])
    expect(shown(file("AGENTS.md"))).toEqual(["src/main.ts", ""])
    expect(shown(file("main.ts"), file("docs/AGENTS.md"), anchor("user-prompt"))).toEqual(["src/main.ts", "# Shop"])
  })

  it("keeps the description that a reference points to", () => {
    expect(shown(anchor("project-description"))).toEqual(["src/main.ts", "# Shop"])
    expect(shown(anchor("project-description"), file("AGENTS.md"))).toEqual(["src/main.ts", "# Shop"])
  })
})
