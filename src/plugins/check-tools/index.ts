/** Tools for authors of plans and skills: checks, single stages, and lint and tests of skills. */
import { definePlugin } from "../../plugin-kit.ts"

const stages = () => import("./stages.ts")

export const checkTools = definePlugin({
  name: "check-tools",
  commands: {
    check: {
      line: "Check task lists, refinements or results",
      group: "EVERYDAY",
      load: () => import("./check.ts").then(({ check }) => check)
    },
    explain: {
      line: "Explain the code of an issue or repair, with an example",
      group: "EVERYDAY",
      load: () => import("./explain.ts").then(({ explain }) => explain)
    },
    refine: {
      line: "Print the refinement of one task of a plan",
      group: "EXTENDING",
      load: () => stages().then(({ refine }) => refine)
    },
    execute: {
      line: "Carry out a refinement and print its result",
      group: "EXTENDING",
      load: () => stages().then(({ execute }) => execute)
    },
    iterate: {
      line: "Print the tasks that are left after some results",
      group: "EXTENDING",
      load: () => stages().then(({ iterate }) => iterate)
    },
    "skills lint": {
      line: "Check skills: form, tools, links, size",
      load: () => import("./skillsLint.ts").then(({ lint }) => lint)
    },
    "skills test": {
      line: "Run the tests of a skill without a model",
      load: () => import("./skillsTest.ts").then(({ test }) => test)
    }
  }
})
