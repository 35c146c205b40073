/**
 * Certificates for servers of tests: an authority, and a certificate of it for a name, made by openssl.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Certificate {
  /** The certificate of the authority. */
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

/** A certificate for a server with this name, such as `DNS:localhost`. */
export const makeCertificate = (name: string): Certificate => {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"))
  const path = (file: string) => join(folder, file)
  const openssl = (...words: ReadonlyArray<string>) => {
    const made = spawnSync("openssl", words, { cwd: folder, encoding: "utf8" })
    if (made.status !== 0) throw new Error(`openssl ${words.join(" ")}: ${made.stderr}`)
  }
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"]
  try {
    openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test authority")
    openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
    writeFileSync(path("names"), `subjectAltName=${name}\n`)
    const signing = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"]
    openssl("x509", "-req", "-in", "server.csr", ...signing, "-out", "server.crt")
    return {
      authority: readFileSync(path("ca.crt"), "utf8"),
      certificate: readFileSync(path("server.crt"), "utf8"),
      key: readFileSync(path("server.key"), "utf8")
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
