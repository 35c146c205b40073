/** The rules of the family `tool-calls`, in the order of their page. */
import { toolCallTooLarge } from "./tool-calls/ToolCallTooLarge.ts"
import { toolCallTooDeep } from "./tool-calls/ToolCallTooDeep.ts"
import { toolCallJson } from "./tool-calls/ToolCallJson.ts"
import { toolCallTruncated } from "./tool-calls/ToolCallTruncated.ts"
import { toolCallNotObject } from "./tool-calls/ToolCallNotObject.ts"
import { toolCallKeyDuplicate } from "./tool-calls/ToolCallKeyDuplicate.ts"
import { toolCallKeyForbidden } from "./tool-calls/ToolCallKeyForbidden.ts"
import { toolCallKeyUnknown } from "./tool-calls/ToolCallKeyUnknown.ts"
import { toolCallNumber } from "./tool-calls/ToolCallNumber.ts"
import { toolCallName } from "./tool-calls/ToolCallName.ts"
import { toolCallArguments } from "./tool-calls/ToolCallArguments.ts"
import { toolCallMisplaced } from "./tool-calls/ToolCallMisplaced.ts"
import { toolCallRepaired } from "./tool-calls/ToolCallRepaired.ts"
import { toolCallSplit } from "./tool-calls/ToolCallSplit.ts"
import { toolCallUnfenced } from "./tool-calls/ToolCallUnfenced.ts"
import { toolCallAlias } from "./tool-calls/ToolCallAlias.ts"
import { toolCallUid } from "./tool-calls/ToolCallUid.ts"
import { toolCallExtra } from "./tool-calls/ToolCallExtra.ts"
import { toolCallMissing } from "./tool-calls/ToolCallMissing.ts"
import { toolCallRepeated } from "./tool-calls/ToolCallRepeated.ts"
import { toolUnknown } from "./tool-calls/ToolUnknown.ts"
import { toolNotAllowed } from "./tool-calls/ToolNotAllowed.ts"
import { argumentMissing } from "./tool-calls/ArgumentMissing.ts"
import { argumentInvalid } from "./tool-calls/ArgumentInvalid.ts"
import { argumentUnknown } from "./tool-calls/ArgumentUnknown.ts"
import { argumentCoerced } from "./tool-calls/ArgumentCoerced.ts"
import { argumentDropped } from "./tool-calls/ArgumentDropped.ts"

export const toolCallsRules = {
  family: "tool-calls",
  title: "Tool calls",
  about: "The JSON of a call, and whether the tools of the run can do what it says.",
  rules: [
    toolCallTooLarge,
    toolCallTooDeep,
    toolCallJson,
    toolCallTruncated,
    toolCallNotObject,
    toolCallKeyDuplicate,
    toolCallKeyForbidden,
    toolCallKeyUnknown,
    toolCallNumber,
    toolCallName,
    toolCallArguments,
    toolCallMisplaced,
    toolCallRepaired,
    toolCallSplit,
    toolCallUnfenced,
    toolCallAlias,
    toolCallUid,
    toolCallExtra,
    toolCallMissing,
    toolCallRepeated,
    toolUnknown,
    toolNotAllowed,
    argumentMissing,
    argumentInvalid,
    argumentUnknown,
    argumentCoerced,
    argumentDropped
  ]
} as const
