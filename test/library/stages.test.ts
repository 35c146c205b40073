import { assert, beforeEach, describe, it } from "@effect/vitest"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { execute, iterate, NoValidPlan, refine } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { failureOf } from "../support/LibraryWorld.ts"
import { planOf, refinementWith, resultSaying, testSkills } from "../support/TestRun.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`

for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)
sandbox.write("project/port.ts", "export const port = 8042\n")
beforeEach(() => rmSync(`${project}/new.txt`, { force: true }))

/** A model that gives these answers, the last one again and again; `prompts` is what it was sent. */
const saying = (...answers: ReadonlyArray<string>) => {
  const prompts: Array<string> = []
  const model = ScriptedModel.layer(({ user }, index) => {
    prompts.push(user)
    return answers[index] ?? answers.at(-1) ?? ""
  })
  return { prompts, options: { project, model } }
}

const plan = planOf([
  [{ name: "Read 1", skill: "any" }],
  [{ name: "Sum 1", skill: "any", references: "[read](#read-1-results) [port](port.ts)" }]
])
const results = { "Read 1": resultSaying("The port is 8042.") }
const readPort = refinementWith([{ name: "read_file", arguments: { path: "port.ts" } }])

describe("refine", () => {
  it("gives the refinement of one task, with the results that it refers to in its prompt", async () => {
    const { options, prompts } = saying(readPort)
    const markdown = await refine({ ...options, plan, task: "sum-1", results })
    assert.include(markdown, "- **Name** Sum 1")
    assert.include(markdown, '"path": "port.ts"')
    assert.strictEqual(prompts.length, 1)
    assert.include(prompts[0], "The port is 8042.")
    assert.include(prompts[0], "export const port = 8042")
  })

  it("asks again with the issues, and rejects when no answer is valid", async () => {
    const wrong = refinementWith([{ name: "read_this", arguments: { path: "port.ts" } }])
    const { options, prompts } = saying(wrong, readPort)
    assert.include(await refine({ ...options, plan, task: "Read 1" }), '"read_file"')
    assert.include(prompts[1], 'There is no tool "read_this".')
    const error = await failureOf(refine({ ...saying(wrong).options, plan, task: "Read 1" }))
    assert.include(String(error), 'Task refinement: "Read 1"')
  })

  it("says which result is missing, which tasks there are, and what is wrong with the plan", async () => {
    const { options, prompts } = saying(readPort)
    assert.include(String(await failureOf(refine({ ...options, plan, task: "Sum 1" }))), "read-1.md")
    assert.include(String(await failureOf(refine({ ...options, plan, task: "Sum 2" }))), "There are: Read 1, Sum 1.")
    const empty = refine({ ...options, plan, task: "Sum 1", results: { "Read 1": "Nothing." } })
    assert.include(String(await failureOf(empty)), 'The result "Read 1" cannot be read.')
    const invalid = planOf([[{ name: "Read 1", skill: "guess" }]])
    const error = await failureOf(refine({ ...options, plan: invalid, task: "Read 1" }))
    assert.instanceOf(error, NoValidPlan)
    assert.deepStrictEqual(error instanceof NoValidPlan ? error.issues.map(({ code }) => code) : [], ["skill-unknown"])
    assert.deepStrictEqual(prompts, [])
  })
})

const taskWith = (call: string, references = ""): string =>
  `## Task\n\n- **What is needed** Do it.\n- **Skill** any\n${references}- **Expected output** A word.\n\n${call}\n`
const writing = taskWith(refinementWith([{ name: "write_file", arguments: { path: "new.txt", content: "new" } }]))

describe("execute", () => {
  it("makes the calls and gives the result with what came back", async () => {
    const { options, prompts } = saying(resultSaying("It is 8042."))
    const executed = await execute({ ...options, refinement: taskWith(readPort), allow: ["read_file"] })
    assert.deepStrictEqual([executed.status, executed.message], ["done", ""])
    assert.strictEqual(executed.markdown, resultSaying("It is 8042.").trim())
    assert.deepStrictEqual(
      executed.calls.map(({ call, result }) => [call.name, result.success]),
      [["read_file", true]]
    )
    assert.include(prompts[0], "export const port = 8042")
  })

  it("changes nothing that is not approved, and asks about the concrete calls", async () => {
    const { options, prompts } = saying(resultSaying("Written."))
    const denied = await execute({ ...options, refinement: writing })
    assert.deepStrictEqual([denied.status, denied.markdown, denied.calls], ["not_permitted", "", []])
    assert.isFalse(existsSync(`${project}/new.txt`))
    assert.lengthOf(prompts, 1)
    const asked: Array<string> = []
    const approve = ({ items }: { readonly items: ReadonlyArray<{ readonly tool: string }> }) => {
      asked.push(...items.map(({ tool }) => tool))
      return true
    }
    const { status } = await execute({ ...options, refinement: writing, approve })
    assert.deepStrictEqual([status, asked], ["done", ["write_file"]])
    assert.strictEqual(readFileSync(`${project}/new.txt`, "utf8"), "new")
  })

  it("needs the results that the task refers to", async () => {
    const { options, prompts } = saying(resultSaying("Done."))
    const refinement = taskWith(readPort, "- **References** [read](#read-1-results)\n")
    assert.include(String(await failureOf(execute({ ...options, refinement }))), "read-1.md")
    const { status } = await execute({ ...options, refinement, results, allow: ["read_file"] })
    assert.strictEqual(status, "done")
    assert.include(prompts[0], "The port is 8042.")
  })

  it("needs calls and not only looks", async () => {
    const { options } = saying(resultSaying("Done."))
    const refinement = taskWith(readPort.replace("## Tool Calls", "## Look first"))
    assert.include(String(await failureOf(execute({ ...options, refinement }))), "The refinement only reads first")
  })
})

describe("iterate", () => {
  it("gives the tasks that are left, and shows the model what has finished", async () => {
    const rest = planOf([[{ name: "Sum 1", skill: "any", references: "[read](#read-1-results)" }]])
    const { options, prompts } = saying(rest)
    const next = (await iterate({ ...options, plan, results })) ?? ""
    assert.include(next, "- **Name** Sum 1")
    assert.notInclude(next, "- **Name** Read 1")
    assert.include(prompts[0], "The port is 8042.")
    const again = saying(planOf([]))
    assert.notInclude((await iterate({ ...again.options, plan: next, results })) ?? "", "- **Name**")
    assert.include(again.prompts[0], "The port is 8042.")
  })

  it("gives nothing when no answer is valid", async () => {
    const { options } = saying("I am not sure.")
    assert.isUndefined(await iterate({ ...options, plan, results }))
  })
})
