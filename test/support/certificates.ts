/** Certificates of an authority of a test's own, made by openssl. */

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Certificate = { readonly key: string; readonly cert: string }

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/**
 * Makes an authority in a directory. `path` is the file with its certificate; `issue` makes a certificate for an address such as
 * `IP:127.0.0.1` or `DNS:other.example`, which has expired if `days` is negative.
 */
export function certificateAuthority(directory: string, name: string) {
  const file = (ending: string) => join(directory, `${name}.${ending}`)
  const run = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
  const own = ['-keyout', file('key'), '-out', file('pem')]
  run('req', '-x509', ...curve, ...own, '-days', '2', '-subj', `/CN=${name}`)
  let count = 0
  const issue = (address: string, days = 2): Certificate => {
    const leaf = (ending: string) => file(`${count}.${ending}`)
    count += 1
    run('req', ...curve, '-keyout', leaf('key'), '-out', leaf('csr'), '-subj', '/CN=node')
    writeFileSync(leaf('ext'), `subjectAltName=${address}\n`)
    const signer = ['-CA', file('pem'), '-CAkey', file('key'), '-CAcreateserial']
    const more = ['-days', String(days), '-extfile', leaf('ext'), '-out', leaf('pem')]
    run('x509', '-req', '-in', leaf('csr'), ...signer, ...more)
    return { key: readFileSync(leaf('key'), 'utf8'), cert: readFileSync(leaf('pem'), 'utf8') }
  }
  return { path: file('pem'), pem: readFileSync(file('pem'), 'utf8'), issue }
}
