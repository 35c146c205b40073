import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { unableText } from "../../../src/domain/documents/UselessAnswers.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { NoValidPlan, UnknownSkill } from "../../../src/domain/runs/RunOrder.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { planOf } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const task = plainTask("Talk 1", "talk", "Whatever Talk 1 is about.", "A word.")
const taskList = new TaskList({ goals: "It is done.", steps: [new Step({ title: "Task section 1", tasks: [task] })] })

const valid = planOf([[{ name: "Talk 1", skill: "talk" }]])
const unheardOf = planOf([[{ name: "Talk 1", skill: "unheard-of" }]])

describe("Planner", () => {
  nodeTest("asks before the first round until the list is valid, and counts the attempts", function* () {
    const { log, planner, prompts } = yield* openStages({ answers: [unheardOf, valid] })
    expect(yield* planner.plan(briefing)).toEqual({ taskList, attempts: 2 })
    expect(log.events().flatMap((event) => (event.type === "model.started" ? [event.call] : []))).toEqual([
      { stage: "plan", round: 0, attempt: 1 },
      { stage: "plan", round: 0, attempt: 2 }
    ])
    expect(prompts[1]?.user).toContain(`## Previous proposal\n\n\`\`\`markdown\n${unheardOf.trim()}`)
    expect(prompts[1]?.user).toMatch(/## Issues with the previous proposal\n\n1\. .*There is no skill "unheard-of"\./)
  })

  nodeTest("offers only the skills whose tools are available, and refuses another one", function* () {
    const lost = "---\nname: lost\ndescription: Has no tool.\nallowed-tools: no_such_tool\n---\n\nDo it.\n"
    const { planner, prompts } = yield* openStages({
      answers: [valid],
      files: { ".task-conductor/skills/lost/SKILL.md": lost }
    })
    yield* planner.plan(briefing)
    expect(yield* Effect.flip(planner.single("lost", briefing))).toMatchObject({
      _tag: "NoValidPlan",
      message: expect.stringContaining('The skill "lost" cannot work: there is no tool no_such_tool.')
    })
    const offered = [...prompts[0]!.system.matchAll(/^- \**`?(any|lost|talk)\b/gm)].map(([, name]) => name)
    expect(offered).toEqual(["any", "talk"])
  })

  nodeTest("fails with the issues of the last attempt when no list was valid", function* () {
    const named = [1, 2, 3, 4, 5].map((n) => planOf([[{ name: `Talk ${n}`, skill: "unheard-of" }]]))
    const unable = unableText("embedded", "plan")
    const same = Array.from({ length: 4 }, () => unheardOf)
    for (const [answers, detail] of [
      [named, "after 5 tries."],
      [[planOf([]), ...same], `after 5 tries. ${unable}`],
      [same, `after 4 tries. The model gave the same answer every time. ${unable}`]
    ] as const) {
      const { log, planner } = yield* openStages({ answers })
      const error = yield* Effect.flip(planner.plan(briefing))
      const rejected = log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues] : []))
      const failure = { detail: `Could not build valid task list ${detail}`, issues: rejected.at(-1)! }
      expect(error).toEqual(new NoValidPlan({ ...failure, attempts: answers.length }))
      expect(rejected).toHaveLength(answers.length)
    }
  })

  const asking = Effect.fnUntraced(function* (answers: ReadonlyArray<string>, plans: 1 | 2 = 2) {
    const { log, planner } = yield* openStages({ answers, settings: { plans } })
    const planned = yield* planner.plan(briefing)
    const calls = log.events().flatMap((event) => (event.type === "model.started" ? [event.call] : []))
    return { planned, calls }
  })
  const misspelt = valid.replace("**Skill** talk", "**Skill** Talk")
  const longer = valid.replace("Whatever Talk 1 is about.", "Whatever Talk 1 is about, and more of it.")

  nodeTest("asks twice at the same time when it is told to, and takes the better plan", function* () {
    const twice = [
      { stage: "plan", round: 0, attempt: 1 },
      { stage: "plan", round: 0, attempt: 1, choice: 2 }
    ]
    for (const answers of [
      [unheardOf, valid],
      [valid, unheardOf],
      [misspelt, valid],
      [valid, longer],
      [longer, valid],
      ["Which one?", valid]
    ]) {
      expect(yield* asking(answers)).toEqual({ planned: { taskList, attempts: 1 }, calls: twice })
    }
    expect((yield* asking([unheardOf, unheardOf, valid, valid])).planned).toEqual({ taskList, attempts: 2 })
    expect((yield* asking([unheardOf, valid], 1)).planned).toEqual({ taskList, attempts: 2 })
  })

  nodeTest("reads a plan that somebody wrote without the model, and names its repairs", function* () {
    const { planner, prompts } = yield* openStages()
    expect(yield* planner.read(valid, briefing)).toEqual({ taskList, attempts: 0 })
    const repaired = yield* planner.read(misspelt, briefing)
    expect([repaired.taskList, repaired.repairs?.map(({ code }) => code)]).toEqual([taskList, ["skill-spelling"]])
    expect(prompts).toEqual([])
  })

  nodeTest("rejects a plan that somebody wrote with its issues", function* () {
    const { planner } = yield* openStages()
    const error = yield* Effect.flip(planner.read(unheardOf, briefing))
    expect(error).toMatchObject({
      _tag: "NoValidPlan",
      detail: "The plan is not a valid task list.",
      issues: [{ code: "skill-unknown" }]
    })
  })

  nodeTest("makes one task of a single skill, and names skills near one that does not exist", function* () {
    const { planner, prompts } = yield* openStages()
    const single = plainTask("talk 1", "talk", "Do it.", "What the prompt asks for.")
    expect(yield* planner.single("talk", briefing)).toEqual({
      taskList: new TaskList({ goals: "Do it.", steps: [new Step({ title: "Task section 1", tasks: [single] })] }),
      attempts: 0
    })
    expect(yield* Effect.flip(planner.single("serch-code", briefing))).toEqual(
      new UnknownSkill({ skill: "serch-code", nearest: ["search-code", "search-docs", "read-code"] })
    )
    expect(prompts).toEqual([])
  })
})
