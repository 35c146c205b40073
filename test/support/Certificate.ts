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
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
}

/** What `openssl ca` needs to sign with dates of its own. */
const signing = `[ca]
default_ca = test
[test]
database = index
new_certs_dir = .
serial = serial
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
`

/** A certificate for a server with this name, such as `DNS:localhost`; one whose time is over, where that is wanted. */
export const makeCertificate = (name: string, isExpired = false): Certificate => {
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
    writeFileSync(path("signing"), signing)
    writeFileSync(path("index"), "")
    writeFileSync(path("serial"), "1000\n")
    const dates = isExpired ? ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] : ["-days", "2"]
    const authority = ["-config", "signing", "-cert", "ca.crt", "-keyfile", "ca.key", "-extfile", "names", ...dates]
    openssl("ca", "-batch", "-notext", ...authority, "-in", "server.csr", "-out", "server.crt")
    return {
      authority: readFileSync(path("ca.crt"), "utf8"),
      authorityKey: readFileSync(path("ca.key"), "utf8"),
      certificate: readFileSync(path("server.crt"), "utf8"),
      key: readFileSync(path("server.key"), "utf8")
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
