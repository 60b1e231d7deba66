/** What went wrong when git did not end well. */

import { Failure } from '../../../errors.ts'
import type { Credentials } from './ground.ts'

const verdicts = [
  [
    /Authentication failed|could not read (Username|Password)|Permission denied|error: 40[13]/i,
    'source-refused',
    'refused the credentials, or asks for some',
  ],
  [/transport '[^']*' not allowed/i, 'address-refused', 'uses a transport that is not allowed'],
  [
    /couldn't find remote ref|not found|does not appear to be a git repository|does not exist/i,
    'source-not-found',
    'has no such repository or branch',
  ],
] as const

/** Our own words; what git said goes into the log without the token in any form. */
export function verdictOf(code: number | null, said: string, credentials: Credentials): Failure {
  const cause = new Error(`git ended with ${code}: ${cleaned(said, credentials).slice(0, 2048)}`)
  // 2 is what `ls-remote --exit-code` says of nothing found, 127 what a shell says of an unknown program.
  if (code === 2) {
    return new Failure('source-not-found', 'the repository has no such branch', { cause })
  }
  if (code === 127) return new Failure('source-unreachable', 'git is not installed', { cause })
  for (const [pattern, kind, words] of verdicts) {
    if (pattern.test(said)) return new Failure(kind, `the repository ${words}`, { cause })
  }
  return new Failure('source-unreachable', 'the repository cannot be fetched', { cause })
}

function cleaned(said: string, { username = 'git', token }: Credentials): string {
  if (token === undefined) return said
  const basic = Buffer.from(`${username}:${token}`).toString('base64')
  const forms = [basic, basic.replace(/=+$/, ''), token, encodeURIComponent(token)]
  return forms.reduce((text, form) => text.replaceAll(form, '•••'), said)
}
