/** Sandboxes that are removed when the tests of a file have ended. */
import { afterAll, beforeAll } from "vitest"
import { makeSandbox, type Sandbox } from "./binary.ts"
import { inProcess } from "./inProcess.ts"

/** One whose commands are processes of their own. */
export const processSandbox = (): Sandbox => {
  const sandbox = makeSandbox()
  afterAll(sandbox.remove)
  return sandbox
}

/** One whose commands run in the process of the tests; `start` starts another one. */
export const fileSandbox = (): Sandbox => inProcess(processSandbox())

/** One from which the library takes the folders of the user. */
export const librarySandbox = (): Sandbox => {
  const sandbox = processSandbox()
  beforeAll(() => {
    process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
    process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  })
  return sandbox
}
