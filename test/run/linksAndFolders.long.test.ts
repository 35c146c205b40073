import { testFileCases } from "../support/FileCases.ts"

testFileCases("others")
