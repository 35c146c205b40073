/** The rules of the family `approvals`, in the order of their page. */
import { writerWithoutApproval } from "./approvals/WriterWithoutApproval.ts"
import { writersOfOneFile } from "./approvals/WritersOfOneFile.ts"

export const approvalsRules = {
  family: "approvals",
  title: "Approvals",
  about:
    "What the host says about tasks that change things. Nothing here is mended: it is told to the person who decides.",
  rules: [writerWithoutApproval, writersOfOneFile]
} as const
