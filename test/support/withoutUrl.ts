/**
 * The reason of a model error with `URL` in the place of the address of a loopback server, which has another port each time.
 */
import type { ModelErrorReason } from "../../src/domain/models/ModelAnswer.ts"

export const withoutUrl = (reason: ModelErrorReason): ModelErrorReason =>
  "remedy" in reason && reason.remedy !== undefined
    ? { ...reason, remedy: reason.remedy.replace(/http:\/\/127\.0\.0\.1:\d+(?:\/v1)?/, "URL") }
    : reason
