/**
 * The parsers of files that a person, a project or an earlier run has left: configuration, policies, skills, journals, prompt
 * templates, settings of git, and the files from which the map of a project is made.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { personalKeys, readConfiguration } from "../../src/domain/configuration/Configuration.ts"
import { filesNamedByGit, gitFolderNamed, gitSettings } from "../../src/domain/files/GitConfig.ts"
import { jsonScripts, recipeTargets } from "../../src/domain/map/ProjectCommands.ts"
import {
  parseTemplate,
  templatePlaceholders,
  userPartMarker,
  fillTemplate
} from "../../src/domain/models/PromptTemplate.ts"
import { readPolicies, renderPolicies } from "../../src/domain/permissions/PolicyFormat.ts"
import { readSkill } from "../../src/domain/skills/SkillFormat.ts"
import { firstSum, readRecord, decodeLine } from "../../src/services/journal/JournalLine.ts"
import { encodeLine } from "../support/encodeLine.ts"
import { oneOfEach } from "../support/Journals.ts"
import type { FuzzedParser } from "./FuzzParsers.ts"
import { json, jsonTokens, words } from "./jsonTokens.ts"
import { crc32 } from "node:zlib"

const root = join(import.meta.dirname, "../..")
const textsBelow = (folder: string, name: RegExp): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .map((file) => readFileSync(join(root, folder, file), "utf8"))

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const configuration: FuzzedParser = {
  name: "configuration",
  valid: [
    '{ "model": "qwen3:8b", "parallel": 2, "limits": { "rounds": 3 } }',
    '{ "allow": ["read_file:src/**"], "deny": ["fetch_url"], "sandbox": { "mode": "required", "readable": ["~/.npm"] } }',
    '{ "tools": { "run_tests": { "description": "Runs.", "command": ["npm", "test", "{file}"], "parameters": { "type": "object", "properties": { "file": { "type": "string" } } } } } }',
    '{ "mcpServers": { "a": { "command": "node", "args": ["s.js"], "env": { "A": "${B:-c}" } } }, "stages": { "creation": { "think": true } } }'
  ],
  tokens: [...jsonTokens, ...personalKeys.map((key) => `"${key}": `), '"limits": {', '"sampling": {', '"sandbox": {'],
  accepts: (text) => Result.isSuccess(readConfiguration(text, "user")),
  defect: (text) => {
    const user = readConfiguration(text, "user")
    const project = readConfiguration(text, "project")
    if (Result.isFailure(user) && user.failure.length === 0) return "refused without a reason"
    if (Result.isFailure(project) && project.failure.length === 0) return "refused without a reason"
    if (Result.isSuccess(project) && personalKeys.some((key) => Object.hasOwn(project.success, key)))
      return "a project sets what only a person may"
    return Result.isSuccess(project) && Result.isFailure(user) ? "a project may set what a person may not" : undefined
  }
}

const policies: FuzzedParser = {
  name: "policies",
  valid: [
    '{ "version": 1, "rules": [{ "verdict": "allow", "tool": "read_file", "pattern": "src/**" }] }',
    '{ "version": 1, "rules": [{ "verdict": "deny", "tool": "fetch_url" }, { "verdict": "allow", "tool": "mcp__a__b", "pin": { "definition": "x", "origin": "mcp:a" }, "rememberedAt": "2026-11-21T10:00:00Z" }] }'
  ],
  tokens: [
    ...jsonTokens,
    '"version": 1',
    '"rules": [',
    '"verdict": "allow"',
    '"tool": "run_command"',
    '"pattern": "**"'
  ],
  accepts: (text) => Result.isSuccess(readPolicies(text)),
  defect: (text) => {
    const read = readPolicies(text)
    if (Result.isFailure(read)) return read.failure.what === "" ? "refused without a reason" : undefined
    const again = readPolicies(renderPolicies(read.success))
    return Result.isSuccess(again) && json(again.success) === json(read.success) ? undefined : "written as other rules"
  }
}

const skills: FuzzedParser = {
  name: "skills",
  valid: textsBelow("skills", /SKILL\.md$/),
  tokens: [
    "---\n",
    "name: ",
    "description: ",
    "allowed-tools: ",
    "metadata:\n",
    "  task-conductor.passes: ",
    "&a ",
    "*a",
    "<<: ",
    "!!js ",
    "? ",
    "|\n",
    "- ",
    "## Refinement\n",
    "## Execution\n",
    "Bash(git:*)",
    "%YAML 1.2\n"
  ],
  accepts: (text) => Option.isSome(readSkill(bytesOf(text), "read-code").value),
  defect: (text) => {
    const { issues, value } = readSkill(bytesOf(text), "read-code")
    return Option.isNone(value) && issues.length === 0 ? "neither a skill nor an issue" : undefined
  }
}

const names = Object.keys(templatePlaceholders) as ReadonlyArray<keyof typeof templatePlaceholders>

const templates: FuzzedParser = {
  name: "prompt templates",
  valid: textsBelow("prompts", /\.md$/),
  tokens: [
    `\n${userPartMarker}\n`,
    ...Object.values(templatePlaceholders)
      .flat()
      .flatMap((name) => [`{${name}}`, `\n{#${name}}\n`, `\n{/${name}}\n`])
  ],
  accepts: (text) => names.some((name) => Option.isSome(parseTemplate(name, text).value)),
  defect: (text) => {
    for (const name of names) {
      const { issues, value } = parseTemplate(name, text)
      if (Option.isNone(value) && issues.length === 0) return "neither a template nor an issue"
      if (Option.isNone(value)) continue
      const values = Object.fromEntries(templatePlaceholders[name].map((one) => [one, "{#user_prompt} {user_prompt}"]))
      const { system, user } = fillTemplate(value.value, values as never)
      const places = [...value.value.system, ...value.value.user].filter(({ _tag }) => _tag === "Slot").length
      const kept = `${system}\n${user}`.split("{#user_prompt} {user_prompt}").length - 1
      if (kept !== places) return "a value was read as a part of the template"
    }
    return undefined
  }
}

const sealed = (record: string): string => {
  const body = `{"seq":1,"at":"2026-11-20T18:30:00.000Z","record":${record}`
  const sum = crc32(firstSum + body)
    .toString(16)
    .padStart(8, "0")
  return `${body},"sum":"${sum}"}`
}

const place = { seq: 1, at: "2026-11-20T18:30:00.000Z", before: firstSum }

const journals: FuzzedParser = {
  name: "journal",
  valid: oneOfEach.map((record) => JSON.stringify(record)),
  tokens: [
    ...jsonTokens,
    '"type":"event"',
    '"type":"intent"',
    '"key":"a"',
    '"event":{"type":"x"',
    '},"sum":"00000000"}'
  ],
  accepts: (text) => {
    const line = decodeLine(sealed(text), { seq: 1, before: firstSum })
    return typeof line !== "string" && readRecord(line) !== undefined
  },
  defect: (text) => {
    /* As it is, and with the sum that anybody can compute. */
    if (typeof decodeLine(text, { seq: 1, before: firstSum }) !== "string") return "an unsealed line is taken"
    const line = decodeLine(sealed(text), { seq: 1, before: firstSum })
    const record = typeof line === "string" ? undefined : readRecord(line)
    if (record === undefined) return undefined
    const again = decodeLine(encodeLine(record, place).text, { seq: 1, before: firstSum })
    if (typeof again === "string") return "what was read cannot be written"
    return json(readRecord(again)) === json(record) ? undefined : "what was read is written as something else"
  }
}

export const gitParser: FuzzedParser = {
  name: "git configuration",
  valid: [
    '[core]\n\thooksPath = .hooks\n\tfsmonitor = "sh -c \\"x\\""\n[alias "a"]\n\tb = !run.sh # c\n',
    '[include]\n  path = ../more\n[includeIf "gitdir:~/x/"]\n  path = y\n[filter "lfs"] clean = git-lfs clean -- %f\n',
    "; a\n[core] # b \\\nhooksPath = x \\\n y ; c \\\nfsmonitor\n[a][core]pager=less\n"
  ],
  tokens: [
    ...words('[core] "] hookspath clean path \\" \\t'),
    ...'[alias]\n|[filter "| = |\nfsmonitor|# |; |\\\n|gitdir: |!sh |\n|\r\n|\n[a.B]|x = 1\n'.split("|")
  ],
  accepts: (text) => gitSettings(text).length > 0,
  defect: (text) => {
    gitFolderNamed(text)
    if (gitSettings(text).some(({ key }) => !/^.*\.[a-z][\w-]*$/s.test(key))) return "a key without a section or a name"
    return filesNamedByGit(text).some(({ path }) => path === "") ? "a file without a name" : undefined
  }
}

const manifests: FuzzedParser = {
  name: "files of the map",
  valid: [
    '{ "scripts": { "test": "vitest run", "build": "tsc" } }',
    "test: build\n\tnpm test\n\n.PHONY: test\n",
    "# Runs the tests\ntest *args:\n  cargo test\n"
  ],
  tokens: [...jsonTokens, "\n\t", ": ", ":=", "$(X)", "test", "build", '"scripts": {', ".PHONY"],
  accepts: (text) => recipeTargets({ path: "Makefile", text, files: new Set() }).length > 0,
  defect: (text) => {
    for (const path of ["Makefile", "justfile"]) recipeTargets({ path, text, files: new Set() })
    jsonScripts({ path: "package.json", text, files: new Set() })
    return undefined
  }
}

export const fileParsers: ReadonlyArray<FuzzedParser> = [
  configuration,
  policies,
  skills,
  templates,
  journals,
  gitParser,
  manifests
]
