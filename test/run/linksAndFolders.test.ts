import { testFileCases } from "../support/FileCases.ts"

testFileCases("main")
